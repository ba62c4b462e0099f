/** Which budgets a job shares with others, and who set them. Pure. */
import { usdAmount } from "svc/core/budget.ts";
import type { SharedBudgets } from "svc/core/budget_shape.ts";
import { usdText } from "svc/core/cost.ts";
import { tokenCount } from "svc/core/token_count.ts";

export const BUDGET_SCOPES = ["ticket", "role", "day"] as const;
export type BudgetScope = typeof BUDGET_SCOPES[number];

export const BUDGET_UNITS = ["usd", "tokens"] as const;
export type BudgetUnit = typeof BUDGET_UNITS[number];

export interface SharedLimit {
  readonly scope: BudgetScope;
  readonly unit: BudgetUnit;
  /** US dollars, or tokens. */
  readonly amount: number;
  /** Counts the jobs of every repo of the database. */
  readonly everyRepo: boolean;
  /** Where it is raised, such as `budgets.day in ~/.svc/config.yaml`. */
  readonly setBy: string;
}

function limitsIn(budgets: SharedBudgets, file: string, everyRepo: boolean): SharedLimit[] {
  return BUDGET_SCOPES.flatMap((scope) =>
    BUDGET_UNITS.flatMap((unit): SharedLimit[] => {
      const key = unit === "usd" ? scope : `${scope}_tokens` as const;
      const written = budgets[key];
      if (written === undefined) return [];
      const amount = unit === "usd" ? usdAmount(String(written)) : tokenCount(written);
      const setBy = `budgets.${key} in ${file}`;
      return [{ scope, unit, amount: amount!, everyRepo: everyRepo && scope === "day", setBy }];
    })
  );
}

/** All of them hold, so that a manifest can lower what the config sets, and not raise it. */
export function sharedLimits(
  config: { readonly budgets: SharedBudgets },
  manifest: { readonly budgets: SharedBudgets },
  { ticket_id }: { readonly ticket_id: string | null },
): SharedLimit[] {
  return [
    ...limitsIn(config.budgets, "~/.svc/config.yaml", true),
    ...limitsIn(manifest.budgets, ".harness/manifest.yaml", false),
  ].filter(({ scope }) => scope !== "ticket" || ticket_id !== null);
}

export function amountText(amount: number, unit: BudgetUnit): string {
  return unit === "usd" ? usdText(amount) : `${Math.round(amount)} tokens`;
}

interface BudgetStand {
  readonly spent: number;
  /** Set aside by other jobs that run. */
  readonly held: number;
}

/** Such as `the day's budget of $5.00 (budgets.day in …): $4.98 is spent`. */
export function standText(
  { scope, unit, amount, setBy }: SharedLimit,
  { spent, held }: BudgetStand,
  { role, ticket_id, day }: {
    readonly role: string;
    readonly ticket_id: string | null;
    readonly day: string;
  },
): string {
  const whose = scope === "ticket"
    ? `the budget of ${ticket_id}`
    : scope === "role"
    ? `the day's budget of role "${role}"`
    : "the day's budget";
  const when = scope === "ticket" ? "" : ` on ${day} (UTC)`;
  const are = unit === "usd" ? "is" : "are";
  const others = held === 0
    ? ""
    : `, and ${amountText(held, unit)} ${are} set aside for jobs that run`;
  return `${whose} of ${amountText(amount, unit)} (${setBy}): ${
    amountText(spent, unit)
  } ${are} spent${when}${others}`;
}

/** The way out. */
export function raiseText({ scope, setBy }: SharedLimit): string {
  return scope === "ticket"
    ? `Raise ${setBy}; svc looks again every 5 min, and when it starts`
    : `Raise ${setBy}, or wait for the next day, which begins at 00:00 UTC; svc goes on by itself`;
}

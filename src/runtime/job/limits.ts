/** The limits of one run: from flags, else from the role, else the defaults. */
import { RUN_BUDGET_TOKENS, RUN_MAX_TURNS, RUN_TIMEOUT_MINUTES } from "svc/core/bounds.ts";
import { type Budget, usdAmount } from "svc/core/budget.ts";
import { usdText } from "svc/core/cost.ts";
import { Failure } from "svc/core/failure.ts";
import { tokenCount } from "svc/core/token_count.ts";
import type { AgentLimits, AgentPlan } from "svc/features/agent/agent.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import type { RoleModel } from "./open_role_model.ts";

export interface LimitFlags {
  readonly maxTurns?: number | undefined;
  /** Replaces the role's budgets. */
  readonly budget?: Budget | undefined;
}

type Limits = ManifestRole["limits"];

/** @param free the model's tokens cost nothing: then only turns and minutes limit the run */
export function limitsOf(
  { limits }: { readonly limits: Limits },
  flags: LimitFlags,
  free: boolean,
): AgentLimits {
  const { max_turns, timeout_minutes } = limits;
  const budget = flags.budget ?? (free ? {} : budgetsOf(limits));
  return {
    maxTurns: flags.maxTurns ?? max_turns ?? RUN_MAX_TURNS,
    budgetTokens: budget.tokens,
    budgetUsd: free ? undefined : budget.usd,
    timeoutMs: (timeout_minutes ?? RUN_TIMEOUT_MINUTES) * 60_000,
  };
}

/** @throws Failure `refused` for an amount of money where no price is known */
export function boundsOf(
  definition: { readonly limits: Limits },
  flags: LimitFlags,
  { pricing, route }: Pick<RoleModel, "pricing" | "route">,
): Pick<AgentPlan, "limits" | "priceOf"> {
  const limits = limitsOf(definition, flags, pricing === "free");
  if (limits.budgetUsd !== undefined && pricing === "unknown") {
    const why = `no price is known for model "${route.model}"`;
    throw new Failure("refused", `Cannot keep the budget of ${usdText(limits.budgetUsd)}: ${why}`, {
      remedy:
        "Write its price under models.prices in ~/.svc/config.yaml, or give the budget in tokens",
    });
  }
  return { limits, ...(typeof pricing === "function" && { priceOf: pricing }) };
}

function budgetsOf({ budget, budget_tokens }: Limits): Budget {
  const usd = budget === undefined ? undefined : usdAmount(budget);
  const tokens = budget_tokens === undefined ? RUN_BUDGET_TOKENS : tokenCount(budget_tokens);
  return { ...(tokens && { tokens }), ...(usd && { usd }) };
}

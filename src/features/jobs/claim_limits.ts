/** Limits of a day: once one is reached no new job is claimed until the next day, and jobs that run go on. */
import { usdAmount } from "svc/core/budget.ts";
import type { ClaimLimits } from "svc/core/budget_shape.ts";
import { rfc3339 } from "svc/core/time.ts";
import { tokenCount } from "svc/core/token_count.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { roleLane } from "./lane_store.ts";
import { amountText, BUDGET_UNITS, type BudgetUnit } from "./shared_limits.ts";
import { dayOf } from "./use_store.ts";

const DAY_MS = 86_400_000;

/**
 * Uses of so many days to come count as today's: they were stored before the clock was set back, and a
 * limit that was reached then must not be free again. Those beyond come from a clock that was wrong by far.
 */
const SET_BACK_DAYS = 7;

export interface ClaimHold {
  readonly scope: "day" | "role";
  readonly unit: BudgetUnit;
  /** US dollars, or tokens. */
  readonly amount: number;
  readonly spent: number;
  /** Jobs without a known price, where they are why: what they cost could be anything. */
  readonly unpriced: number;
  /** Both set for a role's limit. */
  readonly repo_id: string | null;
  readonly role: string | null;
  /** Epoch ms of the midnight in UTC at which it ends by itself. */
  readonly until: number;
  /** Such as `claim_limits.day`. */
  readonly setBy: keyof ClaimLimits;
  /** Such as `held until 00:00 UTC: the limit of $5.00 a day is reached ($5.12 spent)`. */
  readonly says: string;
  /** The way out. */
  readonly raise: string;
}

interface DayUse {
  readonly day: string;
  readonly repo_id: string;
  readonly role: string;
  readonly usd: number;
  readonly tokens: number;
  readonly unpriced: number;
}

async function usesFrom(db: Db, now: number): Promise<DayUse[]> {
  const { rows } = await sql<DayUse>`SELECT day, repo_id, role, sum(spent_usd) AS usd,
    sum(spent_tokens) AS tokens, sum(CASE WHEN cost_basis = 'unknown' THEN 1 ELSE 0 END) AS unpriced
    FROM job_uses WHERE day BETWEEN ${dayOf(now)} AND ${dayOf(now + SET_BACK_DAYS * DAY_MS)}
    GROUP BY day, repo_id, role`.execute(db);
  return rows;
}

interface Limit extends Pick<ClaimHold, "scope" | "unit" | "amount" | "setBy"> {
  /** Tokens of the same scope bound what has no price. */
  readonly needsPrices: boolean;
}

function limitsIn(limits: ClaimLimits): Limit[] {
  return (["day", "role"] as const).flatMap((scope) =>
    BUDGET_UNITS.flatMap((unit): Limit[] => {
      const setBy = unit === "usd" ? scope : `${scope}_tokens` as const;
      const written = limits[setBy];
      if (written === undefined) return [];
      const amount = unit === "usd" ? usdAmount(String(written))! : tokenCount(written)!;
      const needsPrices = unit === "usd" && limits[`${scope}_tokens`] === undefined;
      return [{ scope, unit, amount, setBy, needsPrices }];
    })
  );
}

/** Undefined where the limit leaves room. */
function holdOf(
  { needsPrices, ...limit }: Limit,
  uses: readonly DayUse[],
  now: number,
): Pick<ClaimHold, "spent" | "unpriced" | "until"> | undefined {
  const since = (day: string) => uses.filter((use) => use.day >= day);
  const spentIn = (some: readonly DayUse[]) => some.reduce((sum, use) => sum + use[limit.unit], 0);
  const unpricedIn = (some: readonly DayUse[]) =>
    needsPrices ? some.reduce((sum, { unpriced }) => sum + unpriced, 0) : 0;
  const held = (at: number) =>
    spentIn(since(dayOf(at))) >= limit.amount || unpricedIn(since(dayOf(at))) > 0;
  if (!held(now)) return undefined;
  let until = Math.floor(now / DAY_MS) * DAY_MS + DAY_MS;
  while (held(until)) until += DAY_MS; // uses lie in few days, so it ends
  const spent = spentIn(uses);
  return { spent, unpriced: spent >= limit.amount ? 0 : unpricedIn(uses), until };
}

/** Which limits hold claims back now. The limits come from the user's config, and are read each time. */
export async function claimHolds(
  db: Db,
  limits: ClaimLimits,
  now: number,
): Promise<readonly ClaimHold[]> {
  const all = limitsIn(limits);
  if (all.length === 0) return [];
  const uses = await usesFrom(db, now);
  const lanes = Map.groupBy(uses, ({ repo_id, role }) => roleLane(repo_id, role));
  return all.flatMap((limit) => {
    const whole = { ...limit, repo_id: null, role: null };
    const sets = limit.scope === "day" ? [{ whole, uses }] : [...lanes.values()].map((uses) => {
      const { repo_id, role } = uses[0]!;
      return { whole: { ...limit, repo_id, role }, uses };
    });
    return sets.flatMap(({ whole: { needsPrices: _, ...about }, uses }): ClaimHold[] => {
      const found = holdOf(limit, uses, now);
      if (found === undefined) return [];
      const hold = { ...about, ...found };
      return [{ ...hold, says: saysOf(hold, now), raise: raiseOf(hold) }];
    });
  });
}

/** `00:00 UTC`, with its date where that is not the next midnight. */
function untilText(until: number, now: number): string {
  const date = until - now > DAY_MS ? `${rfc3339(until).slice(0, 10)}, ` : "";
  return `${date}00:00 UTC`;
}

function saysOf(
  { scope, unit, amount, spent, unpriced, role, until, setBy }: Omit<ClaimHold, "says" | "raise">,
  now: number,
): string {
  const held = scope === "day" ? "held" : `role "${role}" is held`;
  const limit = `limit of ${amountText(amount, unit)} a day${
    scope === "role" ? " for a role" : ""
  }`;
  const why = unpriced === 0
    ? `the ${limit} is reached (${amountText(spent, unit)} spent)`
    : `the ${limit} (claim_limits.${setBy}) cannot be kept, since a model without a known price was used`;
  return `${held} until ${untilText(until, now)}: ${why}`;
}

function raiseOf({ setBy, unpriced }: Pick<ClaimHold, "setBy" | "unpriced">): string {
  const file = "~/.svc/config.yaml";
  return unpriced === 0
    ? `Raise claim_limits.${setBy} in ${file}, or wait: svc goes on by itself`
    : `Write claim_limits.${setBy}_tokens beside it in ${file}, and prices under models.prices`;
}

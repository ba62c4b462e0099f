/** Stores what a job uses while it runs, and keeps it within the budgets that it shares with other jobs. */
import { Failure } from "svc/core/failure.ts";
import {
  NOTHING_USED,
  type SharedPart,
  type Tally,
  usedSince,
  type UseLedger,
} from "svc/features/agent/agent.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import {
  raiseText,
  type SharedLimit,
  sharedLimits,
  standText,
} from "svc/features/jobs/shared_limits.ts";
import {
  addUse,
  dayOf,
  setAside,
  standOf,
  usesOf,
  type Wanted,
} from "svc/features/jobs/use_store.ts";
import type { RuntimePorts, StoredPorts } from "svc/runtime/ports.ts";
import type { JobPlan } from "./job_plan.ts";
import type { RoleModel } from "./open_role_model.ts";

type PricedModel = Pick<RoleModel, "cost" | "pricing"> & {
  readonly route: Pick<RoleModel["route"], "model">;
};

export class JobLedger implements UseLedger {
  #counted: Tally;

  /** @param resumed what an earlier job used, in whose conversation this one goes on */
  constructor(
    readonly ports: StoredPorts,
    readonly job: Job,
    readonly model: PricedModel,
    readonly limits: readonly SharedLimit[] = [],
    readonly resumed: Tally = NOTHING_USED,
  ) {
    this.#counted = { ...resumed };
  }

  async count(tally: Tally): Promise<void> {
    const { largestIn: _, ...used } = usedSince(this.#counted, tally);
    const { model: { cost, pricing, route }, ports: { db, clock }, job } = this;
    this.#counted = { ...tally };
    const added = {
      turns: used.turns,
      tool_calls: used.toolCalls,
      tokens_in: used.tokensIn,
      tokens_cached: used.cachedIn,
      tokens_out: used.tokensOut,
      cost: cost(used),
      model: route.model,
      spent_usd: typeof pricing === "function" ? pricing(used) ?? 0 : 0,
      spent_tokens: pricing === "free" ? 0 : used.freshIn + used.tokensOut,
    };
    try {
      await addUse(db, job, added, clock.now());
    } catch (thrown) {
      if (!Failure.from(thrown).detail.waits) throw thrown;
      if (!await this.#isStored(tally)) await addUse(db, job, added, clock.now());
    }
  }

  /**
   * If the database's answer was lost, the attempt's own rows tell whether the use was counted, since nobody
   * else adds to them.
   */
  async #isStored(tally: Tally): Promise<boolean> {
    const { ports: { db }, job: { id, generation } } = this;
    const own = usedSince(this.resumed, tally);
    const stored = await usesOf(db, id, generation);
    return stored !== undefined && stored.turns === own.turns &&
      stored.tool_calls === own.toolCalls && stored.tokens_in === own.tokensIn &&
      stored.tokens_out === own.tokensOut;
  }

  async setAside(
    want: Wanted,
  ): Promise<{ readonly usd?: SharedPart; readonly tokens?: SharedPart }> {
    const { job, limits, ports: { db, clock } } = this;
    if (limits.length === 0) return {};
    const now = clock.now();
    const { usd, tokens } = await setAside(db, job, { limits, want, now });
    const part = ({ amount, limit, ...stand }: NonNullable<typeof usd>): SharedPart => ({
      amount,
      says: `no turn fits into what is left of ${
        standText(limit, stand, { ...job, day: dayOf(now) })
      }`,
      raise: raiseText(limit),
    });
    return { ...(usd && { usd: part(usd) }), ...(tokens && { tokens: part(tokens) }) };
  }
}

/**
 * The budgets that apply to a job with this model.
 * @throws Failure `refused` for one in money where no price is known; `conflict` that `waits` for one that
 *   is used up
 */
export async function sharedBudgets(
  { db, clock, settings }: Pick<RuntimePorts, "clock" | "db" | "settings">,
  { job, manifest }: Pick<JobPlan, "job" | "manifest">,
  { pricing, route }: Pick<RoleModel, "pricing" | "route">,
): Promise<readonly SharedLimit[]> {
  if (pricing === "free") return [];
  const all = sharedLimits(await settings(), manifest, job);
  const limits = pricing === "unknown" ? all.filter(({ unit }) => unit === "tokens") : all;
  const unkept = all.find((limit) =>
    !limits.includes(limit) && !limits.some(({ scope }) => scope === limit.scope)
  );
  if (unkept !== undefined) {
    const why = `no price is known for model "${route.model}"`;
    throw new Failure("refused", `Cannot keep ${unkept.setBy}: ${why}`, {
      remedy: "Write its price under models.prices in ~/.svc/config.yaml, or give tokens beside: " +
        `budgets.${unkept.scope}_tokens`,
    });
  }
  const now = clock.now();
  for (const limit of limits) {
    const stand = await standOf(db, { job, limit, now });
    if (stand.spent + stand.held < limit.amount) continue;
    const why = standText(limit, stand, { ...job, day: dayOf(now) });
    throw new Failure("conflict", `Cannot start "${job.role}": nothing is left of ${why}`, {
      remedy: raiseText(limit),
      waits: true,
      budget: true,
    });
  }
  return limits;
}

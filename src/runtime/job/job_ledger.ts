/** Stores what a job uses while it runs. */
import { NOTHING_USED, type Tally, usedSince, type UseLedger } from "svc/features/agent/agent.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { addUse } from "svc/features/jobs/use_store.ts";
import type { StoredPorts } from "svc/runtime/ports.ts";
import type { RoleModel } from "./open_role_model.ts";

export class JobLedger implements UseLedger {
  #counted: Tally;

  /** @param resumed what an earlier job used, in whose conversation this one goes on */
  constructor(
    readonly ports: StoredPorts,
    readonly job: Job,
    readonly model: Pick<RoleModel, "cost" | "pricing">,
    resumed: Tally = NOTHING_USED,
  ) {
    this.#counted = { ...resumed };
  }

  async count(tally: Tally): Promise<void> {
    const { largestIn: _, ...used } = usedSince(this.#counted, tally);
    const { model: { cost, pricing }, ports: { db, clock }, job } = this;
    this.#counted = { ...tally };
    await addUse(db, job, {
      turns: used.turns,
      tool_calls: used.toolCalls,
      tokens_in: used.tokensIn,
      tokens_cached: used.cachedIn,
      tokens_out: used.tokensOut,
      cost: cost(used),
      spent_usd: typeof pricing === "function" ? pricing(used) ?? 0 : 0,
      spent_tokens: pricing === "free" ? 0 : used.freshIn + used.tokensOut,
    }, clock.now());
  }
}

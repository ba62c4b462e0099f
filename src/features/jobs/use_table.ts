/** What each attempt of a job used on each day: stored with every reply, so that it outlives the attempt. */
import type { CostBasis } from "svc/core/cost.ts";
import { integer, real, realOrNull, type Row, text, textOrNull } from "svc/store/columns.ts";

export const table = {
  name: "job_uses",
  columns: {
    job_id: text(),
    /** The attempt's lease. */
    generation: integer(),
    /** In UTC, such as `2026-05-04`. */
    day: text(),
    repo_id: text(),
    role: text(),
    ticket_id: textOrNull(),
    turns: integer(),
    tool_calls: integer(),
    tokens_in: integer(),
    tokens_cached: integer(),
    tokens_out: integer(),
    cost_basis: textOrNull<CostBasis>(),
    cost_usd: realOrNull(),
    /** The part that counts towards budgets; zero for a model that costs nothing. */
    spent_usd: real(),
    /** Output, and input that no cache had. */
    spent_tokens: integer(),
    /** Set aside for the next request; counts while the job runs with this lease. */
    held_usd: real(),
    held_tokens: integer(),
    /** As its provider calls it. */
    model: textOrNull(),
  },
};
export type JobUse = Row<typeof table>;

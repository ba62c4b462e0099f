/** The only module that writes the `job_uses` table. */
import type { Cost } from "svc/core/cost.ts";
import { rfc3339 } from "svc/core/time.ts";
import { type RawBuilder, sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { Job } from "./job_table.ts";
import type { JobUse } from "./use_table.ts";

/** The attempt that uses something. */
export type UsingJob = Pick<Job, "id" | "generation" | "repo_id" | "role" | "ticket_id">;

const COUNTED = [
  "turns",
  "tool_calls",
  "tokens_in",
  "tokens_cached",
  "tokens_out",
  "spent_usd",
  "spent_tokens",
] as const;

/** What came to it since it was counted last. */
export interface AddedUse extends Readonly<Pick<JobUse, typeof COUNTED[number]>> {
  readonly cost: Cost;
}

export const NO_USE: AddedUse = {
  turns: 0,
  tool_calls: 0,
  tokens_in: 0,
  tokens_cached: 0,
  tokens_out: 0,
  spent_usd: 0,
  spent_tokens: 0,
  cost: { cost_basis: null, cost_usd: null },
};

/** The day of a budget, in UTC. @param now epoch ms */
export function dayOf(now: number): string {
  return rfc3339(now).slice(0, 10);
}

/** Adds to the attempt's row of the day; a price that is missing once is missing for the row. */
export async function addUse(
  db: Db,
  job: UsingJob,
  { cost, ...added }: AddedUse,
  now: number,
): Promise<void> {
  const { id: job_id, generation, repo_id, role, ticket_id } = job;
  await db.insertInto("job_uses").values({
    ...{ job_id, generation, day: dayOf(now), repo_id, role, ticket_id },
    ...added,
    ...cost,
    held_usd: 0,
    held_tokens: 0,
  }).onConflict((on) =>
    on.columns(["job_id", "generation", "day"]).doUpdateSet({
      ...Object.fromEntries(
        COUNTED.map((name) => [name, sql`${sql.ref(`job_uses.${name}`)} + ${added[name]}`]),
      ),
      ...joined(cost),
    })
  ).execute();
}

function joined({ cost_basis, cost_usd }: Cost) {
  const old = sql.ref("job_uses.cost_basis");
  const basis = sql<Cost["cost_basis"]>`CASE WHEN ${old} IS NULL OR ${cost_basis} IS 'unknown'
    THEN ${cost_basis} ELSE ${old} END`;
  if (cost_basis === null) return {};
  return {
    cost_basis: basis,
    cost_usd: sql<number | null>`CASE WHEN ${basis} IS 'price'
      THEN round(coalesce(job_uses.cost_usd, 0) + ${cost_usd ?? 0}, 7) END`,
  };
}

const USED = ["turns", "tool_calls", "tokens_in", "tokens_cached", "tokens_out"] as const;
type UsedCounts = Pick<Job, typeof USED[number]>;

const COST_OF_ALL = sql<Cost["cost_basis"]>`(SELECT CASE
  WHEN sum(used.cost_basis IS 'unknown') > 0 THEN 'unknown'
  WHEN sum(used.cost_basis IS 'price') > 0 THEN 'price'
  ELSE max(used.cost_basis) END FROM job_uses AS used WHERE used.job_id = jobs.id)`;

type UsedColumns = UsedCounts & Pick<Job, keyof Cost>;

/** Sums over all attempts, to be set in the job's row; `otherwise`, or what is there, where none is stored. */
export function usedByJob(
  otherwise: Partial<UsedColumns> = {},
): { readonly [Name in keyof UsedColumns]: RawBuilder<UsedColumns[Name]> } {
  const sum = (name: string) =>
    sql`(SELECT sum(used.${sql.raw(name)}) FROM job_uses AS used WHERE used.job_id = jobs.id)`;
  const given = (name: keyof UsedColumns) =>
    otherwise[name] === undefined ? sql.ref(`jobs.${name}`) : sql`${otherwise[name]}`;
  const count = (name: keyof UsedCounts) => sql<number>`coalesce(${sum(name)}, ${given(name)})`;
  return {
    turns: count("turns"),
    tool_calls: count("tool_calls"),
    tokens_in: count("tokens_in"),
    tokens_cached: count("tokens_cached"),
    tokens_out: count("tokens_out"),
    cost_basis: sql`coalesce(${COST_OF_ALL}, ${given("cost_basis")})`,
    cost_usd: sql`CASE WHEN ${COST_OF_ALL} IS NULL THEN ${given("cost_usd")}
      WHEN ${COST_OF_ALL} = 'price' THEN round(${sum("cost_usd")}, 7) END`,
  };
}

/** What a job used so far, in all its attempts; undefined where nothing is stored. */
export async function usesOf(db: Db, jobId: string): Promise<UsedCounts | undefined> {
  const sums = USED.map((name) => sql<number | null>`sum(${sql.ref(name)})`.as(name));
  const row = await db.selectFrom("job_uses").select(sums).where("job_id", "=", jobId)
    .executeTakeFirstOrThrow();
  return row.turns === null ? undefined : row as UsedCounts;
}

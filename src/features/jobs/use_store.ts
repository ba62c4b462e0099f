/** The only module that writes the `job_uses` table. */
import type { Cost } from "svc/core/cost.ts";
import { rfc3339 } from "svc/core/time.ts";
import { type RawBuilder, sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { Job } from "./job_table.ts";
import type { BudgetUnit, SharedLimit } from "./shared_limits.ts";
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
  readonly model: string | null;
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
  model: null,
};

/** The day of a budget, in UTC. @param now epoch ms */
export function dayOf(now: number): string {
  return rfc3339(now).slice(0, 10);
}

/** Adds to the attempt's row of the day; a price that is missing once is missing for the row. */
export async function addUse(
  db: Db,
  job: UsingJob,
  { cost, model, ...added }: AddedUse,
  now: number,
): Promise<void> {
  const { id: job_id, generation, repo_id, role, ticket_id } = job;
  await db.insertInto("job_uses").values({
    ...{ job_id, generation, day: dayOf(now), repo_id, role, ticket_id },
    ...added,
    ...cost,
    held_usd: 0,
    held_tokens: 0,
    model,
  }).onConflict((on) =>
    on.columns(["job_id", "generation", "day"]).doUpdateSet({
      ...Object.fromEntries(
        COUNTED.map((name) => [name, sql`${sql.ref(`job_uses.${name}`)} + ${added[name]}`]),
      ),
      ...joined(cost),
      ...(model === null ? {} : { model }),
    })
  ).execute();
}

function joined({ cost_basis, cost_usd }: Cost) {
  const old = sql.ref("job_uses.cost_basis");
  const basis = sql<Cost["cost_basis"]>`CASE WHEN ${old} IS NULL OR ${cost_basis} = 'unknown'
    THEN ${cost_basis} ELSE ${old} END`;
  if (cost_basis === null) return {};
  return {
    cost_basis: basis,
    cost_usd: sql<number | null>`CASE WHEN ${basis} = 'price'
      THEN round(coalesce(job_uses.cost_usd, 0) + ${cost_usd ?? 0}, 7) END`,
  };
}

const USED = ["turns", "tool_calls", "tokens_in", "tokens_cached", "tokens_out"] as const;
type UsedCounts = Pick<Job, typeof USED[number]>;

const COST_OF_ALL = sql`CASE
  WHEN max(CASE WHEN used.cost_basis = 'unknown' THEN 1 END) = 1 THEN 'unknown'
  WHEN max(CASE WHEN used.cost_basis = 'price' THEN 1 END) = 1 THEN 'price'
  ELSE max(used.cost_basis) END`;

type UsedColumns = UsedCounts & Pick<Job, keyof Cost>;

const SUMMED: readonly string[] = [...USED, "cost_basis", "cost_usd"];

/** Whether a column of a job is set by `usedByJob`. */
export const isSummed = (column: string): boolean => SUMMED.includes(column);

/** Sets sums over all attempts in the job's row; `otherwise`, or what is there, where none is stored. */
export function usedByJob(
  otherwise: { readonly [Name in keyof UsedColumns]?: UsedColumns[Name] | undefined } = {},
): RawBuilder<unknown> {
  const given = (name: keyof UsedColumns) =>
    otherwise[name] === undefined ? sql.ref(`jobs.${name}`) : sql`${otherwise[name]}`;
  const sums = USED.map((name) => sql`coalesce(sum(used.${sql.raw(name)}), ${given(name)})`);
  const costs = [
    sql`coalesce(${COST_OF_ALL}, ${given("cost_basis")})`,
    sql`CASE WHEN ${COST_OF_ALL} IS NULL THEN ${given("cost_usd")}
      WHEN ${COST_OF_ALL} = 'price' THEN round(sum(used.cost_usd), 7) END`,
  ];
  return sql`(${sql.raw(SUMMED.join(", "))}) =
    (SELECT ${sql.join([...sums, ...costs])} FROM job_uses AS used WHERE used.job_id = jobs.id)`;
}

/** What a job used so far, in all its attempts or in one; undefined where nothing is stored. */
export async function usesOf(
  db: Db,
  jobId: string,
  generation?: number,
): Promise<UsedCounts | undefined> {
  const sums = USED.map((name) => sql<number | null>`sum(${sql.ref(name)})`.as(name));
  const uses = db.selectFrom("job_uses").select(sums).where("job_id", "=", jobId);
  const row = await (generation === undefined ? uses : uses.where("generation", "=", generation))
    .executeTakeFirstOrThrow();
  return row.turns === null ? undefined : row as UsedCounts;
}

interface HeldOf {
  readonly job: UsingJob;
  readonly limit: SharedLimit;
  readonly now: number;
}

/** How much of a shared budget is spent, and how much other running jobs have reserved. */
export async function standOf(
  db: Db,
  { job, limit: { scope, unit, everyRepo }, now }: HeldOf,
): Promise<{ readonly spent: number; readonly held: number }> {
  const ofRepo = everyRepo ? sql`` : sql`AND used.repo_id = ${job.repo_id}`;
  const ofRole = scope === "role" ? sql`AND used.role = ${job.role}` : sql``;
  const counted = scope === "ticket"
    ? sql`used.repo_id = ${job.repo_id} AND used.ticket_id = ${job.ticket_id}`
    : sql`used.day = ${dayOf(now)} ${ofRepo} ${ofRole}`;
  // A job that ended, or whose worker died, holds nothing: its lease is over.
  const { rows } = await sql<{ spent: number; held: number }>`SELECT
    coalesce(sum(used.${sql.raw(`spent_${unit}`)}), 0) AS spent,
    coalesce(sum(CASE WHEN holder.id IS NOT NULL
      AND NOT (used.job_id = ${job.id} AND used.generation = ${job.generation})
      THEN used.${sql.raw(`held_${unit}`)} ELSE 0 END), 0) AS held
    FROM job_uses AS used LEFT JOIN jobs AS holder
    ON holder.id = used.job_id AND holder.generation = used.generation AND holder.status = 'running'
    WHERE ${counted}`.execute(db);
  return rows[0]!;
}

/** How much of each unit may still be spent; undefined if no budget limits it. */
export type Wanted = Readonly<Record<BudgetUnit, number>>;

interface TightLimit {
  /** Set aside now, at most what was wanted. */
  readonly amount: number;
  readonly limit: SharedLimit;
  readonly spent: number;
  readonly held: number;
}

/**
 * Sets aside what the attempt's next request may take, as far as every budget has it; replaces what it had
 * set aside before. Two that ask at once share what is left: the first write takes the lock.
 */
export async function setAside(
  db: Db,
  job: UsingJob,
  { limits, want, now }: {
    readonly limits: readonly SharedLimit[];
    readonly want: Wanted;
    readonly now: number;
  },
): Promise<Partial<Readonly<Record<BudgetUnit, TightLimit>>>> {
  return await db.transaction().execute(async (tx) => {
    await addUse(tx, job, NO_USE, now);
    const held: { [Unit in BudgetUnit]?: TightLimit } = {};
    for (const limit of limits) {
      const stand = await standOf(tx, { job, limit, now });
      const left = Math.max(0, limit.amount - stand.spent - stand.held);
      const amount = Math.min(left, want[limit.unit]);
      const before = held[limit.unit];
      if (before === undefined || amount < before.amount) {
        held[limit.unit] = { amount, limit, ...stand };
      }
    }
    await tx.updateTable("job_uses").set({ held_usd: 0, held_tokens: 0 })
      .where("job_id", "=", job.id).where("generation", "=", job.generation).execute();
    await tx.updateTable("job_uses").set({
      held_usd: held.usd?.amount ?? 0,
      held_tokens: Math.ceil(held.tokens?.amount ?? 0),
    }).where("job_id", "=", job.id).where("generation", "=", job.generation)
      .where("day", "=", dayOf(now)).execute();
    return held;
  });
}

/** The only module that writes the `settlements` table. */
import { uuidV7 } from "svc/core/ids.ts";
import type { Question } from "svc/core/question.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import { sharedNow, sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { Settlement, SettlementState } from "./settlement_table.ts";

export interface OwedUnblock {
  readonly owner: string;
  readonly action: string;
  readonly question?: Question;
}

interface NewSettlement {
  readonly repoId: string;
  readonly ticket?: string | undefined;
  readonly move?: { readonly from: TicketState; readonly to: TicketState } | undefined;
  /** Set exactly for a move to blocked. */
  readonly unblock?: OwedUnblock | undefined;
  readonly fault?: Settlement["fault"];
  readonly reason: string;
  readonly actor: string;
  /** Absent for the audit of tickets and events from outside; a person's decision has no job. */
  readonly by?: { readonly decision: string; readonly job?: string };
  readonly attempt?: boolean;
  readonly merge?:
    | { readonly from: string; readonly into: string; readonly commit: string }
    | undefined;
}

/** Settlements are done in the order of `now`. */
export function newSettlement(owed: NewSettlement, now: number): Settlement {
  const { move, unblock, by, merge } = owed;
  return {
    id: uuidV7(now),
    repo_id: owed.repoId,
    decision_id: by?.decision ?? null,
    job_id: by?.job ?? null,
    ticket_id: owed.ticket ?? null,
    from_state: move?.from ?? null,
    to_state: move?.to ?? null,
    unblock: unblock === undefined ? null : JSON.stringify(unblock),
    reason: owed.reason,
    actor: owed.actor,
    attempt: owed.attempt ? 1 : 0,
    merge_from: merge?.from ?? null,
    merge_into: merge?.into ?? null,
    merge_commit: merge?.commit ?? null,
    state: "pending",
    waits_for: null,
    created_at: now,
    settled_at: null,
    outcome: null,
    fault: owed.fault ?? null,
  };
}

export async function recordSettlement(db: Db, settlement: Settlement): Promise<void> {
  await db.insertInto("settlements").values(settlement).execute();
}

/** Oldest first; later settlements may depend on earlier ones. */
export function pendingSettlements(db: Db, repoId: string): Promise<Settlement[]> {
  return db.selectFrom("settlements").selectAll().where("repo_id", "=", repoId)
    .where("state", "=", "pending").orderBy("id").execute();
}

export function pendingSettlement(db: Db, id: string): Promise<Settlement | undefined> {
  return db.selectFrom("settlements").selectAll().where("id", "=", id)
    .where("state", "=", "pending").executeTakeFirst();
}

export async function reposThatWait(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("settlements").select("repo_id").distinct()
    .where("state", "=", "pending").execute();
  return rows.map(({ repo_id }) => repo_id);
}

/** False when another process has settled it. */
export async function settle(
  db: Db,
  id: string,
  { state, outcome, now }: {
    readonly state: Exclude<SettlementState, "pending">;
    readonly outcome: string;
    readonly now: number;
  },
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("settlements")
    .set({ state, outcome, settled_at: sharedNow(db, now), waits_for: null })
    .where("id", "=", id).where("state", "=", "pending").executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Turns a move that cannot happen into a block, such as after a merge conflict. */
export async function blockInstead(
  db: Db,
  id: string,
  { unblock, reason, fault = null }: {
    readonly unblock: { readonly owner: string; readonly action: string };
    readonly reason: string;
    readonly fault?: Settlement["fault"];
  },
): Promise<void> {
  await db.updateTable("settlements").set({
    to_state: "blocked",
    unblock: JSON.stringify(unblock),
    reason,
    fault,
    merge_from: null,
    merge_into: null,
    merge_commit: null,
    waits_for: null,
  }).where("id", "=", id).where("state", "=", "pending").execute();
}

/** Turns a merge that must not land into rework, for which the branch gets what it was merged with. */
export async function sendBackInstead(
  db: Db,
  id: string,
  { reason, merge }: {
    readonly reason: string;
    readonly merge: NonNullable<NewSettlement["merge"]>;
  },
): Promise<void> {
  await db.updateTable("settlements").set({
    to_state: "in-progress",
    reason,
    merge_from: merge.from,
    merge_into: merge.into,
    merge_commit: merge.commit,
    waits_for: null,
  }).where("id", "=", id).where("state", "=", "pending").execute();
}

/** Such a settlement: its merge goes into the ticket's branch, and asks for no approval. */
export const isSentBack = ({ to_state, merge_into }: Settlement) =>
  to_state === "in-progress" && merge_into !== null;

export async function waitFor(db: Db, id: string, waits_for: string): Promise<void> {
  await db.updateTable("settlements").set({ waits_for })
    .where("id", "=", id).where("state", "=", "pending").execute();
}

/** Branches of those named that were merged, each with the commit that was approved last. */
export async function mergedAt(
  db: Db,
  repoId: string,
  branches: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (branches.length === 0) return new Map();
  const rows = await db.selectFrom("settlements").select(["merge_from", "merge_commit"])
    .where("repo_id", "=", repoId).where("state", "=", "done")
    .where("merge_from", "in", branches).orderBy("id").execute();
  return new Map(rows.map(({ merge_from, merge_commit }) => [merge_from!, merge_commit!]));
}

export function blocksOf(db: Db, repoId: string, limit: number): Promise<Settlement[]> {
  return db.selectFrom("settlements").selectAll()
    .where("repo_id", "=", repoId).where("to_state", "=", "blocked")
    .where("settled_at", "is not", null).where("state", "=", "done")
    .orderBy("settled_at", "desc").limit(limit).execute();
}

export async function forgetSettlementsOf(db: Db, jobs: readonly string[]): Promise<void> {
  await db.deleteFrom("settlements").where("job_id", "in", [...jobs])
    .where("state", "<>", "pending").execute();
}

/** Those that no job asked for. @param open tickets whose settlements stay @param before epoch ms @returns how many */
export async function forgetJoblessSettlements(
  db: Db,
  repoId: string,
  { open, before, limit }: {
    readonly open: ReadonlySet<string>;
    readonly before: number;
    readonly limit: number;
  },
): Promise<number> {
  const some = db.selectFrom("settlements").select("id").where("repo_id", "=", repoId)
    .where("settled_at", "<", before).where("job_id", "is", null)
    .where(sql<boolean>`(ticket_id IS NULL OR ticket_id NOT IN
      (SELECT value FROM json_each(${JSON.stringify([...open])})))`)
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom("settlements").where("id", "in", some)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** What the job's decision owed to git, and what came of it. */
export function settlementOfJob(db: Db, jobId: string): Promise<Settlement | undefined> {
  return db.selectFrom("settlements").selectAll().where("job_id", "=", jobId)
    .orderBy("id", "desc").limit(1).executeTakeFirst();
}

/** What a decision owed to git, and what came of it. */
export function settlementOfDecision(
  db: Db,
  decisionId: string,
): Promise<Settlement | undefined> {
  return db.selectFrom("settlements").selectAll().where("decision_id", "=", decisionId)
    .orderBy("id", "desc").limit(1).executeTakeFirst();
}

/** The newest that put the ticket among the blocked. */
export function lastBlockOf(
  db: Db,
  repoId: string,
  ticket: string,
): Promise<Settlement | undefined> {
  return db.selectFrom("settlements").selectAll()
    .where("repo_id", "=", repoId).where("ticket_id", "=", ticket)
    .where("to_state", "=", "blocked").where("state", "=", "done")
    .orderBy("settled_at", "desc").orderBy("id", "desc").limit(1).executeTakeFirst();
}

/** How often the machine blocked the ticket. @param since epoch ms */
export async function machineBlocksOf(
  db: Db,
  repoId: string,
  ticket: string,
  since: number,
): Promise<number> {
  const row = await db.selectFrom("settlements").select(sql<number>`count(*)`.as("count"))
    .where("repo_id", "=", repoId).where("ticket_id", "=", ticket)
    .where("to_state", "=", "blocked").where("state", "=", "done")
    .where("fault", "is not", null).where("settled_at", ">=", since)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Queries about jobs; none of them changes a job. */
import { boundedWords } from "svc/core/search_bounds.ts";
import { sharedNow, sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { JobStatus } from "./job_machine.ts";
import type { Job } from "./job_table.ts";

export interface JobFilter {
  readonly repo_id?: string;
  readonly role?: string;
  readonly status?: JobStatus;
  readonly before?: string;
  readonly ticket_id?: string;
  /** Queued then or later; epoch ms. */
  readonly since?: number;
  /** Each word must occur in the job's description, in upper or lower case. */
  readonly words?: readonly string[];
}

/** @throws Failure `usage` for a search that is too long */
export function jobWordsOf(search: string): string[] {
  return boundedWords("jobs", search, search.split(/\s+/).filter((word) => word !== ""));
}

/** What a search looks through; both dialects of SQL read it alike. */
const SEARCHED = sql<string>`lower(id || ' ' || role || ' ' || status || ' ' || trigger || ' ' ||
  coalesce(ticket_id, '') || ' ' || coalesce(model, '') || ' ' || coalesce(disposition, '') ||
  ' ' || coalesce(category, '') || ' ' || coalesce(reason, ''))`;

const somewhere = (word: string) =>
  sql<boolean>`${SEARCHED} LIKE ${`%${
    word.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")
  }%`} ESCAPE '\\'`;

export function jobById(db: Db, id: string): Promise<Job | undefined> {
  return db.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Two mean that `part` is ambiguous. @param part an id, how one begins or how it ends; only `[0-9a-f-]` */
export function jobsNamed(db: Db, part: string): Promise<Job[]> {
  return db.selectFrom("jobs").selectAll()
    .where((is) => is.or([is("id", "like", `${part}%`), is("id", "like", `%${part}`)]))
    .orderBy("id", "desc").limit(2).execute();
}

export function resumesOf(db: Db, repoId: string, path: string): Promise<Job[]> {
  return db.selectFrom("jobs").selectAll().where("repo_id", "=", repoId)
    .where(sql<string>`payload ->> '$.earlier'`, "=", path).orderBy("id", "desc").execute();
}

/** A search by one statement looks through so many jobs, for some 20 ms: on a file all else waits for it. */
const SEARCHED_AT_ONCE = 5_000;

/** Newest first: ids sort by the time of creation. */
export async function recentJobs(db: Db, filter: JobFilter, limit: number): Promise<Job[]> {
  return await jobsByIds(db, await recentJobIds(db, filter, limit));
}

/** As `recentJobs`, without reading more of the jobs than it must. */
export async function recentJobIds(
  db: Db,
  filter: JobFilter,
  limit: number,
  atOnce = SEARCHED_AT_ONCE,
): Promise<string[]> {
  const ids = async (filter: JobFilter & { readonly from?: string }, limit: number, offset = 0) =>
    (await filtered(db, filter).limit(limit).$if(offset > 0, (query) => query.offset(offset))
      .execute())
      .map(({ id }) => id);
  const { words = [], ...plain } = filter;
  if (words.length === 0) return await ids(plain, limit);
  const found: string[] = [];
  for (let { before } = filter;;) {
    const part = { ...plain, ...(before && { before }) };
    const [from] = await ids(part, 1, atOnce - 1);
    found.push(...await ids({ ...part, words, ...(from && { from }) }, limit - found.length));
    if (from === undefined || found.length === limit) return found;
    before = from;
  }
}

/** Newest first; those that are there. */
export async function jobsByIds(db: Db, ids: readonly string[]): Promise<Job[]> {
  const { rows } = await sql<Job>`SELECT job.* FROM json_each(${JSON.stringify(ids)}) AS asked
    CROSS JOIN jobs AS job WHERE job.id = asked.value ORDER BY job.id DESC`.execute(db);
  return rows;
}

/** @param filter `from`: the oldest of interest */
function filtered(db: Db, filter: JobFilter & { readonly from?: string }) {
  const { repo_id, role, status, before, from, ticket_id, since, words = [] } = filter;
  return db.selectFrom("jobs").select("id")
    .$if(repo_id !== undefined, (query) => query.where("repo_id", "=", repo_id!))
    .$if(role !== undefined, (query) => query.where("role", "=", role!))
    .$if(status !== undefined, (query) => query.where("status", "=", status!))
    .$if(before !== undefined, (query) => query.where("id", "<", before!))
    .$if(from !== undefined, (query) => query.where("id", ">=", from!))
    .$if(ticket_id !== undefined, (query) => query.where("ticket_id", "=", ticket_id!))
    .$if(since !== undefined, (query) => query.where("created_at", ">=", since!))
    .$if(words.length > 0, (query) => query.where((is) => is.and(words.map(somewhere))))
    .orderBy("id", "desc");
}

export function runningJobs(db: Db): Promise<Job[]> {
  return db.selectFrom("jobs").selectAll().where("status", "=", "running").orderBy("id").execute();
}

export interface NodeWork {
  readonly running: number;
  /** That its running jobs have asked. */
  readonly models: readonly string[];
}

/** What runs on each node, by its id. */
export async function workByNode(db: Db): Promise<ReadonlyMap<string, NodeWork>> {
  const rows = await db.selectFrom("jobs").leftJoin(
    "job_uses as used",
    (on) =>
      on.onRef("used.job_id", "=", "jobs.id").onRef("used.generation", "=", "jobs.generation"),
  )
    .select(["jobs.id", "jobs.node_id", "used.model"])
    .where("status", "=", "running").where("node_id", "is not", null).execute();
  const byNode = Map.groupBy(rows, ({ node_id }) => node_id!);
  return new Map([...byNode].map(([node, jobs]) => [node, {
    running: new Set(jobs.map(({ id }) => id)).size,
    models: [...new Set(jobs.flatMap(({ model }) => model ?? []))].sort(),
  }]));
}

export function liveJobs(db: Db, repoId: string): Promise<Job[]> {
  return db.selectFrom("jobs").selectAll()
    .where("repo_id", "=", repoId).where("status", "in", ["pending", "running"])
    .orderBy("created_at").orderBy("id").execute();
}

export function jobsOf(db: Db, repoId: string, ticketId: string): Promise<Job[]> {
  return db.selectFrom("jobs").selectAll()
    .where("repo_id", "=", repoId).where("ticket_id", "=", ticketId)
    .orderBy("created_at").orderBy("id").execute();
}

/** Jobs that were given back until a time that has not come, with the reason; without those of a budget. */
export function putOffJobs(
  db: Db,
  { repoIds, now, limit }: {
    readonly repoIds: readonly string[];
    readonly now: number;
    readonly limit: number;
  },
): Promise<Job[]> {
  return db.selectFrom("jobs").selectAll()
    .where("repo_id", "in", [...repoIds]).where("status", "=", "pending")
    .where("run_after", ">", now).where("reason", "is not", null)
    .where((either) =>
      either.or([either("category", "is", null), either("category", "!=", "budget")])
    )
    .orderBy("run_after").orderBy("id").limit(limit).execute();
}

/** The newest job of the ticket that was begun at that time or later. @param since epoch ms */
export function jobBegunSince(
  db: Db,
  { repoId, ticketId, since }: {
    readonly repoId: string;
    readonly ticketId: string;
    readonly since: number;
  },
): Promise<Job | undefined> {
  return db.selectFrom("jobs").selectAll()
    .where("repo_id", "=", repoId).where("ticket_id", "=", ticketId)
    .where("started_at", ">=", since)
    .orderBy("created_at", "desc").orderBy("id", "desc").limit(1).executeTakeFirst();
}

/** Epoch ms at which the ticket's newest job ended; undefined when none has. */
export async function lastEndOf(
  db: Db,
  repoId: string,
  ticketId: string,
): Promise<number | undefined> {
  const row = await db.selectFrom("jobs").select(sql<number | null>`max(finished_at)`.as("at"))
    .where("repo_id", "=", repoId).where("ticket_id", "=", ticketId).executeTakeFirst();
  return row?.at ?? undefined;
}

export function liveJobOf(db: Db, repoId: string, ticketId: string): Promise<Job | undefined> {
  return db.selectFrom("jobs").selectAll()
    .where("repo_id", "=", repoId).where("ticket_id", "=", ticketId)
    .where("status", "in", ["running", "pending"])
    .orderBy("status", "desc").orderBy("created_at").orderBy("id").limit(1).executeTakeFirst();
}

export async function countsByStatus(
  db: Db,
  repoId?: string,
): Promise<Record<JobStatus, number>> {
  const rows = await db.selectFrom("jobs").select(["status", sql<number>`count(*)`.as("count")])
    .$if(repoId !== undefined, (query) => query.where("repo_id", "=", repoId!))
    .groupBy(["repo_id", "status"]).execute();
  const counts = { pending: 0, running: 0, completed: 0, failed: 0 };
  for (const { status, count } of rows) counts[status] += count;
  return counts;
}

/** The owners of all running jobs, as text (`owner.ts`). */
export async function runningOwners(db: Db): Promise<readonly string[]> {
  const rows = await db.selectFrom("jobs").select("lease_owner")
    .where("status", "=", "running").execute();
  return rows.flatMap(({ lease_owner }) => lease_owner ?? []);
}

/**
 * Work that came from outside and that nobody vouched for: a pull request or an event of a stranger's, or a ticket
 * on which the role was denied something for that. A stranger must not be able to stop a role for everybody.
 */
const ASKED_BY_STRANGER = sql<boolean>`(jobs.source_trust = 'observer' AND (jobs.ticket_id IS NULL
  OR EXISTS (SELECT 1 FROM denials WHERE denials.job_id = jobs.id AND denials.part = 'source_trust')))`;

/**
 * Failed and not cancelled, from `since` to `now`, and after the role's last success: not those of a clock that was
 * ahead, nor those of strangers.
 */
export async function failuresInARow(
  db: Db,
  repoId: string,
  role: string,
  { since, now }: { readonly since: number; readonly now: number },
): Promise<number> {
  const row = await db.selectFrom("jobs").select(sql<number>`count(*)`.as("count"))
    .where("status", "=", "failed").where("repo_id", "=", repoId).where("role", "=", role)
    .where("finished_at", ">=", since).where("finished_at", "<=", sharedNow(db, now))
    .where("disposition", "<>", "cancelled").where(({ not }) => not(ASKED_BY_STRANGER))
    .where("finished_at", ">", (is) =>
      is.fn.coalesce(
        is.selectFrom("jobs").select((of) => of.fn.max("finished_at").as("at"))
          .where("status", "=", "completed").where("repo_id", "=", repoId)
          .where("role", "=", role).where("finished_at", ">=", since)
          .where("finished_at", "<=", sharedNow(db, now)),
        is.lit(0),
      ))
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function provenCommit(
  db: Db,
  repoId: string,
  ticketId: string,
): Promise<string | undefined> {
  const row = await db.selectFrom("jobs").select("head_commit")
    .where("repo_id", "=", repoId).where("ticket_id", "=", ticketId)
    .where("disposition", "=", "submitted")
    .orderBy("finished_at", "desc").orderBy("id", "desc").limit(1).executeTakeFirst();
  return row?.head_commit ?? undefined;
}

export async function newestOfTickets(
  db: Db,
  repoId: string,
  tickets: readonly string[],
): Promise<Job[]> {
  const { rows } = await sql<Job>`SELECT job.* FROM json_each(${JSON.stringify(tickets)}) AS asked
    CROSS JOIN jobs AS job WHERE job.id = (SELECT one.id
      FROM jobs AS one INDEXED BY jobs_by_ticket
      WHERE one.repo_id = ${repoId} AND one.ticket_id = asked.value
      ORDER BY one.created_at DESC, one.id DESC LIMIT 1)`.execute(db);
  return rows;
}

export async function newestWithoutTicket(
  db: Db,
  repoId: string,
  roles: readonly string[],
): Promise<Job[]> {
  const { rows } = await sql<Job>`SELECT job.* FROM json_each(${JSON.stringify(roles)}) AS asked
    CROSS JOIN jobs AS job WHERE job.id = (SELECT max(one.id) FROM jobs AS one
      INDEXED BY jobs_without_ticket
      WHERE one.repo_id = ${repoId} AND one.role = asked.value AND one.ticket_id IS NULL)`
    .execute(db);
  return rows;
}

export function newestJobsOf(
  db: Db,
  repoId: string,
  ticketId: string,
  limit: number,
): Promise<Job[]> {
  return db.selectFrom("jobs").selectAll()
    .where("repo_id", "=", repoId).where("ticket_id", "=", ticketId)
    .orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute();
}

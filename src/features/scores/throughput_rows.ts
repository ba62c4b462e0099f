/** Reads what the throughput of one repo is made of. */
import { SCORE_JOBS, THROUGHPUT_TICKETS } from "svc/core/bounds.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { DoneTicket, TimedJob } from "./throughput.ts";

/** Those that ended at `since` or later, and those that have begun and not ended. */
export async function timedJobs(db: Db, repoId: string, since: number): Promise<TimedJob[]> {
  const columns = sql`status, started_at AS startedAt, finished_at AS finishedAt,
    tokens_in + tokens_out AS tokens`;
  const { rows: ended } = await sql<TimedJob>`SELECT ${columns} FROM jobs INDEXED BY jobs_ended
    WHERE repo_id = ${repoId} AND finished_at >= ${since}
    ORDER BY finished_at DESC LIMIT ${SCORE_JOBS}`.execute(db);
  const { rows: live } = await sql<TimedJob>`SELECT ${columns} FROM jobs
    WHERE repo_id = ${repoId} AND status IN ('pending', 'running') AND started_at IS NOT NULL
    LIMIT ${SCORE_JOBS}`.execute(db);
  return [...ended, ...live];
}

/** Tickets that svc moved to done at `since` or later, newest first. */
export async function doneTickets(db: Db, repoId: string, since: number): Promise<DoneTicket[]> {
  const { rows } = await sql<DoneTicket>`SELECT done.doneAt, min(job.started_at) AS beganAt,
    sum(job.tokens_in + job.tokens_out) AS tokens,
    sum(job.disposition IS 'changes_requested') AS requests
    FROM (SELECT ticket_id, max(settled_at) AS doneAt FROM settlements
      WHERE repo_id = ${repoId} AND to_state = 'done' AND settled_at >= ${since}
        AND state = 'done' AND ticket_id IS NOT NULL
      GROUP BY ticket_id ORDER BY doneAt DESC LIMIT ${THROUGHPUT_TICKETS}) AS done
    CROSS JOIN jobs AS job INDEXED BY jobs_by_ticket
      ON job.repo_id = ${repoId} AND job.ticket_id = done.ticket_id
      AND job.started_at IS NOT NULL
    GROUP BY done.ticket_id ORDER BY done.doneAt DESC`.execute(db);
  return rows;
}

/** Epoch ms since which the oldest job of the repo that may run waits; undefined when none does. */
export async function waitsSince(
  db: Db,
  repoId: string,
  now: number,
): Promise<number | undefined> {
  const row = await db.selectFrom("jobs").select(sql<number | null>`min(run_after)`.as("at"))
    .where("repo_id", "=", repoId).where("status", "=", "pending").where("run_after", "<=", now)
    .executeTakeFirst();
  return row?.at ?? undefined;
}

/** How much gets done: jobs by the hour, tickets from the backlog, and from their first job, to done. */
import type { Cost } from "svc/core/cost.ts";
import { SCORE_JOBS, THROUGHPUT_TICKETS } from "svc/core/bounds.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { median } from "./role_scores.ts";

export interface TimedJob {
  readonly status: "pending" | "running" | "completed" | "failed";
  /** Epoch ms. */
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly tokens: number;
  readonly cost: Cost;
}

interface HourCount {
  readonly hour: number;
  readonly completed: number;
  readonly failed: number;
  readonly started: number;
  readonly tokens: number;
}

export const HOUR_MS = 3_600_000;

/** Epoch ms. */
export function firstHour(now: number, hours: number): number {
  return Math.floor(now / HOUR_MS) * HOUR_MS - (hours - 1) * HOUR_MS;
}

export function hourly(
  jobs: readonly Omit<TimedJob, "cost">[],
  now: number,
  hours: number,
): HourCount[] {
  const first = firstHour(now, hours);
  const rows = Array.from({ length: hours }, (_, at) => ({
    hour: first + at * HOUR_MS,
    completed: 0,
    failed: 0,
    started: 0,
    tokens: 0,
  }));
  const at = (time: number | null) =>
    time === null ? undefined : rows[Math.floor((time - first) / HOUR_MS)];
  for (const { status, startedAt, finishedAt, tokens } of jobs) {
    const began = at(startedAt);
    if (began !== undefined) began.started++;
    const ended = at(finishedAt);
    if (ended === undefined) continue;
    if (status === "completed") ended.completed++;
    if (status === "failed") ended.failed++;
    ended.tokens += tokens;
  }
  return rows;
}

/** Times are epoch ms. */
export interface DoneTicket {
  readonly ticket_id: string;
  readonly doneAt: number;
  /** When its first job began. */
  readonly beganAt: number;
  readonly tokens: number;
  /** Times that a review asked for changes. */
  readonly requests: number;
}

export interface FlowedTicket extends DoneTicket {
  /** When it was put into the backlog; undefined where its file is gone. */
  readonly createdAt: number | undefined;
}

/** In ms. */
interface Spread {
  readonly median: number;
  /** Nine of ten took no longer: the value of this rank, not one between two. */
  readonly p90: number;
}

interface TicketFlow {
  readonly done: number;
  /** From the backlog to done. */
  readonly leadTime: Spread | null;
  /** From the first job to done. */
  readonly workTime: Spread | null;
  /** Share from 0 to 1, to two decimals. */
  readonly reworkRate: number | null;
  readonly tokensPerTicket: number | null;
}

function p90(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.9) - 1]!;
}

/** A clock that was set back makes no time negative. */
function spreadOf(times: readonly number[]): Spread | null {
  if (times.length === 0) return null;
  const least = times.map((time) => Math.max(0, time));
  return { median: median(least)!, p90: p90(least) };
}

export function ticketFlow(tickets: readonly FlowedTicket[]): TicketFlow {
  const done = tickets.length;
  const leads = tickets.flatMap(({ doneAt, createdAt }) =>
    createdAt === undefined ? [] : [doneAt - createdAt]
  );
  const reworked = tickets.filter(({ requests }) => requests > 0).length;
  const tokens = tickets.reduce((sum, ticket) => sum + ticket.tokens, 0);
  return {
    done,
    leadTime: spreadOf(leads),
    workTime: spreadOf(tickets.map(({ doneAt, beganAt }) => doneAt - beganAt)),
    reworkRate: done === 0 ? null : Math.round(reworked / done * 100) / 100,
    tokensPerTicket: done === 0 ? null : Math.round(tokens / done),
  };
}

type TimedRow = Omit<TimedJob, "cost"> & Cost;

export async function timedJobs(db: Db, repoId: string, since: number): Promise<TimedJob[]> {
  const columns = sql`status, started_at AS "startedAt", finished_at AS "finishedAt",
    tokens_in + tokens_out AS tokens, cost_basis, cost_usd`;
  const { rows: ended } = await sql<TimedRow>`SELECT ${columns} FROM jobs INDEXED BY jobs_ended
    WHERE repo_id = ${repoId} AND finished_at >= ${since}
    ORDER BY finished_at DESC LIMIT ${SCORE_JOBS}`.execute(db);
  const { rows: live } = await sql<TimedRow>`SELECT ${columns} FROM jobs
    WHERE repo_id = ${repoId} AND status IN ('pending', 'running') AND started_at IS NOT NULL
    LIMIT ${SCORE_JOBS}`.execute(db);
  return [...ended, ...live].map(({ cost_basis, cost_usd, ...job }) => ({
    ...job,
    cost: { cost_basis, cost_usd },
  }));
}

export async function doneTickets(db: Db, repoId: string, since: number): Promise<DoneTicket[]> {
  const { rows } = await sql<DoneTicket>`SELECT done.ticket_id, done."doneAt",
    min(job.started_at) AS "beganAt",
    sum(job.tokens_in + job.tokens_out) AS tokens,
    count(CASE WHEN job.disposition = 'changes_requested' THEN 1 END) AS requests
    FROM (SELECT ticket_id, max(settled_at) AS "doneAt" FROM settlements
      WHERE repo_id = ${repoId} AND to_state = 'done' AND settled_at >= ${since}
        AND state = 'done' AND ticket_id IS NOT NULL
      GROUP BY ticket_id ORDER BY "doneAt" DESC LIMIT ${THROUGHPUT_TICKETS}) AS done
    CROSS JOIN jobs AS job INDEXED BY jobs_by_ticket
      WHERE job.repo_id = ${repoId} AND job.ticket_id = done.ticket_id
      AND job.started_at IS NOT NULL
    GROUP BY done.ticket_id, done."doneAt" ORDER BY done."doneAt" DESC`.execute(db);
  return rows;
}

/** Epoch ms; undefined when no runnable job waits. */
export async function waitsSince(
  db: Db,
  repoId: string,
  now: number,
): Promise<number | undefined> {
  const row = await db.selectFrom("jobs").select(sql<number | null>`min(run_after)`.as("at"))
    .where("repo_id", "=", repoId).where("status", "=", "pending")
    .where((is) => is.or([is("run_after", "<=", now), is("run_after", "=", is.ref("created_at"))]))
    .executeTakeFirst();
  return row?.at ?? undefined;
}

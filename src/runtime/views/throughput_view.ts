/** `GET /api/throughput`: how much gets done, and how long it takes. */
import { THROUGHPUT_HOURS, THROUGHPUT_JOBS } from "svc/core/bounds.ts";
import { costSum } from "svc/core/cost.ts";
import { rfc3339 } from "svc/core/time.ts";
import { countsByStatus } from "svc/features/jobs/job_views.ts";
import {
  type DoneTicket,
  doneTickets,
  firstHour,
  HOUR_MS,
  hourly,
  ticketFlow,
  type TimedJob,
  timedJobs,
  waitsSince,
} from "svc/features/scores/throughput.ts";
import { jobItem, jobShape } from "./job_item.ts";
import { newestJobs } from "./jobs_view.ts";
import { dashboardRead } from "./read.ts";
import { costSumShape, count, type ShapeOf, time, type Z } from "./shape.ts";

const throughputShape = (z: Z) =>
  z.strictObject({
    hourly: z.array(z.strictObject({
      hour: time(z),
      completed: count(z),
      failed: count(z),
      started: count(z),
      tokens: count(z),
    })),
    recent_jobs: z.array(jobShape(z)),
    summary: z.strictObject({
      window_hours: count(z),
      pending: count(z),
      running: count(z),
      completed: count(z),
      failed: count(z),
      tickets_done: count(z),
      /** From a ticket's first job to its state "done". */
      lead_time_secs: z.strictObject({ median: count(z), p90: count(z) }).nullable(),
      /** Share of the tickets done that were reworked, 0 to 1. */
      rework_rate: z.number().nullable(),
      tokens: count(z),
      ...costSumShape(z),
      tokens_per_accepted_ticket: z.number().nullable(),
      queue_age_secs: count(z).nullable(),
    }),
  });
export type Throughput = ShapeOf<typeof throughputShape>;

interface ThroughputRows {
  readonly jobs: readonly TimedJob[];
  readonly tickets: readonly DoneTicket[];
  readonly pending: number;
  readonly running: number;
  /** Since when the oldest job that may run waits, epoch ms, for each repo that has one. */
  readonly waiting: readonly number[];
}

const seconds = (ms: number) => Math.max(0, Math.round(ms / 1000));

function throughputOf(rows: ThroughputRows, now: number): Omit<Throughput, "recent_jobs"> {
  const hours = hourly(rows.jobs, now, THROUGHPUT_HOURS);
  const sum = (of: "completed" | "failed" | "tokens") =>
    hours.reduce((total, hour) => total + hour[of], 0);
  const since = hours[0]!.hour;
  const ended = rows.jobs.filter(({ finishedAt }) => finishedAt !== null && finishedAt >= since);
  const { done, leadTime, reworkRate, tokensPerTicket } = ticketFlow(rows.tickets);
  return {
    hourly: hours.map((one) => ({ ...one, hour: rfc3339(one.hour) })),
    summary: {
      window_hours: THROUGHPUT_HOURS,
      pending: rows.pending,
      running: rows.running,
      completed: sum("completed"),
      failed: sum("failed"),
      tokens: sum("tokens"),
      ...costSum(ended.map(({ cost }) => cost)),
      tickets_done: done,
      lead_time_secs: leadTime === null
        ? null
        : { median: seconds(leadTime.median), p90: seconds(leadTime.p90) },
      rework_rate: reworkRate,
      tokens_per_accepted_ticket: tokensPerTicket,
      queue_age_secs: rows.waiting.length === 0 ? null : seconds(now - Math.min(...rows.waiting)),
    },
  };
}

export const throughputRead = dashboardRead({
  name: "throughput",
  about: "Work done by the hour, recent jobs, and a summary.",
  query: {},
  shape: throughputShape,
  async read({ ports, scope }): Promise<Throughput> {
    const { db, clock } = ports;
    const now = clock.now();
    const since = firstHour(now, THROUGHPUT_HOURS);
    const parts = await Promise.all(scope.repos.map(async ({ id }) => ({
      jobs: await timedJobs(db, id, since),
      tickets: await doneTickets(db, id, now - THROUGHPUT_HOURS * HOUR_MS),
      counts: await countsByStatus(db, id),
      waits: await waitsSince(db, id, now),
    })));
    const rows = {
      jobs: parts.flatMap(({ jobs }) => jobs),
      tickets: parts.flatMap(({ tickets }) => tickets),
      pending: parts.reduce((total, { counts }) => total + counts.pending, 0),
      running: parts.reduce((total, { counts }) => total + counts.running, 0),
      waiting: parts.flatMap(({ waits }) => waits ?? []),
    };
    const recent = await newestJobs(ports, scope, {}, THROUGHPUT_JOBS);
    return {
      ...throughputOf(rows, now),
      recent_jobs: recent.map((job) => jobItem(job, scope, now)),
    };
  },
});

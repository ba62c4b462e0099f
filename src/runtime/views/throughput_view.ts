/** `GET /api/throughput`: how much was done, and how long it took. */
import { THROUGHPUT_HOURS, THROUGHPUT_JOBS } from "svc/core/bounds.ts";
import { costSum } from "svc/core/cost.ts";
import { rfc3339 } from "svc/core/time.ts";
import { countsByStatus } from "svc/features/jobs/job_views.ts";
import {
  doneTickets,
  firstHour,
  type FlowedTicket,
  HOUR_MS,
  hourly,
  ticketFlow,
  type TimedJob,
  timedJobs,
  waitsSince,
} from "svc/features/scores/throughput.ts";
import { type Card, ZONES } from "./card.ts";
import { jobItem, jobShape } from "./job_item.ts";
import { newestJobs } from "./jobs_view.ts";
import { cardsOf } from "./pipeline_view.ts";
import { dashboardRead } from "./read.ts";
import { readBoards } from "./repo_boards.ts";
import { costSumShape, count, type ShapeOf, time, type Z } from "./shape.ts";

const spreadShape = (z: Z) => z.strictObject({ median: count(z), p90: count(z) });

const waitShape = (z: Z) =>
  z.strictObject({
    repo_id: z.string(),
    repo: z.string(),
    ticket_id: z.string(),
    title: z.string(),
    state: z.string(),
    zone: z.enum(ZONES),
    /** For what. */
    why: z.string(),
    since: time(z),
    secs: count(z),
  });

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
      /** Days that `tickets_done`, the times and rates are about. */
      ticket_days: count(z),
      /** From the backlog to "done". */
      lead_time_secs: spreadShape(z).nullable(),
      /** From a ticket's first job to "done". */
      work_time_secs: spreadShape(z).nullable(),
      /** Share of the tickets done of which a review asked for changes, 0 to 1. */
      rework_rate: z.number().nullable(),
      tokens: count(z),
      ...costSumShape(z),
      tokens_per_accepted_ticket: z.number().nullable(),
      queue_age_secs: count(z).nullable(),
      /** Tickets that wait now, the longest wait first; at most some of them. */
      longest_waits: z.array(waitShape(z)),
    }),
  });
export type Throughput = ShapeOf<typeof throughputShape>;

interface ThroughputRows {
  readonly jobs: readonly TimedJob[];
  readonly tickets: readonly FlowedTicket[];
  readonly days: number;
  readonly waits: Throughput["summary"]["longest_waits"];
  readonly pending: number;
  readonly running: number;
  /** Since when the oldest job that may run waits, epoch ms, for each repo that has one. */
  readonly waiting: readonly number[];
}

const seconds = (ms: number) => Math.max(0, Math.round(ms / 1000));

const inSeconds = (spread: { readonly median: number; readonly p90: number } | null) =>
  spread && { median: seconds(spread.median), p90: seconds(spread.p90) };

const WAITING = 10;

/** Cards of tickets that nobody works on now. */
function longestWaits(cards: readonly Card[], now: number): Throughput["summary"]["longest_waits"] {
  return cards
    .filter(({ zone }) => zone !== "working" && zone !== "done")
    .flatMap(({ repo_id, repo, ticket_id, title, ticket_state: state, zone, why, since }) =>
      ticket_id === null || state === null || since === null ? [] : [{
        ...{ repo_id, repo, ticket_id, title, state, zone, why, since },
        secs: seconds(now - Date.parse(since)),
      }]
    )
    .sort((a, b) => b.secs - a.secs || (a.ticket_id < b.ticket_id ? -1 : 1))
    .slice(0, WAITING);
}

function throughputOf(
  rows: ThroughputRows,
  now: number,
): Pick<Throughput, "hourly" | "summary"> {
  const hours = hourly(rows.jobs, now, THROUGHPUT_HOURS);
  const sum = (of: "completed" | "failed" | "tokens") =>
    hours.reduce((total, hour) => total + hour[of], 0);
  const since = hours[0]!.hour;
  const ended = rows.jobs.filter(({ finishedAt }) => finishedAt !== null && finishedAt >= since);
  const { done, leadTime, workTime, reworkRate, tokensPerTicket } = ticketFlow(rows.tickets);
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
      ticket_days: rows.days,
      lead_time_secs: inSeconds(leadTime),
      work_time_secs: inSeconds(workTime),
      rework_rate: reworkRate,
      tokens_per_accepted_ticket: tokensPerTicket,
      longest_waits: rows.waits,
      queue_age_secs: rows.waiting.length === 0 ? null : seconds(now - Math.min(...rows.waiting)),
    },
  };
}

const TICKET_DAYS = ["1", "7", "30"] as const;

const DAY_MS = 24 * HOUR_MS;

export const throughputRead = dashboardRead({
  name: "throughput",
  about: "Work done by the hour, recent jobs, what waits longest, and a summary; " +
    "`days` says how far back tickets done are counted (1).",
  query: { days: TICKET_DAYS },
  shape: throughputShape,
  async read({ ports, board, scope }, { days: asked = "1" }): Promise<Throughput> {
    const { db, clock } = ports;
    const now = clock.now();
    const days = Number(asked);
    const since = firstHour(now, THROUGHPUT_HOURS);
    const { service, repos } = await readBoards(ports, board, scope);
    const createdIn = new Map(repos.map(({ id, files }) => [
      id,
      new Map(files.tickets.map((ticket) => [ticket.id, Date.parse(ticket.created)])),
    ]));
    const parts = await Promise.all(scope.repos.map(async ({ id }) => ({
      jobs: await timedJobs(db, id, since),
      tickets: (await doneTickets(db, id, now - days * DAY_MS)).map((ticket) => ({
        ...ticket,
        createdAt: createdIn.get(id)?.get(ticket.ticket_id),
      })),
      counts: await countsByStatus(db, id),
      waits: await waitsSince(db, id, now),
    })));
    const rows = {
      days,
      waits: longestWaits(cardsOf(service, repos).cards, now),
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

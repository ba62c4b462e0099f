/** How much gets done: jobs by the hour, tickets from their first job to done. Pure. */
import { median } from "./role_scores.ts";

export interface TimedJob {
  readonly status: "pending" | "running" | "completed" | "failed";
  /** Epoch ms, as both. */
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly tokens: number;
}

export interface HourCount {
  /** When it began, epoch ms. */
  readonly hour: number;
  readonly completed: number;
  readonly failed: number;
  readonly started: number;
  readonly tokens: number;
}

export const HOUR_MS = 3_600_000;

/** When the first hour of the window begins. */
export function firstHour(now: number, hours: number): number {
  return Math.floor(now / HOUR_MS) * HOUR_MS - (hours - 1) * HOUR_MS;
}

/** Oldest first, none left out; the last one is the hour that `now` is in. */
export function hourly(jobs: readonly TimedJob[], now: number, hours: number): HourCount[] {
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

/** A ticket that was done, with what it took. */
export interface DoneTicket {
  readonly doneAt: number;
  /** When its first job began. */
  readonly beganAt: number;
  readonly tokens: number;
  /** Jobs that asked for changes. */
  readonly requests: number;
}

export interface TicketFlow {
  readonly done: number;
  /** In ms. */
  readonly leadTime: { readonly median: number; readonly p90: number } | null;
  /** 0 to 1, to two decimals. */
  readonly reworkRate: number | null;
  readonly tokensPerTicket: number | null;
}

/** Nearest rank: the smallest value that nine in ten do not exceed. */
function p90(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.9) - 1]!;
}

export function ticketFlow(tickets: readonly DoneTicket[]): TicketFlow {
  const done = tickets.length;
  if (done === 0) return { done, leadTime: null, reworkRate: null, tokensPerTicket: null };
  const times = tickets.map(({ doneAt, beganAt }) => Math.max(0, doneAt - beganAt));
  const reworked = tickets.filter(({ requests }) => requests > 0).length;
  const tokens = tickets.reduce((sum, ticket) => sum + ticket.tokens, 0);
  return {
    done,
    leadTime: { median: median(times)!, p90: p90(times) },
    reworkRate: Math.round(reworked / done * 100) / 100,
    tokensPerTicket: Math.round(tokens / done),
  };
}

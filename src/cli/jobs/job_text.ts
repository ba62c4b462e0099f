/** How jobs look in tables and lines, and how a person names one. */
import { required, text } from "svc/cli/flags.ts";
import { duration } from "svc/core/time.ts";
import { isDue } from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { ServiceFacts } from "svc/runtime/views/board_facts.ts";
import { heldWhy, laneOf, pausedWhy, roomWhy } from "svc/runtime/views/pending_wait.ts";

/** The argument of each command about one job. */
export const JOB = required(text("job", "Id of a job, or the beginning or end of it"));

/** Enough to name it, and what other lines of svc show. */
export const shortId = (id: string) => id.slice(-8);

const UNITS = [["d", 86_400_000], ["h", 3_600_000], ["min", 60_000]] as const;

/** `3 d`, `5 h`, `7 min`, `12 s`. */
export function ageText(ms: number): string {
  const unit = UNITS.find(([, length]) => ms >= length);
  return unit === undefined
    ? `${Math.max(0, Math.round(ms / 1000))} s`
    : `${Math.floor(ms / unit[1])} ${unit[0]}`;
}

interface WhyFacts {
  readonly service: ServiceFacts;
  /** See `isAbandoned`. */
  readonly abandoned: boolean;
}

const inLine = (sentence: string) => sentence[0]!.toLowerCase() + sentence.slice(1);

/** Why it is in its state, in one line. */
export function whyText(job: Job, { service, abandoned }: WhyFacts): string {
  const { now, lanes } = service;
  const { status, disposition, reason, cancel_requested, run_after, started_at } = job;
  if (abandoned) {
    return `its process died; svc start ${
      cancel_requested === 1 ? "ends it" : "takes it up again"
    }`;
  }
  if (status === "running") {
    if (cancel_requested === 1) return "is being stopped";
    return `works${started_at === null ? "" : `, ${duration(Math.max(0, now - started_at))} now`}`;
  }
  const because = reason === null ? "" : `: ${reason}`;
  if (status !== "pending") return `${disposition}${because}`;
  const paused = pausedWhy(service);
  if (paused !== undefined) return inLine(paused);
  const lane = laneOf(job, lanes);
  if (lane !== undefined) return `held back: ${lane.reason}`;
  if (isDue(job, now)) {
    return inLine(heldWhy(job, service) ?? roomWhy(job, service) ?? `waits for a worker${because}`);
  }
  return `waits until ${new Date(run_after).toISOString().slice(0, 19)}Z${because}`;
}

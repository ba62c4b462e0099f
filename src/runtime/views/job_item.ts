/** A stored job as the API shows it. Pure. */
import { DISPOSITIONS, FAILURE_CATEGORIES } from "svc/core/disposition.ts";
import { statesOf } from "svc/core/machine.ts";
import { rfc3339 } from "svc/core/time.ts";
import { jobMachine } from "svc/features/jobs/job_machine.ts";
import { type Job, TRIGGERS } from "svc/features/jobs/job_table.ts";
import { costShape, count, pick, type ShapeOf, time, type Z } from "./shape.ts";
import type { Scope } from "./view_ports.ts";

export const jobShape = (z: Z) =>
  z.strictObject({
    id: z.string(),
    repo_id: z.string(),
    repo: z.string(),
    role: z.string(),
    ticket_id: z.string().nullable(),
    trigger: z.enum(TRIGGERS),
    status: z.enum(statesOf(jobMachine)),
    disposition: z.enum(DISPOSITIONS).nullable(),
    category: z.enum(FAILURE_CATEGORIES).nullable(),
    reason: z.string().nullable(),
    attempt: count(z),
    max_attempts: count(z),
    created_at: time(z),
    run_after: time(z),
    started_at: time(z).nullable(),
    finished_at: time(z).nullable(),
    /** Duration of the newest attempt, until now while it runs. */
    duration_secs: count(z).nullable(),
    turns: count(z),
    tool_calls: count(z),
    tokens_in: count(z),
    tokens_out: count(z),
    tokens_cached: count(z),
    ...costShape(z),
    model: z.string().nullable(),
    evidence: z.enum(["live", "fixture"]).nullable(),
    commit: z.string().nullable(),
    caused_by: z.string().nullable(),
    /** Where it runs, or ran last; absent where one machine has the database. */
    node: z.string().optional(),
  });
export type JobItem = ShapeOf<typeof jobShape>;

function durationOf({ status, started_at, finished_at }: Job, now: number): number | null {
  if (started_at === null || status === "pending") return null; // it waits
  return Math.max(0, Math.round(((finished_at ?? now) - started_at) / 1000));
}

export function taskOf({ payload }: Pick<Job, "payload">): string | null {
  const { task } = JSON.parse(payload) as { readonly task?: unknown };
  return typeof task === "string" ? task : null;
}

const timeOrNull = (at: number | null) => at === null ? null : rfc3339(at);

export function jobItem(
  job: Job,
  scope: Pick<Scope, "nameOf" | "nodeName">,
  now: number,
): JobItem {
  const node = scope.nodeName(job.node_id);
  return {
    ...pick(job, "id", "repo_id", "role", "ticket_id", "trigger", "status", "disposition"),
    ...pick(job, "category", "reason", "attempt", "max_attempts", "turns", "tool_calls"),
    ...pick(job, "tokens_in", "tokens_out", "model", "evidence", "caused_by"),
    ...pick(job, "tokens_cached", "cost_basis", "cost_usd"),
    repo: scope.nameOf(job.repo_id),
    created_at: rfc3339(job.created_at),
    run_after: rfc3339(job.run_after),
    started_at: timeOrNull(job.started_at),
    finished_at: timeOrNull(job.finished_at),
    duration_secs: durationOf(job, now),
    commit: job.head_commit,
    ...(node !== undefined && { node }),
  };
}

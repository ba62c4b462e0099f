/** A stored job as the API shows it. Pure. */
import { rfc3339 } from "svc/core/time.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { JobItem } from "./shapes.ts";
import type { Scope } from "./view_ports.ts";

/** Whole seconds of the newest attempt; null for a job that waits. */
function durationOf({ status, started_at, finished_at }: Job, now: number): number | null {
  if (started_at === null || status === "pending") return null;
  return Math.max(0, Math.round(((finished_at ?? now) - started_at) / 1000));
}

const timeOrNull = (at: number | null) => at === null ? null : rfc3339(at);

export function jobItem(job: Job, scope: Pick<Scope, "nameOf">, now: number): JobItem {
  const { id, repo_id, role, ticket_id, trigger, status, disposition, category, reason } = job;
  const { attempt, max_attempts, turns, tool_calls, tokens_in, tokens_out } = job;
  const { model, evidence, head_commit: commit, caused_by } = job;
  return {
    id,
    repo_id,
    repo: scope.nameOf(repo_id),
    role,
    ticket_id,
    trigger,
    status,
    disposition,
    category,
    reason,
    attempt,
    max_attempts,
    created_at: rfc3339(job.created_at),
    run_after: rfc3339(job.run_after),
    started_at: timeOrNull(job.started_at),
    finished_at: timeOrNull(job.finished_at),
    duration_secs: durationOf(job, now),
    turns,
    tool_calls,
    tokens_in,
    tokens_out,
    model,
    evidence,
    commit,
    caused_by,
  };
}

/** Jobs (spec section 2.2): one run of one role on one repo, optionally for one ticket. */
import type { Disposition, FailureCategory } from "svc/core/disposition.ts";
import type { TrustLevel } from "svc/core/permission.ts";
import { integer, integerOrNull, type Row, text, textOrNull } from "svc/store/columns.ts";
import type { JobStatus } from "./job_machine.ts";

export const TRIGGERS = [
  "manual",
  "bootstrap",
  "route",
  "ticket",
  "cron",
  "webhook",
  "scan_complete",
  "liveness",
] as const;
export type Trigger = typeof TRIGGERS[number];

export const table = {
  name: "jobs",
  columns: {
    /** UUIDv7. */
    id: text(),
    repo_id: text(),
    role: text(),
    ticket_id: textOrNull(),
    trigger: text<Trigger>(),
    /** Trust in whoever asked for the job. */
    source_trust: text<TrustLevel>(),
    /** JSON object: what the trigger says, such as a task in words. */
    payload: text(),
    status: text<JobStatus>(),
    /** Set exactly in final states. */
    disposition: textOrNull<Disposition>(),
    /** Why the last failed attempt failed. */
    category: textOrNull<FailureCategory>(),
    /** In words: the role's evidence, why it waits, or why it failed. */
    reason: textOrNull(),
    /** Number of attempts so far, the running one included. */
    attempt: integer(),
    max_attempts: integer(),
    /** Number of processes that died while they ran the job. */
    crashes: integer(),
    /** Grows with each claim; every write of an outcome carries it. */
    generation: integer(),
    /** Epoch ms, as all times here. */
    run_after: integer(),
    /** The lowest number runs first. */
    priority: integer(),
    /** 1: other jobs of this role may run on this repo at the same time. */
    parallel: integer(),
    /** Host, boot, process and worker (`owner.ts`); set exactly while running. */
    lease_owner: textOrNull(),
    lease_until: integerOrNull(),
    heartbeat_at: integerOrNull(),
    /** 1: its worker has to stop. */
    cancel_requested: integer(),
    created_at: integer(),
    /** Start of the newest attempt. */
    started_at: integerOrNull(),
    /** Set exactly in final states. */
    finished_at: integerOrNull(),
    turns: integer(),
    tokens_in: integer(),
    tokens_out: integer(),
    tool_calls: integer(),
    /** Provider and model; pausing this lane holds the job back. */
    lane: textOrNull(),
    model: textOrNull(),
    /** Whether a real model did the work. */
    evidence: textOrNull<"live" | "fixture">(),
    /** Last commit of its work. */
    head_commit: textOrNull(),
    trace_path: textOrNull(),
    /** Id of the decision that queued the job. */
    caused_by: textOrNull(),
    /** Makes enqueueing idempotent while a job with this key is pending or running. */
    unique_key: textOrNull(),
  },
};
export type Job = Row<typeof table>;

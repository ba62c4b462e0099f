/** Jobs (spec section 2.2): one run of one role on one repo, optionally for one ticket. */
import type { Disposition, FailureCategory } from "svc/core/disposition.ts";
import type { TrustLevel } from "svc/core/permission.ts";
import type { Table } from "svc/store/columns.ts";
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

export interface JobTable {
  /** UUIDv7. */
  id: string;
  repo_id: string;
  role: string;
  ticket_id: string | null;
  trigger: Trigger;
  /** Of whoever asked for it. */
  source_trust: TrustLevel;
  /** JSON object: what the trigger says, such as a task in words. */
  payload: string;
  status: JobStatus;
  /** Exactly in final states. */
  disposition: Disposition | null;
  /** Of the last attempt that failed. */
  category: FailureCategory | null;
  /** In words: the role's evidence, why it waits, or why it failed. */
  reason: string | null;
  /** Attempts that were used, the running one included. */
  attempt: number;
  max_attempts: number;
  /** Processes that died while they ran it. */
  crashes: number;
  /** Grows with each claim; every write of an outcome carries it. */
  generation: number;
  /** Epoch ms, as all times here. */
  run_after: number;
  /** Lower goes first. */
  priority: number;
  /** 1: other jobs of this role may run on this repo meanwhile. */
  parallel: number;
  /** Names host, boot, process and worker; exactly while running. */
  lease_owner: string | null;
  lease_until: number | null;
  heartbeat_at: number | null;
  /** 1: whoever runs it is to stop. */
  cancel_requested: number;
  created_at: number;
  /** Of the newest attempt. */
  started_at: number | null;
  /** Exactly in final states. */
  finished_at: number | null;
  turns: number;
  tokens_in: number;
  tokens_out: number;
  tool_calls: number;
  /** Provider and model; what a paused lane holds back. */
  lane: string | null;
  model: string | null;
  /** Whether a real model did the work. */
  evidence: "live" | "fixture" | null;
  /** Commit that its work ended at. */
  head_commit: string | null;
  trace_path: string | null;
  /** Decision that asked for it. */
  caused_by: string | null;
  /** Makes enqueueing idempotent while a job of that key is not final. */
  unique_key: string | null;
}
export type Job = JobTable;

export const table: Table<JobTable> = {
  name: "jobs",
  columns: {
    id: "TEXT NOT NULL",
    repo_id: "TEXT NOT NULL",
    role: "TEXT NOT NULL",
    ticket_id: "TEXT",
    trigger: "TEXT NOT NULL",
    source_trust: "TEXT NOT NULL",
    payload: "TEXT NOT NULL",
    status: "TEXT NOT NULL",
    disposition: "TEXT",
    category: "TEXT",
    reason: "TEXT",
    attempt: "INTEGER NOT NULL",
    max_attempts: "INTEGER NOT NULL",
    crashes: "INTEGER NOT NULL",
    generation: "INTEGER NOT NULL",
    run_after: "INTEGER NOT NULL",
    priority: "INTEGER NOT NULL",
    parallel: "INTEGER NOT NULL",
    lease_owner: "TEXT",
    lease_until: "INTEGER",
    heartbeat_at: "INTEGER",
    cancel_requested: "INTEGER NOT NULL",
    created_at: "INTEGER NOT NULL",
    started_at: "INTEGER",
    finished_at: "INTEGER",
    turns: "INTEGER NOT NULL",
    tokens_in: "INTEGER NOT NULL",
    tokens_out: "INTEGER NOT NULL",
    tool_calls: "INTEGER NOT NULL",
    lane: "TEXT",
    model: "TEXT",
    evidence: "TEXT",
    head_commit: "TEXT",
    trace_path: "TEXT",
    caused_by: "TEXT",
    unique_key: "TEXT",
  },
};

/** Jobs (spec section 2.2): one run of one role on one repo, optionally for one ticket. */
import type { Disposition, FailureCategory } from "svc/core/disposition.ts";
import type { CostBasis } from "svc/core/cost.ts";
import type { Profile, TrustLevel } from "svc/core/permission.ts";
import {
  integer,
  integerOrNull,
  realOrNull,
  type Row,
  text,
  textOrNull,
} from "svc/store/columns.ts";
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
    id: text(),
    repo_id: text(),
    role: text(),
    ticket_id: textOrNull(),
    trigger: text<Trigger>(),
    source_trust: text<TrustLevel>(),
    /** Only a service of this profile runs it. */
    profile: text<Profile>(),
    /** JSON object from the trigger. */
    payload: text(),
    status: text<JobStatus>(),
    disposition: textOrNull<Disposition>(),
    category: textOrNull<FailureCategory>(),
    reason: textOrNull(),
    attempt: integer(),
    max_attempts: integer(),
    crashes: integer(),
    /** Every write of an outcome carries it. */
    generation: integer(),
    /** Epoch ms, as all times here. */
    run_after: integer(),
    priority: integer(),
    /** 1: other jobs of this role may run on this repo at the same time. */
    parallel: integer(),
    /** As in `owner.ts`; set exactly while running. */
    lease_owner: textOrNull(),
    lease_until: integerOrNull(),
    heartbeat_at: integerOrNull(),
    /** 1: its worker has to stop. */
    cancel_requested: integer(),
    created_at: integer(),
    started_at: integerOrNull(),
    finished_at: integerOrNull(),
    turns: integer(),
    tokens_in: integer(),
    tokens_out: integer(),
    tool_calls: integer(),
    lane: textOrNull(),
    model: textOrNull(),
    evidence: textOrNull<"live" | "fixture">(),
    head_commit: textOrNull(),
    trace_path: textOrNull(),
    caused_by: textOrNull(),
    unique_key: textOrNull(),
    /** Those among `tokens_in` that the server had in its cache. */
    tokens_cached: integer(),
    /** Set when a job ends that asked a model. */
    cost_basis: textOrNull<CostBasis>(),
    /** Dollars; set exactly with the basis `price`. */
    cost_usd: realOrNull(),
    /** The node that runs it, or ran it last; null where the database is a file. */
    node_id: textOrNull(),
    /** What a node must be able to do, as its `abilities`; null: any node may. */
    needs: textOrNull(),
  },
};
export type Job = Row<typeof table>;

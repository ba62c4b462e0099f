/** All tables, each typed by the feature that owns it. */
import type { table as host_limits } from "svc/features/access/host_limit_table.ts";
import type { table as base_checks } from "svc/features/checks/base_check_table.ts";
import type { table as checks } from "svc/features/checks/check_table.ts";
import type { table as check_waivers } from "svc/features/checks/waiver_table.ts";
import type { table as model_profiles } from "svc/features/models/local/profile_table.ts";
import type { table as code_evidence } from "svc/features/code_intel/evidence_table.ts";
import type { table as jobs } from "svc/features/jobs/job_table.ts";
import type { table as job_commits } from "svc/features/jobs/commit_table.ts";
import type { table as job_notes } from "svc/features/jobs/note_table.ts";
import type { table as job_uses } from "svc/features/jobs/use_table.ts";
import type { table as lanes } from "svc/features/jobs/lane_table.ts";
import type { table as queue_state } from "svc/features/jobs/queue_table.ts";
import type { table as schedules } from "svc/features/jobs/schedule_table.ts";
import type { table as repos } from "svc/features/repos/repo_table.ts";
import type { table as removals } from "svc/features/retention/removal_table.ts";
import type { table as retention_state } from "svc/features/retention/state_table.ts";
import type { table as decisions } from "svc/features/routing/decision_table.ts";
import type { table as merge_checks } from "svc/features/routing/merge_check_table.ts";
import type { table as pull_requests } from "svc/features/routing/pull_request_table.ts";
import type { table as settlements } from "svc/features/routing/settlement_table.ts";
import type { table as events } from "svc/features/telemetry/event_table.ts";
import type { table as tool_approvals } from "svc/features/tools/custom/approval_table.ts";
import type { table as denials } from "svc/features/trust/denial_table.ts";
import type { table as trust_audit } from "svc/features/trust/trust_audit_table.ts";
import type { table as trust } from "svc/features/trust/trust_table.ts";
import type { table as deliveries } from "svc/features/webhooks/delivery_table.ts";
import type { table as wishes } from "svc/features/webhooks/request_table.ts";
import type { StoredTable } from "./columns.ts";
import type { table as meta } from "./meta_table.ts";
import type { Kysely } from "./query.ts";

export interface Schema {
  meta: StoredTable<typeof meta>;
  repos: StoredTable<typeof repos>;
  host_limits: StoredTable<typeof host_limits>;
  checks: StoredTable<typeof checks>;
  base_checks: StoredTable<typeof base_checks>;
  check_waivers: StoredTable<typeof check_waivers>;
  code_evidence: StoredTable<typeof code_evidence>;
  jobs: StoredTable<typeof jobs>;
  job_commits: StoredTable<typeof job_commits>;
  job_notes: StoredTable<typeof job_notes>;
  job_uses: StoredTable<typeof job_uses>;
  lanes: StoredTable<typeof lanes>;
  queue_state: StoredTable<typeof queue_state>;
  schedules: StoredTable<typeof schedules>;
  model_profiles: StoredTable<typeof model_profiles>;
  decisions: StoredTable<typeof decisions>;
  settlements: StoredTable<typeof settlements>;
  merge_checks: StoredTable<typeof merge_checks>;
  pull_requests: StoredTable<typeof pull_requests>;
  events: StoredTable<typeof events>;
  tool_approvals: StoredTable<typeof tool_approvals>;
  trust: StoredTable<typeof trust>;
  trust_audit: StoredTable<typeof trust_audit>;
  denials: StoredTable<typeof denials>;
  deliveries: StoredTable<typeof deliveries>;
  removals: StoredTable<typeof removals>;
  retention_state: StoredTable<typeof retention_state>;
  wishes: StoredTable<typeof wishes>;
}

/** A database, or a transaction on one. */
export type Db = Kysely<Schema>;

/** All tables, each typed by the feature that owns it. */
import type { table as checks } from "svc/features/checks/check_table.ts";
import type { table as model_profiles } from "svc/features/models/local/profile_table.ts";
import type { table as code_evidence } from "svc/features/code_intel/evidence_table.ts";
import type { table as jobs } from "svc/features/jobs/job_table.ts";
import type { table as lanes } from "svc/features/jobs/lane_table.ts";
import type { table as queue_state } from "svc/features/jobs/queue_table.ts";
import type { table as schedules } from "svc/features/jobs/schedule_table.ts";
import type { table as repos } from "svc/features/repos/repo_table.ts";
import type { table as decisions } from "svc/features/routing/decision_table.ts";
import type { table as pull_requests } from "svc/features/routing/pull_request_table.ts";
import type { table as settlements } from "svc/features/routing/settlement_table.ts";
import type { table as events } from "svc/features/telemetry/event_table.ts";
import type { table as tool_approvals } from "svc/features/tools/custom/approval_table.ts";
import type { table as denials } from "svc/features/trust/denial_table.ts";
import type { table as trust_audit } from "svc/features/trust/trust_audit_table.ts";
import type { table as trust } from "svc/features/trust/trust_table.ts";
import type { table as deliveries } from "svc/features/webhooks/delivery_table.ts";
import type { table as wishes } from "svc/features/webhooks/wish_table.ts";
import type { Stored } from "./columns.ts";
import type { table as meta } from "./meta_table.ts";
import type { Kysely } from "./query.ts";

export interface Schema {
  meta: Stored<typeof meta>;
  repos: Stored<typeof repos>;
  checks: Stored<typeof checks>;
  code_evidence: Stored<typeof code_evidence>;
  jobs: Stored<typeof jobs>;
  lanes: Stored<typeof lanes>;
  queue_state: Stored<typeof queue_state>;
  schedules: Stored<typeof schedules>;
  model_profiles: Stored<typeof model_profiles>;
  decisions: Stored<typeof decisions>;
  settlements: Stored<typeof settlements>;
  pull_requests: Stored<typeof pull_requests>;
  events: Stored<typeof events>;
  tool_approvals: Stored<typeof tool_approvals>;
  trust: Stored<typeof trust>;
  trust_audit: Stored<typeof trust_audit>;
  denials: Stored<typeof denials>;
  deliveries: Stored<typeof deliveries>;
  wishes: Stored<typeof wishes>;
}

/** A database, or a transaction on one. */
export type Db = Kysely<Schema>;

/** All tables, each typed by the feature that owns it. */
import type { CheckTable } from "svc/features/checks/check_table.ts";
import type { ModelProfileTable } from "svc/features/models/local/profile_table.ts";
import type { EvidenceTable } from "svc/features/code_intel/evidence_table.ts";
import type { JobTable } from "svc/features/jobs/job_table.ts";
import type { LaneTable } from "svc/features/jobs/lane_table.ts";
import type { QueueTable } from "svc/features/jobs/queue_table.ts";
import type { ScheduleTable } from "svc/features/jobs/schedule_table.ts";
import type { RepoTable } from "svc/features/repos/repo_table.ts";
import type { DecisionTable } from "svc/features/routing/decision_table.ts";
import type { PullRequestTable } from "svc/features/routing/pull_request_table.ts";
import type { SettlementTable } from "svc/features/routing/settlement_table.ts";
import type { EventTable } from "svc/features/telemetry/event_table.ts";
import type { ToolApprovalTable } from "svc/features/tools/custom/approval_table.ts";
import type { DenialTable } from "svc/features/trust/denial_table.ts";
import type { TrustAuditTable } from "svc/features/trust/trust_audit_table.ts";
import type { TrustTable } from "svc/features/trust/trust_table.ts";
import type { DeliveryTable } from "svc/features/webhooks/delivery_table.ts";
import type { WishTable } from "svc/features/webhooks/wish_table.ts";
import type { MetaTable } from "./meta_table.ts";
import type { Kysely } from "./query.ts";

export interface Schema {
  meta: MetaTable;
  repos: RepoTable;
  checks: CheckTable;
  code_evidence: EvidenceTable;
  jobs: JobTable;
  lanes: LaneTable;
  queue_state: QueueTable;
  schedules: ScheduleTable;
  model_profiles: ModelProfileTable;
  decisions: DecisionTable;
  settlements: SettlementTable;
  pull_requests: PullRequestTable;
  events: EventTable;
  tool_approvals: ToolApprovalTable;
  trust: TrustTable;
  trust_audit: TrustAuditTable;
  denials: DenialTable;
  deliveries: DeliveryTable;
  wishes: WishTable;
}

/** A database, or a transaction on one. */
export type Db = Kysely<Schema>;

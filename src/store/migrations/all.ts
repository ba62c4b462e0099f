/** Every migration, oldest first. A released one is never edited: databases hold its checksum. */
import { statements as reposAndChecks } from "./0001_repos_and_checks.ts";
import { statements as trust } from "./0002_trust.ts";
import { statements as jobs } from "./0003_jobs.ts";
import { statements as modelProfiles } from "./0004_model_profiles.ts";
import { statements as toolApprovals } from "./0005_tool_approvals.ts";
import { statements as decisionsAndEvents } from "./0006_decisions_and_events.ts";
import { statements as schedules } from "./0007_schedules.ts";
import { statements as deliveries } from "./0008_deliveries.ts";
import { statements as outcomes } from "./0009_outcomes.ts";
import { statements as views } from "./0010_views.ts";
import { statements as codeEvidence } from "./0011_code_evidence.ts";
import { statements as cost } from "./0012_cost.ts";
import { statements as jobProfile } from "./0013_job_profile.ts";
import { statements as baseChecks } from "./0014_base_checks.ts";
import { statements as retention } from "./0015_retention.ts";
import { statements as mergeChecks } from "./0016_merge_checks.ts";
import { statements as jobUses } from "./0017_job_uses.ts";
import { statements as jobCommits } from "./0018_job_commits.ts";
import { statements as jobNotes } from "./0019_job_notes.ts";
import { statements as repoHosts } from "./0020_repo_hosts.ts";
import { statements as hostLimits } from "./0021_host_limits.ts";
import { statements as telemetry } from "./0022_telemetry.ts";
import { statements as useModels } from "./0023_use_models.ts";
import { statements as services } from "./0024_services.ts";
import { statements as nodes } from "./0025_nodes.ts";
import { statements as nodeRetention } from "./0026_node_retention.ts";
import { statements as nodeWords } from "./0027_node_words.ts";
import { statements as jobLimits } from "./0028_job_limits.ts";
import { statements as repoLeases } from "./0029_repo_leases.ts";

export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

export const MIGRATIONS: readonly Migration[] = [
  { name: "0001_repos_and_checks", statements: reposAndChecks },
  { name: "0002_trust", statements: trust },
  { name: "0003_jobs", statements: jobs },
  { name: "0004_model_profiles", statements: modelProfiles },
  { name: "0005_tool_approvals", statements: toolApprovals },
  { name: "0006_decisions_and_events", statements: decisionsAndEvents },
  { name: "0007_schedules", statements: schedules },
  { name: "0008_deliveries", statements: deliveries },
  { name: "0009_outcomes", statements: outcomes },
  { name: "0010_views", statements: views },
  { name: "0011_code_evidence", statements: codeEvidence },
  { name: "0012_cost", statements: cost },
  { name: "0013_job_profile", statements: jobProfile },
  { name: "0014_base_checks", statements: baseChecks },
  { name: "0015_retention", statements: retention },
  { name: "0016_merge_checks", statements: mergeChecks },
  { name: "0017_job_uses", statements: jobUses },
  { name: "0018_job_commits", statements: jobCommits },
  { name: "0019_job_notes", statements: jobNotes },
  { name: "0020_repo_hosts", statements: repoHosts },
  { name: "0021_host_limits", statements: hostLimits },
  { name: "0022_telemetry", statements: telemetry },
  { name: "0023_use_models", statements: useModels },
  { name: "0024_services", statements: services },
  { name: "0025_nodes", statements: nodes },
  { name: "0026_node_retention", statements: nodeRetention },
  { name: "0027_node_words", statements: nodeWords },
  { name: "0028_job_limits", statements: jobLimits },
  { name: "0029_repo_leases", statements: repoLeases },
];

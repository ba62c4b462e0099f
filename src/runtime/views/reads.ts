/** What the HTTP API may ask for; each answer is read from stored facts at that moment. */
import type { JobStatus } from "svc/features/jobs/job_machine.ts";
import type {
  Debug,
  DecisionItem,
  Evolution,
  JobPage,
  Jobs,
  Orchestration,
  Pipeline,
  RepoItem,
  Roles,
  Telemetry,
  Throughput,
  TicketPage,
} from "./shapes.ts";

export interface JobQuery {
  readonly repoId?: string;
  readonly role?: string;
  readonly status?: JobStatus;
  /** Id of the last job of the page before. */
  readonly before?: string;
}

/** A listener that is created without one of them answers its route with 501 (spec section 4.3). */
export interface Reads {
  repos(): Promise<readonly RepoItem[]>;
  /** Names of the manifest as it is now; undefined for a repo that is not known. */
  repoRoles(repoId: string): Promise<readonly string[] | undefined>;
  pipeline(): Promise<Pipeline>;
  orchestration(): Promise<Orchestration>;
  decisions(repoId?: string): Promise<{ readonly decisions: readonly DecisionItem[] }>;
  jobs(query: JobQuery): Promise<Jobs>;
  job(id: string): Promise<JobPage | undefined>;
  ticket(repoId: string, id: string): Promise<TicketPage | undefined>;
  debug(): Promise<Debug>;
  telemetry(): Promise<Telemetry>;
  evolution(): Promise<Evolution>;
  roles(): Promise<Roles>;
  throughput(): Promise<Throughput>;
  /** Markdown; undefined when no repo is registered. */
  qualityScore(): Promise<string | undefined>;
}

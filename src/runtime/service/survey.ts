/** Looks at each repo every half hour, and queues its dispatcher when tickets could be begun. */
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { ManifestReading, Repo, RepoOpener } from "svc/features/repos/repo.ts";
import { Failure } from "svc/core/failure.ts";
import { lastEndOf, liveJobs } from "svc/features/jobs/job_views.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { isStale } from "svc/features/tickets/hygiene.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { queueJob } from "svc/features/jobs/order_job.ts";
import type { RuntimePorts, StoredPorts } from "svc/runtime/ports.ts";
import { openTickets } from "svc/runtime/job/rehearsal.ts";
import { busyJob, dispatcherOf, dispatchOrder } from "svc/runtime/job/team.ts";

/** Time between two surveys, varied by this share. */
export const SURVEY_MS = 30 * 60 * 1000;
const SURVEY_JITTER = 0.2;

export interface Surveyed {
  readonly repo: string;
  readonly problems: readonly string[];
  /** Tickets in progress without a job; the audit gives them back. */
  readonly stale: readonly string[];
  readonly startable: readonly string[];
  readonly queued?: { readonly job: string; readonly role: string };
  readonly idle?: string;
}

/** Never throws because of one repo: its entry has the problem. */
export async function surveyRepos(
  ports: RuntimePorts,
  plan: Pick<SurveyPlan, "repos" | "open" | "catchUp">,
): Promise<Surveyed[]> {
  const found: Surveyed[] = [];
  for (const row of await plan.repos()) {
    ports.signal.throwIfAborted();
    try {
      using repo = await plan.open(row, { signal: ports.signal });
      await plan.catchUp?.(repo);
      found.push(await surveyRepo(ports, repo));
    } catch (thrown) {
      ports.signal.throwIfAborted();
      const failure = Failure.from(thrown);
      if (failure.code === "internal") {
        ports.log.write("error", failure.message, { repo: row.path, cause: thrown });
      }
      const nothing = { stale: [], startable: [] };
      found.push({ repo: row.path, problems: [failure.message], ...nothing, idle: "it failed" });
    }
  }
  return found;
}

export async function surveyRepo(ports: RuntimePorts, repo: Repo): Promise<Surveyed> {
  const { root } = repo;
  const { manifest, problem } = await repo.manifest();
  const problems = problem === undefined ? [] : [problem];
  if (manifest === undefined) {
    const idle = "it has no manifest that counts";
    return { repo: root, problems, stale: [], startable: [], idle };
  }
  const { tickets, broken, cycles } = await repo.tickets.list();
  problems.push(
    ...broken.map(({ reason }) => reason),
    ...cycles.map((ring) => `tickets wait for each other: ${ring.join(" → ")}`),
  );
  const jobs = await liveJobs(ports.db, repo.id);
  const open = await openTickets(ports, repo.id, tickets);
  const facts = {
    repo: root,
    problems,
    startable: open,
    stale: await staleTickets(ports, { id: repo.id, manifest }, tickets, jobs),
  };
  const fault = ports.profile === "host" ? await repo.branchFault() : undefined;
  if (fault !== undefined) return { ...facts, idle: `it waits for ${fault.why}` };
  return { ...facts, ...await dispatch(ports, { id: repo.id, manifest }, { open, jobs }) };
}

type StaleIn = Pick<Repo, "id"> & Pick<ManifestReading, "manifest">;

export async function staleTickets(
  { db, clock }: StoredPorts,
  { id: repoId, manifest }: StaleIn,
  tickets: readonly Ticket[],
  jobs: readonly Job[],
): Promise<string[]> {
  const times = {
    now: clock.now(),
    staleMs: (manifest?.dispatch.stale_ticket_hours ?? 24) * 3_600_000,
  };
  const stale: string[] = [];
  for (const ticket of tickets.filter(({ state }) => state === "in-progress")) {
    const liveJob = jobs.some(({ ticket_id }) => ticket_id === ticket.id);
    const lastJobAt = await lastEndOf(db, repoId, ticket.id);
    const signs = { liveJob, requeued: false, ...(lastJobAt !== undefined && { lastJobAt }) };
    if (isStale(ticket, signs, times)) stale.push(ticket.id);
  }
  return stale;
}

async function dispatch(
  { db, clock, profile }: RuntimePorts,
  repo: { readonly id: string; readonly manifest: Manifest },
  { open, jobs }: { readonly open: readonly string[]; readonly jobs: readonly Job[] },
): Promise<Pick<Surveyed, "queued" | "idle">> {
  const { manifest } = repo;
  if (manifest.dispatch.mode === "manual") return { idle: "dispatch.mode is manual" };
  if (open.length === 0) return { idle: "no ticket can be started" };
  const role = dispatcherOf(manifest);
  if (role === undefined) return { idle: "no role of the manifest has a route for routed" };
  const busy = busyJob(manifest, role, jobs);
  if (busy !== undefined) return { idle: `job ${busy.id} of "${busy.role}" is live` };
  const now = clock.now();
  const order = dispatchOrder(repo, role);
  const { job } = await db.transaction().execute((tx) => queueJob(tx, order, { now, profile }));
  return { queued: { job: job.id, role } };
}

interface SurveyPlan {
  repos(): Promise<readonly RegisteredRepo[]>;
  readonly open: RepoOpener["open"];
  wake(): void;
  /** Fetches what was missed while svc was down, before it looks at the repo. */
  catchUp?(repo: Repo): Promise<unknown>;
  on?(surveyed: readonly Surveyed[]): void;
  random?(): number;
}

/** Surveys now and then every half hour, until the signal aborts. Never throws. */
export async function runSurvey(ports: RuntimePorts, plan: SurveyPlan): Promise<void> {
  const { clock, log, signal } = ports;
  const { random = Math.random } = plan;
  while (!signal.aborted) {
    try {
      const surveyed = await surveyRepos(ports, plan);
      if (surveyed.some(({ queued }) => queued !== undefined)) plan.wake();
      plan.on?.(surveyed);
    } catch (thrown) {
      if (signal.aborted) return;
      const failure = Failure.from(thrown);
      const cause = failure.cause ?? thrown;
      log.write("error", `a survey failed: ${failure.message}`, { cause });
    }
    await clock.sleep(surveyDelay(random()), signal);
  }
}

/** Milliseconds, varied so that services started together drift apart. */
export function surveyDelay(random: number): number {
  return Math.round(SURVEY_MS * (1 + SURVEY_JITTER * (2 * random - 1)));
}

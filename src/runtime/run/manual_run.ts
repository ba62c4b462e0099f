/** One manual run of a role: picks its ticket, queues and claims one job, and runs it. */
import { Failure } from "svc/core/failure.ts";
import type { Manifest, ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { ownerText } from "svc/features/jobs/owner.ts";
import { releaseJob } from "svc/features/jobs/give_back_job.ts";
import { claimNext } from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { liveJobOf, runningJobs } from "svc/features/jobs/job_views.ts";
import { resumeLane, roleLane } from "svc/features/jobs/lane_store.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { Identities } from "svc/platform/process/identity.ts";
import type { Db } from "svc/store/schema.ts";
import { cleanUpAfter } from "svc/runtime/engine/cleanup.ts";
import { WORKTREE_KEEP_MS } from "svc/runtime/engine/engine_plan.ts";
import { canResume, type Earlier, type EarlierRun } from "./earlier_run.ts";
import type { HarnessText } from "svc/runtime/job/harness_source.ts";
import { cancelJob, orderFor, queueJob, trustOfTicket } from "svc/features/jobs/order_job.ts";
import { ticketFor } from "./pick_ticket.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { JobOptions, JobReport, Watch } from "svc/runtime/job/job_plan.ts";
import { runJob } from "svc/runtime/job/run_job.ts";
import { needsOwnTree } from "svc/runtime/job/tree_need.ts";
import { checkMerges } from "svc/runtime/settle/check_merge.ts";
import { tracePath } from "svc/runtime/job/trace_path.ts";
import { branchFor, inheritTree } from "svc/runtime/job/job_tree.ts";

/** A manual run of a role. */
export interface ManualRequest {
  readonly role: string;
  /** As typed. */
  readonly ticket: string | undefined;
  /** What is wanted, in words, where there is no ticket. */
  readonly task: string | undefined;
  /** The run that was cut off and that this one continues. */
  readonly earlier?: EarlierRun | undefined;
}

/** What whoever watches a manual run is told. */
export interface ManualWatch extends Watch {
  /** Called before any of the work is done; from then on the job can be continued. */
  readonly onJob?: (begun: { readonly job: string; readonly trace: string }) => void;
}

export interface ManualOptions extends Omit<JobOptions, "follow">, Pick<ManualWatch, "onJob"> {
  /** The command line that continues a job that was cut off. */
  resumeLine?(job: string): string;
  /** The command line that ends a pause of all jobs. */
  readonly goOnLine?: string;
}

export interface ManualPlan {
  readonly repo: Repo;
  readonly manifest: Manifest;
  /** The role's. */
  readonly definition: ManifestRole;
  readonly harness: HarnessText;
}

type ManualRunPorts = RuntimePorts & { readonly identities: Identities };

interface Obstacle {
  readonly why: string;
  readonly way: string;
}

/** Why the job that was just queued cannot run now, and what to do about it. */
async function obstacle(
  db: Db,
  { repo_id, role }: Job,
  goOn = "svc jobs resume",
): Promise<Obstacle> {
  const state = await claimState(db);
  if (state.paused) return { why: `claims are paused (${state.reason})`, way: goOn };
  const way = "Wait for it, or settle what is named above";
  const busy = (await runningJobs(db)).find((job) => job.repo_id === repo_id && job.role === role);
  if (busy === undefined) return { why: "another process took it", way };
  return { why: `job ${busy.id} runs this role already`, way };
}

async function claimed(
  ports: ManualRunPorts,
  { repo, manifest }: ManualPlan,
  { role, task, earlier }: ManualRequest,
  { ticket, goOnLine }: {
    readonly ticket: Ticket | undefined;
    readonly goOnLine: string | undefined;
  },
): Promise<Job> {
  const { db, clock } = ports;
  if (ticket !== undefined) {
    const live = await liveJobOf(db, repo.id, ticket.id);
    if (live !== undefined) {
      throw new Failure("conflict", `Cannot run "${role}": ${ticket.id} has a job, ${live.id}`, {
        remedy: `It is ${live.status}; wait for it, or stop it`,
      });
    }
  }
  // A person who runs the role again has taken care of what paused it.
  await resumeLane(db, "role", roleLane(repo.id, role));
  const owner = ownerText(await ports.identities.self(), "run");
  const order = orderFor({ id: repo.id, manifest }, {
    role,
    trigger: "manual",
    trust: ticket === undefined ? "contributor" : trustOfTicket(ticket),
    ticket,
    payload: { ...(task !== undefined && { task }), ...earlier?.payload },
  });
  // Only this process may claim the job, so it has no key and does not stand in for another job.
  const own = { ...order, unique_key: null, parallel: false, max_attempts: 1 };
  const { job } = await db.transaction().execute((tx) =>
    queueJob(tx, own, { now: clock.now(), profile: ports.profile })
  );
  const mine = await claimNext(db, {
    owner,
    now: clock.now(),
    jobId: job.id,
    node: ports.node?.id,
  });
  if (mine !== undefined) return mine;
  const { why, way } = await obstacle(db, job, goOnLine);
  const reason = `a manual run could not start: ${why}`;
  await db.transaction().execute((tx) => cancelJob(tx, job.id, reason, clock.now()));
  throw new Failure("conflict", `Cannot run "${role}": ${why}`, {
    remedy: `${way}; then run it again`,
  });
}

export interface ManualRun {
  readonly job: Job;
  readonly ticket: Ticket | undefined;
  readonly report: JobReport;
}

/** What an interrupted job left in the repo, and how to continue it. */
function interruption(
  { profile }: ManualRunPorts,
  { definition }: ManualPlan,
  { job, ticket }: Pick<ManualRun, "job" | "ticket">,
  options: ManualOptions,
): Failure {
  const { branch } = JSON.parse(job.payload) as Partial<Earlier>;
  const site = { jobId: job.id, role: job.role, ticket, ...(branch && { branch }) };
  const own = needsOwnTree(profile, definition.tools);
  const kept = [
    ...(ticket === undefined || profile !== "host" ? [] : [ticket.id]),
    ...(own ? [`branch ${branchFor(site)}`] : []),
  ];
  const stays = kept.length === 1 ? "stays" : "stay";
  const message = kept.length === 0 ? "Interrupted" : `Interrupted; ${kept.join(" and ")} ${stays}`;
  return new Failure("interrupted", message, {
    remedy: options.resumeLine?.(job.id) ?? `svc run ${job.role} --resume ${job.id}`,
  });
}

/** Nothing else in this process would check the lease. */
async function landMerge(
  ports: ManualRunPorts,
  { repo }: ManualPlan,
  { id: job }: Job,
  { onStep }: ManualOptions,
): Promise<void> {
  const step = (text: string) => onStep?.(text);
  await checkMerges(ports, repo, { job, signal: ports.signal, step, said: step });
}

/** @throws Failure when it cannot begin now; `interrupted` with what is left, and how to go on */
export async function manualRun(
  ports: ManualRunPorts,
  plan: ManualPlan,
  asked: ManualRequest,
  options: ManualOptions,
): Promise<ManualRun> {
  const ticket = await ticketFor(plan, asked);
  const job = await claimed(ports, plan, asked, { ticket, goOnLine: options.goOnLine });
  const trace = tracePath(ports.home, plan.repo, job.id);
  options.onJob?.({ job: job.id, trace });
  let report: JobReport;
  try {
    if (asked.earlier !== undefined && ports.profile === "host") {
      await inheritTree(ports, plan.repo, { from: asked.earlier.jobs, to: job.id });
    }
    report = await runJob(ports, { job, ...plan }, { ...options, follow: false });
    if (ports.profile === "host") await landMerge(ports, plan, job, options);
  } catch (thrown) {
    // Nobody waits for this run any more, so the job is ended and not left for a service to claim.
    const why = ports.signal.aborted ? "interrupted" : Failure.from(thrown).message;
    const cancelled = await ports.db.transaction().execute((tx) =>
      cancelJob(tx, job.id, why, ports.clock.now())
    );
    await releaseJob(ports.db, job, ports.clock.now());
    // A job that had already ended, or had not begun, cannot be continued.
    const goesOn = ports.signal.aborted && cancelled !== undefined && await canResume(ports, trace);
    if (!goesOn) throw thrown;
    throw interruption(ports, plan, { job, ticket }, options);
  }
  if (ports.profile === "host") await cleanUpAfter(ports, plan.repo, WORKTREE_KEEP_MS);
  return { job, ticket, report };
}

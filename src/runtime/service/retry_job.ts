/** Queues an ended job once more with its own inputs: role, ticket or task, branch, trust and profile. */
import { Failure } from "svc/core/failure.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { liveJobs } from "svc/features/jobs/job_views.ts";
import { pausedLanes } from "svc/features/jobs/lane_store.ts";
import { orderFor, queueJob } from "svc/features/jobs/order_job.ts";
import { pendingSettlements } from "svc/features/routing/settlement_store.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import type { RuntimePorts, StoredPorts } from "svc/runtime/ports.ts";
import { ticketUse } from "svc/runtime/run/pick_ticket.ts";
import { laneOf } from "svc/runtime/views/pending_wait.ts";
import type { Db } from "svc/store/schema.ts";
import type { RetriedJob } from "./job_asks.ts";

/**
 * The inputs that a job's payload keeps. `earlier` is left out: it names a trace to continue from, which can be
 * done only once.
 */
interface Inputs extends Readonly<Record<string, unknown>> {
  readonly branch?: string;
  readonly earlier?: string;
  readonly retry_of?: string;
}

const inputsOf = ({ payload }: Pick<Job, "payload">) => JSON.parse(payload) as Inputs;

/** The job that this one repeats. */
export const retryOf = (job: Pick<Job, "payload">) => inputsOf(job).retry_of ?? null;

const conflict = ({ id }: Pick<Job, "id">, why: string, remedy: string) =>
  new Failure("conflict", `Cannot retry job ${id}: ${why}`, { remedy });

/** @throws Failure `conflict` for a ticket in a state in which the role has nothing to do */
function mustBeWork(job: Job, { id, state, unblock }: Ticket, definition: ManifestRole): void {
  const show = `svc tickets show ${id}`;
  if (state === "done") throw conflict(job, `${id} is done`, show);
  if (state === "blocked") {
    const { owner, action } = unblock!;
    const waits = `${id} is blocked and waits for ${JSON.stringify(owner)}: ${
      JSON.stringify(action)
    }`;
    throw conflict(job, waits, `When that is done: svc tickets move ${id} backlog --force`);
  }
  const use = ticketUse(definition);
  if (use === "judges" && state !== "review") {
    throw conflict(job, `${id} is ${state}, and "${job.role}" judges what is in review`, show);
  }
  if (use === "works" && state === "review") {
    throw conflict(job, `${id} is in review: what it handed in waits to be judged`, show);
  }
}

/** @throws Failure `conflict` */
async function ticketOf(
  job: Job,
  repo: Pick<Repo, "tickets">,
  definition: ManifestRole,
): Promise<Ticket | undefined> {
  const { ticket_id } = job;
  if (ticket_id === null) return undefined;
  const opened = await repo.tickets.find(ticket_id).catch((thrown) => {
    if (Failure.from(thrown).code !== "not_found") throw thrown;
    throw conflict(job, `${ticket_id} is gone`, "svc tickets list");
  });
  mustBeWork(job, opened.ticket, definition);
  return opened.ticket;
}

/** Another job that does the same work, or is going to. */
function rival(job: Job, live: readonly Job[]): Job | undefined {
  if (job.ticket_id !== null) return live.find(({ ticket_id }) => ticket_id === job.ticket_id);
  const { branch } = inputsOf(job);
  return live.find((one) =>
    one.ticket_id === null && one.role === job.role && inputsOf(one).branch === branch
  );
}

/** @throws Failure `conflict` while something holds up the job, or does its work already */
async function mustBeFree(db: Db, job: Job, live: readonly Job[], now: number): Promise<void> {
  const other = rival(job, live);
  if (other !== undefined) {
    const what = `job ${other.id} (${other.role}) ${
      other.status === "running" ? "runs" : "is queued"
    } for ${job.ticket_id ?? "the same work"} already`;
    throw conflict(job, what, `svc explain ${other.id}`);
  }
  const owed = (await pendingSettlements(db, job.repo_id))
    .find(({ ticket_id }) => ticket_id !== null && ticket_id === job.ticket_id);
  if (owed !== undefined) {
    const waits = owed.waits_for ?? "its turn";
    const what =
      `what was decided about ${job.ticket_id} is not in git yet, and waits for ${waits}`;
    throw conflict(job, what, `svc explain ${job.ticket_id}`);
  }
  const lane = laneOf(job, await pausedLanes(db, now));
  if (lane === undefined) return;
  const held = lane.kind === "role" ? `role "${job.role}"` : `model ${lane.key}`;
  const again = `svc run ${job.role}${job.ticket_id === null ? "" : ` --ticket ${job.ticket_id}`}`;
  throw conflict(
    job,
    `${held} is held back: ${lane.reason}`,
    lane.until === null
      ? `Mend what it names, then: ${again}`
      : `It goes on by itself at ${rfc3339(lane.until)}`,
  );
}

/**
 * Send a wake-up afterwards. Raises no trust: the new job is trusted as the old one was.
 * @throws Failure `not_found` for a role that is not of the manifest; `conflict` for a job that has not
 *   ended, and for one whose work is done, held up, or under way
 */
export async function retryJob(
  { db, clock, profile }: StoredPorts & Pick<RuntimePorts, "profile">,
  repo: Repo,
  job: Job,
): Promise<RetriedJob> {
  if (job.finished_at === null) {
    const how = job.status === "running" ? "it runs" : "it waits to begin";
    throw conflict(job, `it has not ended: ${how}`, `svc explain ${job.id}`);
  }
  if (job.profile !== profile) {
    const what = job.profile === "observer" ? "it was a rehearsal" : "it did real work";
    const here = profile === "observer" ? "only rehearses" : "does real work";
    throw conflict(job, `${what}, and this svc ${here}`, `svc run ${job.role}`);
  }
  const definition = await repo.role(job.role);
  const { manifest } = await repo.manifest();
  const ticket = await ticketOf(job, repo, definition);
  const { earlier: _, ...inputs } = inputsOf(job);
  const order = orderFor({ id: repo.id, manifest }, {
    role: job.role,
    trigger: "manual",
    trust: job.source_trust,
    ticket,
    branch: inputs.branch,
    payload: { ...inputs, retry_of: job.id },
  });
  return await db.transaction().execute(async (tx) => {
    const now = clock.now();
    const live = await liveJobs(tx, repo.id);
    const twin = live.find((one) => inputsOf(one).retry_of === job.id);
    if (twin !== undefined) return { job: twin.id, existed: true };
    await mustBeFree(tx, job, live, now);
    const queued = await queueJob(tx, order, { now, profile: job.profile });
    return { job: queued.job.id, existed: queued.existed };
  });
}

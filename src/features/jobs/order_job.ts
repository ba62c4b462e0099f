/** The only door through which jobs are queued or cancelled: each change with its event. */
import type { Profile, TrustLevel } from "svc/core/permission.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { needsVouching } from "svc/features/tickets/ticket_names.ts";
import type { Db } from "svc/store/schema.ts";
import { cancel, enqueue, type NewJob } from "./job_store.ts";
import type { Job, Trigger } from "./job_table.ts";
import { jobById } from "./job_views.ts";

/** How far the author of a ticket, or whoever vouches for it, is trusted. */
export function trustOfTicket(ticket: Pick<Ticket, "source" | "vouched">): TrustLevel {
  return needsVouching(ticket) ? "observer" : "contributor";
}

export interface OrderRepo {
  readonly id: string;
  readonly manifest:
    | {
      readonly roles: Readonly<
        Record<string, Pick<ManifestRole, "parallel"> & Partial<Pick<ManifestRole, "needs">>>
      >;
    }
    | undefined;
}

interface JobRequest {
  readonly role: string;
  readonly trigger: Trigger;
  readonly trust: TrustLevel;
  /** Without a priority when its file is gone. */
  readonly ticket?: { readonly id: string; readonly priority?: Ticket["priority"] } | undefined;
  readonly branch?: string | undefined;
  readonly decision?: string | undefined;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Replaces the key of a role's only waiting job on a ticket, branch or repo. */
  readonly key?: string | undefined;
}

export type JobOrder = NewJob & { readonly unique_key: string };

export function orderFor(repo: OrderRepo, request: JobRequest): JobOrder {
  const { role, trigger, trust, ticket, branch, decision, key } = request;
  const { parallel = false, needs = [] } = repo.manifest?.roles[role] ?? {};
  const payload = branch === undefined ? request.payload : { ...request.payload, branch };
  return {
    repo_id: repo.id,
    role,
    trigger,
    source_trust: trust,
    parallel,
    unique_key: key ?? `${repo.id}:${role}:${ticket?.id ?? branch ?? "-"}`,
    ...(ticket && { ticket_id: ticket.id }),
    ...(ticket?.priority && { priority: Number(ticket.priority.slice(1)) }),
    ...(payload && { payload }),
    ...(needs.length > 0 && { needs: JSON.stringify(needs) }),
    ...(decision !== undefined && { caused_by: decision }),
  };
}

/** Call it in the transaction that makes the change. */
export async function recordJob(
  db: Db,
  { id, repo_id, role, ticket_id }: Pick<Job, "id" | "repo_id" | "role" | "ticket_id">,
  more: { readonly status: string } & Readonly<Record<string, unknown>>,
  now: number,
): Promise<void> {
  const data = { id, repo_id, role, ticket_id, ...more };
  await recordEvent(db, { type: "job_update", repoId: repo_id, jobId: id, data }, now);
}

/** When, and by a service of which profile. */
export interface QueuedBy {
  /** Epoch ms. */
  readonly now: number;
  readonly profile: Profile;
}

export const storedKey = (key: string, profile: Profile) =>
  profile === "observer" ? `observer:${key}` : key;

/** A rehearsal stands beside the real job of the same role and ticket. Call it in a transaction. */
export async function queueJob(
  db: Db,
  order: NewJob,
  { now, profile }: QueuedBy,
): Promise<{ readonly job: Job; readonly existed: boolean }> {
  const { unique_key: key = null } = order;
  const unique_key = key === null ? null : storedKey(key, profile);
  const { job, existed } = await enqueue(db, { ...order, unique_key, profile }, now);
  if (!existed) await recordJob(db, job, { status: job.status, trigger: job.trigger }, now);
  return { job, existed };
}

const AFTER = ":after:";

/** The id of the job that was running when a job with this key was queued behind it. */
export function jobAhead(uniqueKey: string): string | undefined {
  const at = uniqueKey.lastIndexOf(AFTER);
  return at < 0 ? undefined : uniqueKey.slice(at + AFTER.length);
}

/** A pending job is enough; a running one may miss what is new. Call it in a transaction. */
export async function queueBehindRunning(
  db: Db,
  order: JobOrder,
  by: QueuedBy,
): Promise<Job> {
  const { job } = await queueJob(db, order, by);
  if (job.status === "pending") return job;
  const behind = { ...order, unique_key: `${order.unique_key}${AFTER}${job.id}` };
  return (await queueJob(db, behind, by)).job;
}

/** Cancels the rehearsals that wait in these repos. Call it in a transaction. */
export async function cancelRehearsals(
  db: Db,
  repoIds: readonly string[],
  now: number,
): Promise<void> {
  if (repoIds.length === 0) return;
  const waiting = await db.selectFrom("jobs").select("id").where("repo_id", "in", [...repoIds])
    .where("status", "=", "pending").where("profile", "=", "observer").execute();
  for (const { id } of waiting) {
    await cancelJob(db, id, "it was a rehearsal, and real work began", now);
  }
}

/** Call it in a transaction. Undefined when the job has ended before, or does not exist. */
export async function cancelJob(
  db: Db,
  id: string,
  reason: string,
  now: number,
): Promise<"cancelled" | "requested" | undefined> {
  const outcome = await cancel(db, id, reason, now);
  if (outcome !== "cancelled" && outcome !== "requested") return undefined;
  const job = await jobById(db, id);
  const ended = outcome === "cancelled" ? { status: "failed", disposition: "cancelled" } : {
    status: "running",
    cancel_requested: true,
  };
  await recordJob(db, job!, { ...ended, reason }, now);
  return outcome;
}

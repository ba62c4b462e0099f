/** How the work of a job ended and, if something was thrown, what the cause was. */
import type { FailureCategory } from "svc/core/disposition.ts";
import { Failure } from "svc/core/failure.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import type { Stop } from "svc/features/agent/stop.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { HeldLease } from "./heartbeat.ts";

export interface WorkEnd extends Stop {
  /** The machine kept it from being done. */
  readonly environment?: boolean;
}

export const CANCELLED_BY_PERSON: WorkEnd = {
  disposition: "cancelled",
  evidence: "cancelled by a person",
};

/** The reason that the person gave is in the job's row. */
export async function withReason(
  { db }: Pick<RuntimePorts, "db">,
  { id }: Pick<Job, "id">,
  end: WorkEnd,
): Promise<WorkEnd> {
  if (end.disposition !== "cancelled") return end;
  const { cancel_requested = 0, reason } = await jobById(db, id) ?? {};
  return cancel_requested === 1 && reason ? { ...end, evidence: reason } : end;
}

export function endOf(
  { log }: Pick<RuntimePorts, "log">,
  thrown: unknown,
  held: Pick<HeldLease, "stopped">,
): WorkEnd {
  if (held.stopped() === "cancel") return CANCELLED_BY_PERSON;
  const failure = Failure.from(thrown);
  log.write("error", failure.message, { cause: failure.cause ?? thrown });
  // Another attempt may succeed, and starts with the work of this one.
  if (failure.code === "internal" || failure.detail.waits) {
    return { disposition: "internal_error", evidence: failure.message, category: "internal" };
  }
  const evidence = `${failure.message}. ${failure.remedy}`;
  const { cause } = failure;
  if (cause instanceof Error && cause.name === "ModelFault") {
    const fault = cause as NonNullable<WorkEnd["fault"]>;
    return { disposition: "model_error", evidence, category: fault.detail.category, fault };
  }
  return { disposition: "blocked", evidence, environment: failure.code === "environment" };
}

/** A failure that an engine's job waits for, until a person or time has mended it. */
export async function asWait(
  ports: Pick<RuntimePorts, "profile">,
  repo: Pick<Repo, "tickets">,
  job: Pick<Job, "ticket_id">,
  thrown: unknown,
): Promise<Failure | undefined> {
  const { code, message, detail } = Failure.from(thrown);
  const { cause } = detail;
  if (cause instanceof Error && cause.name === "ModelFault") {
    // Its server is down, loads the model, or asks for a pause.
    if (!isAway(cause as WorkEnd["fault"])) return undefined;
    return new Failure(code, `its model is away: ${message}`, { ...detail, waits: true });
  }
  const mendable = code !== "internal" && ports.profile === "host";
  if (!mendable || !await isUntaken(repo, job)) return undefined;
  return new Failure(code, message, { ...detail, waits: true });
}

/**
 * What fails before its ticket is taken, such as reading a broken file of model overrides, leaves it in the
 * backlog: there it cannot be blocked, and it would be handed out again at once, without end.
 */
async function isUntaken(
  { tickets }: Pick<Repo, "tickets">,
  { ticket_id }: Pick<Job, "ticket_id">,
): Promise<boolean> {
  const known = ticket_id === null ? [] : (await tickets.list()).tickets;
  return known.find(({ id }) => id === ticket_id)?.state === "backlog";
}

export function isAway(fault: WorkEnd["fault"]): boolean {
  return fault?.detail.transient === true && MODEL_GONE.has(fault.detail.category);
}

const MODEL_GONE: ReadonlySet<FailureCategory | undefined> = new Set([
  "model_unreachable",
  "rate_limited",
]);

/** Causes outside the work that a person has to fix: a program, a set-up, a model server, a key. */
export const isMachines = (
  { environment, fault, category }: Pick<WorkEnd, "environment" | "fault" | "category">,
) => environment === true || fault?.detail.pausesLane === true || MODEL_GONE.has(category);

/** Does what a start plan says. Killed at any moment and run again, with a plan made anew, it does each thing once. */
import { Failure } from "svc/core/failure.ts";
import { resumeModelsOf } from "svc/features/jobs/lane_store.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Identities } from "svc/platform/process/identity.ts";
import { cancelJob, queueJob } from "svc/features/jobs/order_job.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { StartMove, StartPlan } from "./plan.ts";
import { takeBackDead } from "svc/runtime/engine/take_back.ts";

type Ports = RuntimePorts & { readonly identities: Identities };

export interface StartDone {
  /** Tickets that went back to the backlog; one that somebody else moved meanwhile is left out. */
  readonly moved: readonly string[];
  /** Ids of jobs; a job that has ended meanwhile is left out. */
  readonly cancelled: readonly string[];
  readonly queued: readonly {
    readonly id: string;
    readonly role: string;
    readonly ticket: string | null;
    /** It was there already. */
    readonly existed: boolean;
  }[];
}

/**
 * All of the database in one transaction; then the tickets, each a commit of its own. In this order the
 * jobs that a ticket is moved for are there, whenever the moves are cut short.
 * @throws Failure the plan's own when it refuses; `refused` for moves in observer profile; as `moveTicket`
 */
export async function carryOutStartPlan(
  ports: Ports,
  repo: Repo,
  plan: StartPlan,
): Promise<StartDone> {
  if (plan.refusal !== undefined) throw plan.refusal;
  const [first] = plan.moves;
  if (first !== undefined && ports.profile !== "host") {
    throw new Failure("refused", `Cannot move ${first.ticket}: an observer changes nothing`);
  }
  const { db, clock } = ports;
  await takeBackDead(ports);
  const done = await db.transaction().execute(async (tx) => {
    const now = clock.now();
    const cancelled: string[] = [];
    for (const { job, reason } of plan.cancels) {
      if (await cancelJob(tx, job, reason, now) !== undefined) cancelled.push(job);
    }
    // A person who starts svc again has dealt with what held back its models.
    await resumeModelsOf(tx, repo.id);
    const queued = [];
    for (const order of plan.jobs) {
      const { job, existed } = await queueJob(tx, order, now);
      queued.push({ id: job.id, role: job.role, ticket: job.ticket_id, existed });
    }
    return { cancelled, queued };
  });
  return { moved: await moveAll(ports, repo, plan.moves), ...done };
}

async function moveAll(
  ports: Ports,
  repo: Repo,
  moves: readonly StartMove[],
): Promise<string[]> {
  if (moves.length === 0) return [];
  // A commit that a killed process left half done comes first: it may be one of these moves.
  await repo.locked("start svc", () => Promise.resolve());
  const moved: string[] = [];
  for (const move of moves) {
    ports.signal.throwIfAborted();
    if (!await moveBack(repo, move)) continue;
    const { ticket, from } = move;
    moved.push(ticket);
    const data = { repo_id: repo.id, ticket_id: ticket, from, to: "backlog" };
    const event = { type: "ticket_update", repoId: repo.id, data } as const;
    await recordEvent(ports.db, event, ports.clock.now());
  }
  return moved;
}

/** False when the ticket is not where the plan found it. */
async function moveBack({ tickets }: Repo, { ticket, from, reason }: StartMove): Promise<boolean> {
  const found = await tickets.find(ticket)
    .catch((thrown) => {
      if (Failure.from(thrown).code === "not_found") return undefined;
      throw thrown;
    });
  if (found?.ticket.state !== from) return false;
  await tickets.move(ticket, { to: "backlog", reason, actor: "svc start", force: true });
  return true;
}

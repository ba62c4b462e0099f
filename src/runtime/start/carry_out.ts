/** Carries out a start plan. After a kill, a new plan continues without doing anything twice. */
import { Failure } from "svc/core/failure.ts";
import { resumeModelsOf } from "svc/features/jobs/lane_store.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { cancelJob, queueJob } from "svc/features/jobs/order_job.ts";
import type { OwnerPorts } from "svc/runtime/ports.ts";
import type { StartPlan } from "./plan.ts";
import type { StartMove } from "./resume.ts";
import { takeBackDead } from "svc/runtime/engine/take_back.ts";

export interface StartDone {
  readonly moved: readonly string[];
  readonly cancelled: readonly string[];
  readonly queued: readonly {
    readonly id: string;
    readonly role: string;
    readonly ticket: string | null;
    readonly existed: boolean;
  }[];
}

/**
 * Writes the database in one transaction, then moves the tickets, one commit each. So the jobs exist even if
 * the moves are interrupted.
 * @throws Failure the plan's own when it refuses; `refused` for moves in observer profile; as `moveTicket`
 */
export async function carryOutStartPlan(
  ports: OwnerPorts,
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
    // Models are released: the person who starts svc has taken care of what held them back.
    await resumeModelsOf(tx, repo.id);
    const queued = [];
    for (const order of plan.jobs) {
      const { job, existed } = await queueJob(tx, order, { now, profile: ports.profile });
      queued.push({ id: job.id, role: job.role, ticket: job.ticket_id, existed });
    }
    return { cancelled, queued };
  });
  return { moved: await moveAll(ports, repo, plan.moves), ...done };
}

async function moveAll(
  ports: OwnerPorts,
  repo: Repo,
  moves: readonly StartMove[],
): Promise<string[]> {
  if (moves.length === 0) return [];
  // Finishes a commit of a killed process first: it may be one of these moves.
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

/** Returns false when the ticket is not where the plan found it. */
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

/** A person lets a blocked ticket go on, or says which role and model its next job has. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { amendTicket } from "svc/features/tickets/amend_ticket.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import {
  type ActContext,
  acted,
  cancelWaiting,
  mustBeHost,
  mustRest,
  saidIn,
  UNDO_TIME,
} from "./act_context.ts";
import { type ChosenNext, chosenNext, queueNext } from "./next_job.ts";
import type { PersonAct, PersonActed } from "./person_act.ts";
import { lastDecided, newDecisionId, recordPersonDecision } from "./person_decision.ts";

type Unblock = Extract<PersonAct, { act: "unblock" }>;
type Assign = Extract<PersonAct, { act: "assign" }>;

const UNDO = `${UNDO_TIME}, until its next job begins`;

async function settledAlready(
  { ports: { db }, repo }: ActContext,
  { id, state }: Pick<Ticket, "id" | "state">,
  doing: string,
): Promise<Failure> {
  const who = await lastDecided(db, repo.id, id);
  return new Failure(
    "conflict",
    `Cannot ${doing}: it is settled already${who}, and ${id} is ${state}`,
    { remedy: `svc tickets show ${id}` },
  );
}

async function changedSince(
  context: ActContext,
  ticket: Ticket,
  seen: string | undefined,
  doing: string,
): Promise<void> {
  if (seen === undefined || ticket.updated === seen) return;
  const who = await lastDecided(context.ports.db, context.repo.id, ticket.id);
  throw new Failure("conflict", `Cannot ${doing}: it changed since you saw it${who}`, {
    remedy: `svc tickets show ${ticket.id}`,
  });
}

/** What an undo puts back. */
const fieldsBefore = ({ unblock, question, rework, attempts, role, state }: Ticket) => ({
  ...{ state, rework, attempts, role },
  ...(unblock && { unblock }),
  ...(question && { question }),
});

/** @throws Failure `refused`, `conflict`, `not_found`, `usage` */
export async function unblockTicket(context: ActContext, order: Unblock): Promise<PersonActed> {
  const { ports, repo, by } = context;
  const { ticket: id, seen } = order;
  const doing = `unblock ${id}`;
  mustBeHost(ports, doing, `svc tickets unblock ${id}`);
  const note = saidIn(ports, doing, order.note);
  const { ticket } = await repo.tickets.find(id);
  if (ticket.state !== "blocked") throw await settledAlready(context, ticket, doing);
  await changedSince(context, ticket, seen, doing);
  const chooses = order.role !== undefined || order.model !== undefined;
  const next = chooses
    ? await chosenNext(ports.db, repo, { ...ticket, state: "backlog" }, { ...order, doing })
    : undefined;
  const reason = note === "" ? "a person says that it can go on" : note;
  const moved = await repo.tickets.move(id, {
    ...{ to: "backlog", force: true, reason, actor: by },
    ...(next !== undefined && next.role !== ticket.role && { role: next.role }),
  });
  return await decided(context, { ...order, note }, { ticket, after: moved.ticket, next });
}

/** @throws Failure as `unblockTicket`; `conflict` while a role works on it, or for a ticket that is done */
export async function assignTicket(context: ActContext, order: Assign): Promise<PersonActed> {
  const { ports, repo, by } = context;
  const { ticket: id, seen } = order;
  const doing = `choose who goes on with ${id}`;
  mustBeHost(ports, doing, `svc tickets assign ${id}`);
  const { ticket } = await repo.tickets.find(id);
  if (ticket.state === "done") throw await settledAlready(context, ticket, doing);
  if (ticket.state === "blocked") {
    const { role } = await chosenNext(ports.db, repo, { ...ticket, state: "backlog" }, {
      ...order,
      doing,
    });
    return await unblockTicket(context, { ...order, act: "unblock", role });
  }
  const note = saidIn(ports, doing, order.note);
  await changedSince(context, ticket, seen, doing);
  await mustRest(ports.db, repo, id, doing);
  const next = await chosenNext(ports.db, repo, ticket, { ...order, doing });
  // A role that judges must not become the role that works on the ticket.
  const gives = ticket.state !== "review" && next.role !== ticket.role;
  const after = gives
    ? (await amendTicket(repo, id, {
      ...{ from: ticket.state, to: ticket.state, seen: ticket.updated, actor: by },
      edits: { role: next.role },
      what: `role ${ticket.role} → ${next.role}${note === "" ? "" : `: ${note}`}`,
      subject: `give ${id} to ${next.role}`,
    })).ticket
    : ticket;
  return await decided(context, { ...order, note }, { ticket, after, next });
}

function outcomeOf(
  { ticket, after, next }: {
    readonly ticket: Ticket;
    readonly after: Ticket;
    readonly next: ChosenNext | undefined;
  },
): string {
  const move = ticket.state === after.state
    ? ticket.id
    : `${ticket.id}: ${ticket.state} → ${after.state}`;
  if (next === undefined) return `${move}; it is handed out again`;
  const model = next.model === undefined ? "" : ` with ${quoted(next.model)}`;
  return `${move}; "${next.role}" goes on with it${model}`;
}

async function decided(
  { ports, repo, by, named }: ActContext,
  { act, note }: (Unblock | Assign) & { readonly note: string },
  { ticket, after, next }: {
    readonly ticket: Ticket;
    readonly after: Ticket;
    readonly next: ChosenNext | undefined;
  },
): Promise<PersonActed> {
  const { db, clock, redact } = ports;
  const now = clock.now();
  const id = newDecisionId(now);
  const outcome = outcomeOf({ ticket, after, next });
  const { state: from } = ticket;
  const { state: to } = after;
  await db.transaction().execute(async (tx) => {
    if (next !== undefined) {
      await cancelWaiting(tx, repo.id, ticket.id, { reason: `${by} chose what follows`, now });
    }
    const job = next && await queueNext(tx, repo, after, { ...next, decision: id, now });
    await recordPersonDecision(tx, {
      ...{ id, repoId: repo.id, ticket: ticket.id, disposition: "routed" },
      inputs: {
        ...{ act, by, outcome, undo: UNDO },
        ...(note !== "" && { said: note }),
        ...named,
        ...(next?.model !== undefined && { model: next.model }),
        before: fieldsBefore(ticket),
        after: after.updated,
      },
      move: from === to ? undefined : `${from} → ${to}`,
      next: job === undefined ? undefined : { role: next!.role, job },
    }, { now, redact });
    if (from === to) return;
    const data = { repo_id: repo.id, ticket_id: ticket.id, from, to };
    await recordEvent(tx, { type: "ticket_update", repoId: repo.id, data }, now);
  });
  return acted(id, { outcome, undo: UNDO });
}

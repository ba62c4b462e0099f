/** Which move an order means, and what it changes in the ticket; decides, and writes nothing. */
import { Failure } from "svc/core/failure.ts";
import { type MoveOf } from "svc/core/machine.ts";
import { waitsFor } from "./dependencies.ts";
import type { FrontEdits } from "./front_edit.ts";
import type { Question } from "svc/core/question.ts";
import type { Ticket } from "./ticket_list.ts";
import { ticketMachine, type TicketState } from "./ticket_machine.ts";

type TicketMoveName = MoveOf<typeof ticketMachine>;

export interface MoveOrder {
  readonly to: TicketState;
  readonly reason?: string;
  /** Confirms that what a blocked ticket waited for has happened. */
  readonly force?: boolean;
  /** No work begins: what a ticket of the backlog depends on need not be done. */
  readonly toBlock?: boolean;
  /** Required to block. */
  readonly unblock?: { readonly owner: string; readonly action: string };
  /** What a role asks, with a block: the answer or the unblocking takes it out of the ticket. */
  readonly question?: Question;
  readonly branch?: string;
  /** With an unblocking: who works on it from now on. */
  readonly role?: string;
}

interface MovePlan {
  readonly move: TicketMoveName;
  readonly edits: FrontEdits;
  readonly what: string;
}

const MOVES = Object.entries(ticketMachine.moves) as [
  TicketMoveName,
  { from: readonly TicketState[]; to: TicketState },
][];

export function moveBetween(from: TicketState, to: TicketState): TicketMoveName | undefined {
  return MOVES.find(([, move]) => move.from.includes(from) && move.to === to)?.[0];
}

export function movesFrom(state: TicketState): TicketState[] {
  return MOVES.filter(([, { from }]) => from.includes(state)).map(([, { to }]) => to);
}

function conflict(message: string, remedy: string): Failure {
  return new Failure("conflict", message, { remedy });
}

/** The move to the backlog alone would be refused. */
const outOfBlock = ({ id, question }: Pick<Ticket, "id" | "question">) =>
  question === undefined
    ? `When what it waits for has happened: svc tickets unblock ${id}`
    : `svc tickets answer ${id} "…"`;

function noSuchMove(ticket: Ticket, to: TicketState): Failure {
  const { id, state } = ticket;
  if (state === to) {
    return conflict(`Cannot move ${id} to ${to}: it is there already`, `svc tickets show ${id}`);
  }
  const ways = movesFrom(state);
  return conflict(
    `Cannot move ${id} from ${state} to ${to}: ${
      ways.length === 0 ? `${state} is final` : `${state} leads to ${ways.join(" or ")}`
    }`,
    ways.length === 0
      ? `Create a ticket that follows it: svc tickets new --title "…"`
      : state === "blocked"
      ? outOfBlock(ticket)
      : `svc tickets move ${id} ${ways[0]}`,
  );
}

function refuseEarly(
  ticket: Ticket,
  move: TicketMoveName,
  { force, toBlock, unblock }: MoveOrder,
  stateOf: (id: string) => TicketState | undefined,
): void {
  const { id } = ticket;
  if (move === "dispatch" && !toBlock) {
    const waiting = waitsFor(ticket, stateOf);
    if (waiting.length === 0) return;
    const list = waiting.map(({ id, state }) => `${id} (${state ?? "no such ticket"})`).join(", ");
    const self = waiting.some((other) => other.id === id) ? " and so on itself" : "";
    throw conflict(
      `Cannot move ${id} to in-progress: it depends on ${list}${self}`,
      `svc tickets show ${waiting[0]!.id}`,
    );
  }
  if (move === "unblock" && !force) {
    const { owner, action } = ticket.unblock!;
    throw conflict(
      `Cannot move ${id} to backlog: it waits for ${JSON.stringify(owner)}: ${
        JSON.stringify(action)
      }`,
      `When that is done: svc tickets move ${id} backlog --force`,
    );
  }
  if (move === "block" && !(unblock?.owner.trim() && unblock.action.trim())) {
    throw new Failure(
      "usage",
      `Cannot move ${id} to blocked: who is to do what before it goes on is not said`,
      { remedy: `svc tickets move ${id} blocked --owner "…" --action "…"` },
    );
  }
}

function editsOf(ticket: Ticket, move: TicketMoveName, order: MoveOrder): FrontEdits {
  const branch: FrontEdits = order.branch === undefined ? {} : { branch: order.branch };
  if (move === "rework") return { ...branch, rework: ticket.rework + 1 };
  if (move === "block") {
    const { owner, action } = order.unblock!;
    const { question } = order;
    return {
      ...branch,
      unblock: { owner, action },
      ...(question && { question: { ...question } }),
    };
  }
  // Unblocking grants new tries: with the old counts the ticket would be blocked again at once.
  if (move === "unblock") {
    const asked: FrontEdits = ticket.question === undefined ? {} : { question: undefined };
    const role: FrontEdits = order.role === undefined ? {} : { role: order.role };
    return { ...branch, ...role, unblock: undefined, ...asked, rework: 0, attempts: 0 };
  }
  return branch;
}

/** @throws Failure `conflict` for a move that is not possible now; `usage` when a block names nobody */
export function planMove(
  ticket: Ticket,
  order: MoveOrder,
  stateOf: (id: string) => TicketState | undefined,
): MovePlan {
  const move = moveBetween(ticket.state, order.to);
  if (move === undefined) throw noSuchMove(ticket, order.to);
  refuseEarly(ticket, move, order, stateOf);
  const arrow = `${ticket.state} → ${order.to}`;
  const why = order.reason ??
    (move === "block" ? `${order.unblock!.owner}: ${order.unblock!.action}` : undefined);
  return {
    move,
    edits: editsOf(ticket, move, order),
    what: why === undefined ? arrow : `${arrow}: ${why}`,
  };
}

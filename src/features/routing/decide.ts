/** Decides what follows a job's end, and by which rule: the ticket's move, the next role, or a stop. Pure. */
import type { Disposition } from "svc/core/disposition.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { next } from "svc/core/machine.ts";
import { answerCommand, type AskedQuestion } from "svc/core/question.ts";
import { moveBetween } from "svc/features/tickets/move_rules.ts";
import { ticketMachine, type TicketState } from "svc/features/tickets/ticket_machine.ts";
import { gate, type JobEnd, type UnmatchedRule } from "./gates.ts";

const TICKET_ATTEMPTS = 3;

interface RoutedTicket {
  readonly id: string;
  readonly state: TicketState;
  readonly rework: number;
  readonly attempts: number;
}

interface PlannedMove {
  readonly ticket: string;
  readonly from: TicketState;
  readonly to: TicketState;
  readonly reason: string;
  readonly unblock?: { readonly owner: string; readonly action: string };
  /** Waits in the ticket for an answer. */
  readonly question?: AskedQuestion;
}

interface NextRun {
  readonly role: string;
  readonly ticket?: string;
  readonly branch?: string;
}

export interface RouteDecision {
  readonly disposition: Disposition;
  /** The rule that matched, such as `roles.engineer.routes.submitted`. */
  readonly rule: string;
  readonly move?: PlannedMove;
  readonly attempt?: string;
  readonly merge?: string;
  readonly next?: NextRun;
  readonly stop?: string;
  readonly refused: readonly UnmatchedRule[];
}

export interface RoutingFacts {
  readonly ended: JobEnd;
  readonly ticket: RoutedTicket | undefined;
  readonly lost?: string;
  readonly branch: string | undefined;
  readonly manifest: Pick<Manifest, "roles" | "dispatch">;
  readonly startable: readonly string[];
  /** Other jobs run or wait, or tickets are handed out by themselves. */
  readonly goesOn: boolean;
}

type RoutingRule = {
  next?: string | undefined;
  ticket?: TicketState | undefined;
  stop?: string | undefined;
};

/** Tried again a few times unless the manifest has a route for them. */
const FRUITLESS: ReadonlySet<Disposition> = new Set([
  "checks_failed",
  "budget_exhausted",
  "turns_exhausted",
  "stuck",
  "timed_out",
  "policy_denied",
  "model_error",
  "internal_error",
]);

const HANDED_ON: ReadonlySet<Disposition> = new Set(["submitted", "changes_requested"] as const);

/** Verdicts on work that is there. */
const JUDGED: ReadonlySet<Disposition> = new Set(["approved", "changes_requested"] as const);

const BLOCKED_OWNER = "maintainer";

function block(ticket: RoutedTicket, reason: string, action: string): PlannedMove {
  const unblock = { owner: BLOCKED_OWNER, action };
  return { ticket: ticket.id, from: ticket.state, to: "blocked", reason, unblock };
}

function tryAgain(
  { ended, ticket }: RoutingFacts,
  disposition: Disposition,
  refused: readonly UnmatchedRule[],
): RouteDecision {
  const base = { disposition, refused };
  if (ticket === undefined) {
    return { ...base, rule: "default.no_ticket", stop: `${disposition}: ${ended.evidence}` };
  }
  const used = ticket.attempts + 1;
  if (used >= TICKET_ATTEMPTS) {
    const why = `${disposition} in attempt ${used} of ${TICKET_ATTEMPTS}: ${ended.evidence}`;
    if (next(ticketMachine, ticket.state, "block") === undefined) {
      const illegal = { rule: "ticket: blocked", why: `${ticket.id} is ${ticket.state}` };
      const ends = { rule: "default.attempts_exhausted", attempt: why, stop: why };
      return { ...ends, disposition, refused: [...refused, illegal] };
    }
    const move = block(ticket, why, "Read the evidence, change the ticket or the code, unblock it");
    return { ...base, rule: "default.attempts_exhausted", move, attempt: why, stop: why };
  }
  // The next attempt reads this text in the ticket.
  const seen = disposition === ended.disposition ? "" : `: ${ended.evidence}`;
  const attempt = `attempt ${used} of ${TICKET_ATTEMPTS} gave no result: ${disposition}${seen}`;
  const again = { role: ended.role, ticket: ticket.id };
  return { ...base, rule: "default.try_again", attempt, next: again };
}

const SENT_BACK: ReadonlySet<Disposition> = new Set(
  ["changes_requested", "checks_failed"] as const,
);

/** Work in review that goes back to a role that hands in is rework, also where the route leaves that out: it has a bound. */
function placeOf(
  { ticket, manifest }: RoutingFacts,
  { ticket: to, next }: RoutingRule,
  disposition: Disposition,
): TicketState | undefined {
  if (to !== undefined || ticket?.state !== "review" || next === undefined) return to;
  const handsIn = manifest.roles[next]?.routes.submitted !== undefined;
  return handsIn && SENT_BACK.has(disposition) ? "in-progress" : undefined;
}

function moveOf(
  { ended, ticket, manifest }: RoutingFacts,
  route: RoutingRule,
  refused: UnmatchedRule[],
): { readonly move?: PlannedMove; readonly rule?: string } {
  const to = route.ticket;
  if (ticket === undefined || to === undefined || to === ticket.state) return {};
  const name = moveBetween(ticket.state, to);
  if (name === undefined) {
    refused.push({ rule: `ticket: ${to}`, why: `${ticket.id} is ${ticket.state}` });
    return {};
  }
  const reason = `${ended.role}: ${ended.evidence}`;
  const { max_rework } = manifest.dispatch;
  if (name === "rework" && ticket.rework + 1 > max_rework) {
    refused.push({ rule: `ticket: ${to}`, why: `rework would be over ${max_rework}` });
    const why = `sent back ${ticket.rework + 1} times: ${ended.evidence}`;
    const dispute = route.next === undefined
      ? `${ended.role} asks for`
      : `${route.next} and ${ended.role} disagree on`;
    const action = `Settle what ${dispute}, then unblock it`;
    return { move: block(ticket, why, action), rule: "dispatch.max_rework" };
  }
  if (to === "blocked" && ended.question !== undefined) {
    const move = block(ticket, reason, answerCommand(ticket.id));
    return { move: { ...move, question: ended.question } };
  }
  if (to === "blocked") return { move: block(ticket, reason, ended.evidence || "Say what to do") };
  return { move: { ticket: ticket.id, from: ticket.state, to, reason } };
}

function chosenTicket(
  { ended, startable }: RoutingFacts,
  refused: UnmatchedRule[],
): string | undefined {
  const { chosen } = ended;
  if (chosen !== undefined && startable.includes(chosen)) return chosen;
  refused.push({
    rule: "ticket of the role",
    why: chosen === undefined ? "it named none" : `${chosen} cannot be started now`,
  });
  return startable[0];
}

function followerOf(
  situation: RoutingFacts,
  route: RoutingRule,
  { disposition, after }: {
    readonly disposition: Disposition;
    readonly after: TicketState | undefined;
  },
  refused: UnmatchedRule[],
): { readonly next?: NextRun; readonly stop?: string } {
  const { ticket, branch, manifest } = situation;
  if (route.next === undefined) {
    // That this role has nothing to do stops nobody else.
    if (disposition === "no_work" && situation.goesOn) return {};
    return { stop: route.stop ?? "the route names no next role" };
  }
  if (manifest.dispatch.mode === "manual") {
    refused.push({ rule: `next: ${route.next}`, why: "dispatch.mode is manual" });
    return { stop: `dispatch.mode is manual: svc run ${route.next}` };
  }
  if (disposition === "routed") {
    const chosen = chosenTicket(situation, refused);
    return chosen === undefined
      ? { stop: "no ticket can be started" }
      : { next: { role: route.next, ticket: chosen } };
  }
  const active = ticket !== undefined && (after === "in-progress" || after === "review");
  if (active) return { next: { role: route.next, ticket: ticket.id } };
  // The next role would have neither the ticket nor its branch.
  if (ticket !== undefined && HANDED_ON.has(disposition)) {
    return { stop: `${ticket.id} is ${after} by now` };
  }
  // Until it is approved, work without a ticket is identified by its branch.
  const open = ticket === undefined && HANDED_ON.has(disposition);
  const carried = open && branch !== undefined ? { branch } : {};
  return { next: { role: route.next, ...carried } };
}

function along(
  situation: RoutingFacts,
  named: RoutingRule,
  { disposition, rule: own }: { readonly disposition: Disposition; readonly rule: string },
  refused: UnmatchedRule[],
): RouteDecision {
  const { ticket, branch } = situation;
  const route = { ...named, ticket: placeOf(situation, named, disposition) };
  const { move, rule = own } = moveOf(situation, route, refused);
  const merging = disposition === "approved" && branch !== undefined &&
    (ticket === undefined || move?.to === "done");
  const blocked = move?.to === "blocked" && route.ticket !== "blocked";
  const after = move?.to ?? ticket?.state;
  const follows = blocked
    ? { stop: move.reason }
    : followerOf(situation, route, { disposition, after }, refused);
  return {
    disposition,
    rule,
    ...(move && { move }),
    ...(merging && { merge: branch }),
    ...follows,
    refused,
  };
}

export function decide(asked: RoutingFacts): RouteDecision {
  const { ticket, manifest } = asked;
  const { pull, disposition: reported } = asked.ended;
  if (pull !== undefined && JUDGED.has(reported)) {
    // Nothing of it is svc's to merge, and no role has it to work on.
    const stop = `pull request #${pull} was only looked at: it is its author's to change`;
    return { disposition: reported, rule: "default.foreign_pull", stop, refused: [] };
  }
  const { disposition, refused: gated, note } = gate(asked.ended);
  const refused: UnmatchedRule[] = gated === undefined ? [] : [gated];
  // Where svc's own findings contradict the role, the findings become the evidence.
  const evidence = gated?.why ??
    [asked.ended.evidence, ...note === undefined ? [] : [note]].join(". ");
  const ended = { ...asked.ended, evidence };
  const situation = { ...asked, ended };
  if (disposition === "cancelled") {
    return { disposition, rule: "default.cancelled", stop: ended.evidence, refused };
  }
  if (asked.lost !== undefined) {
    const stop = `${asked.lost} is gone from the checkout, or cannot be read`;
    return { disposition, rule: "default.ticket_lost", stop, refused };
  }
  if (disposition === "no_work" && ended.disposition === "submitted") {
    return tryAgain(situation, disposition, refused);
  }
  const rule = `roles.${ended.role}.routes.${disposition}`;
  const route: RoutingRule | undefined = manifest.roles[ended.role]?.routes[disposition];
  if (canWait(situation)) {
    // Wherever the manifest's route leads: without a wait nobody could answer.
    const waits = { ...route, ticket: "blocked" } as const;
    const named = route === undefined ? "default.question" : rule;
    return along(situation, waits, { disposition, rule: named }, refused);
  }
  if (route !== undefined) return along(situation, route, { disposition, rule }, refused);
  refused.push({ rule, why: "the manifest has no such route" });
  if (!FRUITLESS.has(disposition)) {
    return { disposition, rule: "default.no_route", stop: `no route for ${disposition}`, refused };
  }
  const rework = ticket?.state === "review" && disposition === "checks_failed"
    ? reworkRoute(situation)
    : undefined;
  return rework === undefined
    ? tryAgain(situation, disposition, refused)
    : along(situation, rework, { disposition, rule: "default.rework" }, refused);
}

function canWait({ ended, ticket }: RoutingFacts): boolean {
  return ended.question !== undefined && ticket !== undefined &&
    moveBetween(ticket.state, "blocked") !== undefined;
}

/** The ticket goes back to the role that did the work; undefined where no role hands in what could be mended. */
function reworkRoute({ manifest: { roles }, ended }: RoutingFacts): RoutingRule | undefined {
  const worker = roles[ended.role]?.routes.submitted !== undefined
    ? ended.role
    : Object.keys(roles).find((role) => roles[role]!.routes.submitted?.ticket === "review");
  return worker === undefined ? undefined : { ticket: "in-progress", next: worker };
}

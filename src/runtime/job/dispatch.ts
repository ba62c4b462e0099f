/** Hands out the next ticket where the manifest leaves that to svc: no model is asked. */
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { waitsFor } from "svc/features/tickets/dependencies.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";

/** Tickets that wait for others, as far as a decision names them. */
const WAITING_NAMED = 5;

/** A job that a route or svc itself asked for; who runs the role by hand gets the role. */
export function svcDispatches(
  { dispatch, roles }: Pick<Manifest, "dispatch" | "roles">,
  { role, trigger }: Pick<Job, "role" | "trigger">,
): boolean {
  const asked = trigger === "route" || trigger === "liveness";
  return dispatch.mode === "routed" && asked && roles[role]?.routes.routed?.next !== undefined;
}

interface Dispatched {
  readonly disposition: "routed" | "no_work";
  /** Why this ticket, for a person. */
  readonly evidence: string;
  readonly ticket?: string;
}

/** @param open ids of those that can be started, first by priority and age */
export function dispatched(tickets: readonly Ticket[], open: readonly string[]): Dispatched {
  const [first] = open;
  const waiting = waitingText(tickets);
  const chosen = tickets.find(({ id }) => id === first);
  if (chosen === undefined) {
    return { disposition: "no_work", evidence: `no ticket can be started${waiting}` };
  }
  const { id, priority } = chosen;
  const others = open.length === 1
    ? "the only one that can be started"
    : `first by priority and age of ${open.length} that can be started`;
  return { disposition: "routed", evidence: `${id}: ${priority}, ${others}${waiting}`, ticket: id };
}

function waitingText(tickets: readonly Ticket[]): string {
  const states = new Map(tickets.map(({ id, state }) => [id, state]));
  const waiting = tickets.filter(({ state }) => state === "backlog").flatMap((ticket) => {
    const needs = waitsFor(ticket, (id) => states.get(id));
    const named = needs.map(({ id, state }) => `${id} (${state ?? "no such ticket"})`);
    return needs.length === 0 ? [] : [`${ticket.id} waits for ${named.join(", ")}`];
  });
  if (waiting.length === 0) return "";
  const rest = waiting.length > WAITING_NAMED
    ? `; ${waiting.length - WAITING_NAMED} more wait`
    : "";
  return `; ${waiting.slice(0, WAITING_NAMED).join("; ")}${rest}`;
}

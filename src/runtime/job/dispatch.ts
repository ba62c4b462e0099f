/** Hands out the next ticket without asking a model, if the manifest leaves that to svc. */
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { waitsFor } from "svc/features/tickets/dependencies.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { needsVouching } from "svc/features/tickets/ticket_names.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { openTickets } from "./rehearsal.ts";

/** How many waiting tickets a decision names at most. */
const WAITING_NAMED = 5;

/**
 * Only for jobs that a route or svc itself asked for: a person who runs the role by hand gets the role, with
 * its model.
 */
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

/** Takes the first ticket that can be started, by priority and age. */
export async function dispatched(ports: RuntimePorts, repo: Repo): Promise<Dispatched> {
  const { tickets } = await repo.tickets.list();
  const open = await openTickets(ports, repo.id, tickets);
  const waiting = waitingText(tickets);
  const first = tickets.find(({ id }) => id === open[0]);
  if (first === undefined) {
    return { disposition: "no_work", evidence: `no ticket can be started${waiting}` };
  }
  const { id, priority } = first;
  const others = open.length === 1
    ? "the only one that can be started"
    : `first by priority and age of ${open.length} that can be started`;
  return { disposition: "routed", evidence: `${id}: ${priority}, ${others}${waiting}`, ticket: id };
}

function waitingText(tickets: readonly Ticket[]): string {
  const states = new Map(tickets.map(({ id, state }) => [id, state]));
  const waiting = tickets.filter(({ state }) => state === "backlog").flatMap((ticket) => {
    if (needsVouching(ticket)) return [`${ticket.id} waits for a person to vouch for it`];
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

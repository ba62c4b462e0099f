/** How a start resumes earlier work: jobs to cancel, tickets to move, jobs to queue. Pure. */
import { counted } from "svc/core/counted.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { roleFor, startable } from "svc/features/routing/choose.ts";
import { isStale } from "svc/features/tickets/hygiene.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import type { NewJob } from "svc/features/jobs/job_store.ts";
import { type JobOrder, orderFor, storedKey, trustOfTicket } from "svc/features/jobs/order_job.ts";
import { TRIED_ONCE_MORE } from "svc/runtime/engine/mended.ts";
import type { StartFacts, UnfollowedDecision } from "./facts.ts";
import { busyJob, dispatcherOf, dispatchOrder } from "svc/runtime/job/team.ts";

export interface StartMove {
  readonly ticket: string;
  readonly from: "in-progress" | "review" | "blocked";
  readonly reason: string;
}

export interface StartSteps {
  readonly moves: readonly StartMove[];
  readonly cancels: readonly { readonly job: string; readonly reason: string }[];
  readonly jobs: readonly NewJob[];
}

/** Jobs to cancel: no process runs them, and their ticket is done or stays blocked, with no pending settlement. */
export function spentJobs(
  facts: StartFacts,
): StartSteps["cancels"] {
  const { jobs, tickets, settlements } = facts;
  const owed = new Set(settlements.map(({ ticket_id }) => ticket_id));
  return jobs.flatMap(({ id, ticket_id, owner }) => {
    if (owner === "alive" || owner === "unknown" || owed.has(ticket_id)) return [];
    const ticket = tickets.find(({ id }) => id === ticket_id);
    const state = ticket?.state;
    if (state !== "done" && state !== "blocked") return [];
    if (unblockedBy(facts, ticket!) !== undefined) return [];
    return [{ job: id, reason: `${ticket_id} is ${state}` }];
  });
}

export function resumeSteps(
  facts: StartFacts,
): { readonly steps: StartSteps; readonly does: readonly string[] } | undefined {
  const cancels = spentJobs(facts);
  const ended = new Set(cancels.map(({ job }) => job));
  const live = facts.jobs.filter(({ id }) => !ended.has(id));
  const moves = movesOf(facts, live);
  const jobs = ordersOf(facts, live, moves);
  const { settlements } = facts;
  if (live.length + settlements.length + moves.length + jobs.length === 0) return undefined;
  const dead = live.filter(({ owner }) => owner === "dead");
  const does = [
    ...(dead.length === 0
      ? []
      : [`takes back ${counted(dead.length, "job")} of a process that died`]),
    ...(live.length === 0 ? [] : [`goes on with ${counted(live.length, "job")}`]),
    ...settlements.map(settlementText),
    ...cancels.map(({ job, reason }) => `cancels job ${job}: ${reason}`),
    ...moves.map(({ ticket, reason }) => `gives ${ticket} back to the backlog: ${reason}`),
    ...jobs.map(({ role, ticket_id }) => `queues "${role}"${ticket_id ? ` for ${ticket_id}` : ""}`),
  ];
  return { steps: { moves, cancels, jobs }, does };
}

function settlementText(settlement: StartFacts["settlements"][number]): string {
  const { ticket_id, to_state, merge_from } = settlement;
  const what = [
    ...(merge_from === null ? [] : [`merges ${merge_from}`]),
    ...(to_state === null ? [] : [`moves ${ticket_id} to ${to_state}`]),
  ];
  return what.length === 0 ? `notes a run on ${ticket_id}` : what.join(" and ");
}

/** Whoever starts svc may have fixed the machine, so tickets that it blocked are tried once more. */
function unblockedBy(
  { flags, profile, mendable, settlements }: StartFacts,
  { id, state }: Ticket,
): string | undefined {
  if (state !== "blocked" || profile !== "host") return undefined;
  if (flags.force) return "unblocked by start --force";
  const owed = settlements.some(({ ticket_id }) => ticket_id === id);
  return mendable.has(id) && !owed ? TRIED_ONCE_MORE : undefined;
}

type LiveJobs = StartFacts["jobs"];

function movesOf(facts: StartFacts, live: LiveJobs): StartMove[] {
  if (facts.profile !== "host") return [];
  return facts.tickets.flatMap((ticket): StartMove[] => {
    const { id, state } = ticket;
    const reason = unblockedBy(facts, ticket);
    if (reason !== undefined) return [{ ticket: id, from: "blocked", reason }];
    if (state !== "in-progress" || !isAbandoned(facts, live, ticket)) return [];
    return [{ ticket: id, from: "in-progress", reason: "stale: no job for it any more" }];
  });
}

function isAbandoned(facts: StartFacts, live: LiveJobs, ticket: Ticket): boolean {
  const { now, manifest, lastJobAt, committedAt, settlements } = facts;
  if (settlements.some(({ ticket_id }) => ticket_id === ticket.id)) return false;
  if (facts.unfollowed.some(({ ticket_id }) => ticket_id === ticket.id)) return false;
  const last = lastJobAt.get(ticket.id);
  const liveJob = live.some(({ ticket_id }) => ticket_id === ticket.id);
  const committed = committedAt.get(ticket.id);
  const signs = {
    ...{ liveJob, requeued: false },
    ...(last !== undefined && { lastJobAt: last }),
    ...(committed !== undefined && { committedAt: committed }),
  };
  const hours = manifest?.dispatch.stale_ticket_hours ?? 24;
  return isStale(ticket, signs, { now, staleMs: hours * 3_600_000 });
}

function ordersOf(facts: StartFacts, live: LiveJobs, moves: readonly StartMove[]): JobOrder[] {
  const { manifest } = facts;
  // A person dispatches.
  if (manifest === undefined || manifest.dispatch.mode === "manual") return [];
  const repo = { id: facts.repo.id, manifest };
  const orders = new Map<string, JobOrder>();
  const add = (order: JobOrder) => {
    const key = storedKey(order.unique_key, facts.profile);
    const waits = live.some(({ unique_key }) => unique_key === key);
    if (!waits && !orders.has(order.unique_key)) orders.set(order.unique_key, order);
  };
  const moved = new Set(moves.map(({ ticket }) => ticket));
  for (const decision of facts.unfollowed) {
    const order = orderAfter(facts, manifest, live, decision);
    if (order !== undefined && !moved.has(order.ticket_id ?? "")) add(order);
  }
  for (const ticket of facts.tickets) {
    if (moved.has(ticket.id) || !waitsForJob(facts, live, ticket)) continue;
    if ([...orders.values()].some(({ ticket_id }) => ticket_id === ticket.id)) continue;
    const role = roleFor(ticket, manifest);
    if (role === undefined) continue; // the audit blocks it and says why
    const trust = trustOfTicket(ticket);
    add(orderFor(repo, { role, ticket, trust, trigger: "ticket" }));
  }
  const dispatcher = moves.length === 0 ? undefined : dispatcherOf(manifest);
  if (dispatcher === undefined) return [...orders.values()];
  const atWork = [
    ...live,
    ...[...orders.values()].map(({ role }) => ({ id: "", role, status: "pending" } as const)),
  ];
  if (busyJob(manifest, dispatcher, atWork) === undefined) {
    add(dispatchOrder(repo, dispatcher));
  }
  return [...orders.values()];
}

function waitsForJob({ settlements }: StartFacts, live: LiveJobs, { id, state }: Ticket): boolean {
  if (state !== "in-progress" && state !== "review") return false;
  return ![...live, ...settlements].some(({ ticket_id }) => ticket_id === id);
}

/** The job that a decision named but nobody queued; undefined if it no longer makes sense. */
function orderAfter(
  facts: StartFacts,
  manifest: Manifest,
  live: LiveJobs,
  decision: UnfollowedDecision,
): JobOrder | undefined {
  const { id, next_role: role, ticket_id, disposition, chosen, branch } = decision;
  if (!Object.hasOwn(manifest.roles, role)) return undefined;
  const repo = { id: facts.repo.id, manifest };
  const order = { role, trust: decision.source_trust, trigger: "route", decision: id } as const;
  if (disposition === "routed") {
    const open = startable(facts.tickets);
    const ticket = open.find((one) => one.id === chosen) ?? open[0];
    return ticket && orderFor(repo, { ...order, ticket, trust: trustOfTicket(ticket) });
  }
  if (ticket_id === null) return orderFor(repo, { ...order, branch });
  if (live.some((job) => job.ticket_id === ticket_id)) return undefined;
  const ticket = facts.tickets.find((one) => one.id === ticket_id);
  const state = ticket && stateAfter(facts, ticket, decision);
  if (ticket === undefined || state === undefined) return undefined;
  if (state === "in-progress" || state === "review") {
    return orderFor(repo, { ...order, ticket });
  }
  return state === "done" ? orderFor(repo, order) : undefined;
}

/** The ticket's state after its settlement; undefined when somebody moved it since. */
function stateAfter(
  { settlements }: StartFacts,
  { id, state }: Ticket,
  { to, rehearsal }: UnfollowedDecision,
): TicketState | undefined {
  if (rehearsal) return to ?? state;
  const owed = settlements.find((one) => one.ticket_id === id && one.to_state !== null);
  const after = owed?.to_state ?? state;
  if (to === undefined) return after === "done" ? undefined : after;
  return after === to ? after : undefined;
}

/** Wishes about issues: a ticket, a role's run on it, the end of its work. */
import { jobsOf } from "svc/features/jobs/job_views.ts";
import { cancelJob, trustOfSource } from "svc/features/jobs/order_job.ts";
import { roleFor } from "svc/features/routing/choose.ts";
import { recordSettlement } from "svc/features/routing/settlement_store.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import type { Draft } from "svc/features/tickets/ticket_draft.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { createTickets, noteOnTicket } from "svc/features/tickets/tickets.ts";
import type { Db } from "svc/store/schema.ts";
import {
  actorOf,
  dropped,
  type Fulfilled,
  markOf,
  onTickets,
  quotedWords,
  ticketOfIssue,
  type WishWork,
} from "./fulfilment.ts";
import { moveOwed } from "./owed_move.ts";
import { queueRole } from "./queue_role.ts";
import { ticketOfPull } from "./pull_ticket.ts";
import type { TicketWish, Wishes } from "./wish.ts";

/** `svc:<role>` of its labels, else the role that hands work in, else the first there is. */
function roleOf({ view }: WishWork, labels: readonly string[]): string {
  const { roles } = view.manifest;
  const named = labels.map((label) => /^[^:]+:(.+)$/.exec(label)?.[1] ?? "");
  const worker = Object.entries(roles).find(([, { routes }]) =>
    routes.submitted?.ticket === "review"
  )?.[0];
  return named.find((name) => Object.hasOwn(roles, name)) ?? worker ?? Object.keys(roles)[0]!;
}

function draftOf(work: WishWork, wish: TicketWish): Draft {
  const { redact } = work.ports;
  const from = `Told by ${wish.by}${wish.url === "" ? "" : `, ${wish.url}`}`;
  return {
    title: redact(wish.title),
    type: wish.type,
    priority: wish.priority,
    source: actorOf(work),
    role: roleOf(work, wish.labels),
    fingerprint: wish.fingerprint,
    ...(wish.url !== "" && { external_url: wish.url }),
    context: redact(`${from}\n\n${wish.body}`),
  };
}

async function ticketFor(work: WishWork, checkout: Checkout, wish: TicketWish): Promise<{
  readonly ticket: Ticket | undefined;
  readonly outcome: string;
}> {
  const { created, deduplicated } = await createTickets(checkout, [draftOf(work, wish)], {
    actor: actorOf(work),
  });
  const [fresh] = created;
  if (fresh !== undefined) return { ticket: fresh, outcome: `created ${fresh.id}` };
  const twin = deduplicated[0]!;
  const outcome = `${twin.id ?? twin.path} is there already`;
  return { ticket: "state" in twin ? twin : undefined, outcome };
}

export async function fulfilTicket(work: WishWork, wish: TicketWish): Promise<Fulfilled> {
  return await onTickets(work, async (checkout) => {
    const { ticket, outcome } = await ticketFor(work, checkout, wish);
    return { state: "done", outcome, ticket };
  });
}

async function ticketOfRun(
  work: WishWork,
  checkout: Checkout,
  { tickets, about }: {
    readonly tickets: readonly Ticket[];
    readonly about: Wishes["run"]["about"];
  },
): Promise<Ticket | undefined> {
  if ("pull" in about) return await ticketOfPull(work, tickets, about.pull);
  const known = ticketOfIssue(tickets, about.issue.fingerprint);
  return known ?? (await ticketFor(work, checkout, about.issue)).ticket;
}

/** Whoever asked may write to the repo; whether the ticket is trusted is another question. */
export async function fulfilRun(work: WishWork, wish: Wishes["run"]): Promise<Fulfilled> {
  return await onTickets(work, async (checkout, tickets) => {
    const { view } = work;
    const ticket = await ticketOfRun(work, checkout, { tickets, about: wish.about });
    if (ticket === undefined) return dropped("there is no ticket of it");
    if (ticket.state === "done") return dropped(`${ticket.id} is done`, ticket);
    const mark = await markOf(work);
    const what = `${wish.by} asked: ${quotedWords(work, wish.text)} ${mark}`;
    await noteOnTicket(checkout, ticket.id, { what, actor: actorOf(work), unless: mark });
    if (ticket.state === "blocked") {
      return { state: "done", outcome: `noted; ${ticket.id} is blocked`, ticket };
    }
    const named = wish.role !== undefined && Object.hasOwn(view.manifest.roles, wish.role);
    const role = named ? wish.role : roleFor(ticket, view.manifest);
    if (role === undefined) return dropped(`no role goes on with ${ticket.id}`, ticket);
    const trust = trustOfSource(ticket.source);
    return {
      state: "done",
      outcome: `${role} works on ${ticket.id}`,
      ticket,
      write: (db, now) => queueRole(work, db, { role, ticket, trust }, now),
    };
  });
}

async function cancelJobs(
  { view }: WishWork,
  db: Db,
  ticket: Ticket,
  { reason, now }: { readonly reason: string; readonly now: number },
): Promise<void> {
  for (const { id, status } of await jobsOf(db, view.id, ticket.id)) {
    if (status === "pending" || status === "running") await cancelJob(db, id, reason, now);
  }
}

/** Its jobs end and its work tree stays; the ticket is blocked, for else it would be taken up again. */
export async function fulfilCancel(work: WishWork, wish: Wishes["cancel"]): Promise<Fulfilled> {
  return await onTickets(work, async (checkout, tickets) => {
    const ticket = ticketOfIssue(tickets, wish.fingerprint);
    if (ticket === undefined) return dropped("there is no ticket of it");
    if (ticket.state === "done") return dropped(`${ticket.id} is done`, ticket);
    const active = ticket.state === "in-progress" || ticket.state === "review";
    if (!active) {
      const mark = await markOf(work);
      const what = `${wish.why} ${mark}`;
      await noteOnTicket(checkout, ticket.id, { what, actor: actorOf(work), unless: mark });
    }
    return {
      state: "done",
      outcome: `${ticket.id}: ${wish.why}`,
      ticket,
      async write(db, now) {
        await cancelJobs(work, db, ticket, { reason: wish.why, now });
        if (!active) return;
        const action = "Say whether the work is still wanted, then unblock it";
        const unblock = { owner: "maintainer", action };
        const move = { ticket, to: "blocked", reason: wish.why, unblock } as const;
        await recordSettlement(db, moveOwed(work, move, now));
      },
    };
  });
}

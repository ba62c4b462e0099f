/** Cards of tickets: the first reason that applies decides the zone. Pure. */
import { CARDS_DONE_MS } from "svc/core/bounds.ts";
import { quoted } from "svc/core/repo_path.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { endedByHand } from "svc/features/jobs/ended_by_hand.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { roleFor } from "svc/features/routing/choose.ts";
import { answerCommand } from "svc/core/question.ts";
import { waitsFor } from "svc/features/tickets/dependencies.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import { needsVouching } from "svc/features/tickets/ticket_names.ts";
import type { RepoBoardFacts, ServiceFacts } from "./board_facts.ts";
import { type Card, cardOf, type CardPlace } from "./card.ts";
import { vouchAction } from "svc/runtime/inbox/actions.ts";
import {
  blockedActions,
  brokenActions,
  dependsActions,
  lostWorkActions,
  restingActions,
} from "svc/runtime/inbox/card_actions.ts";
import { brokenPlace, isBroken, livePlace } from "./job_cards.ts";
import { owedPlace } from "./owed_place.ts";
import { heldWhy, pausedWhy, stoppedWhy } from "./pending_wait.ts";

const HOST = "--execution-profile host --acknowledge-host-execution";

const updatedAt = ({ updated }: Ticket) => Date.parse(updated);

function blockedPlace(ticket: Ticket, { blocks, ground }: RepoBoardFacts): CardPlace {
  const actions = blockedActions(ground, ticket);
  const { question } = ticket;
  if (question !== undefined) {
    const why = `"${question.role}" asks: ${question.asked}`;
    const action = answerCommand(ticket.id);
    return { zone: "needs_you", why, action, actions, since: updatedAt(ticket) };
  }
  const { owner, action } = ticket.unblock!; // a blocked ticket without it is a broken one
  const block = blocks.get(ticket.id);
  // A ticket that was changed after the block may be blocked for another reason.
  const known = block !== undefined && block.settled_at! >= updatedAt(ticket);
  const why = known
    ? `${owner} is asked: ${block.reason}`
    : `It is blocked until ${owner} has acted`;
  return { zone: "needs_you", why, action, actions, since: updatedAt(ticket) };
}

function backlogPlace(
  ticket: Ticket,
  { id, files, ofTicket, ground }: RepoBoardFacts,
  service: ServiceFacts,
  states: ReadonlyMap<string, TicketState>,
): CardPlace {
  const { manifest, cycles } = files;
  const since = updatedAt(ticket);
  const ring = cycles.find((one) => one.includes(ticket.id));
  if (ring !== undefined) {
    const why = `It waits for itself: ${[...ring, ring[0]].join(" → ")}`;
    const action = `Take one of them out of "depends_on": ${ticket.path}`;
    return { zone: "needs_you", why, action, actions: dependsActions(ground, ticket), since };
  }
  const waits = waitsFor(ticket, (id) => states.get(id));
  const unknown = waits.find(({ state }) => state === undefined);
  if (unknown !== undefined) {
    const why = `It waits for ${unknown.id}, and there is no such ticket`;
    const action = `Mend "depends_on" in ${ticket.path}`;
    return { zone: "needs_you", why, action, actions: dependsActions(ground, ticket), since };
  }
  if (needsVouching(ticket)) {
    const why = `It came from outside (${ticket.source}), and nobody who may write to the repo ` +
      "vouches for it";
    const action = `Read it; to have it done: svc tickets move ${ticket.id} backlog`;
    return { zone: "needs_you", why, action, actions: [vouchAction(ground, ticket)], since };
  }
  if (waits.length > 0) {
    const names = waits.map(({ id, state }) => `${id} (${state})`).join(", ");
    return { zone: "waiting", why: `Waits for ${names}`, since };
  }
  const last = ofTicket.get(ticket.id);
  const recent = last?.finished_at != null && last.finished_at >= since ? last : undefined;
  if (recent !== undefined && isBroken(recent)) {
    return { ...brokenPlace(recent), actions: brokenActions(ground, recent, ticket) };
  }
  if (recent?.status === "completed" && service.profile !== "host") {
    const why = `"${recent.role}" rehearsed it: ${recent.disposition}`;
    return { zone: "waiting", why, action: `To have it done: ${HOST}`, since: recent.finished_at };
  }
  if (manifest?.dispatch.mode === "manual") {
    const action = `svc run ${shellWord(ticket.role)} --ticket ${ticket.id}`;
    return { zone: "waiting", why: "Waits to be started: dispatch.mode is manual", action, since };
  }
  const job = { repo_id: id, role: ticket.role, lane: null };
  const fault = service.profile === "host" ? files.fault : undefined;
  const why = pausedWhy(service) ?? heldWhy(job, service) ?? (fault && `Waits for ${fault}`) ??
    stoppedWhy(service) ?? "Can be started: it is handed out next, or soon";
  return { zone: "waiting", why, since };
}

function restingPlace(
  ticket: Ticket,
  { files, ofTicket, ground }: RepoBoardFacts,
  service: ServiceFacts,
): CardPlace {
  const last: Job | undefined = ofTicket.get(ticket.id);
  if (last !== undefined && isBroken(last)) {
    return { ...brokenPlace(last), actions: brokenActions(ground, last, ticket) };
  }
  const since = Math.max(updatedAt(ticket), last?.finished_at ?? 0);
  if (service.profile !== "host") {
    const why = `It is ${ticket.state}, and an observer moves no ticket`;
    return { zone: "waiting", why, action: `To have it done: ${HOST}`, since };
  }
  const { manifest } = files;
  const role = manifest && roleFor(ticket, manifest);
  const ended = last !== undefined && endedByHand(last) && last.finished_at! >= updatedAt(ticket);
  if (role === undefined || ended || manifest?.dispatch.mode === "manual") {
    const why = role === undefined
      ? `No role of the manifest goes on with a ticket in ${ticket.state}`
      : ended
      ? `Its job was ${last.reason}`
      : `No role continues it by itself: dispatch.mode is manual`;
    const action = role === undefined
      ? "Name such a role in the manifest, or move the ticket"
      : `svc run ${role} --ticket ${ticket.id}`;
    return { zone: "needs_you", why, action, actions: restingActions(ground, ticket), since };
  }
  return { zone: "waiting", why: `Nobody is at it: the next audit queues "${role}" again`, since };
}

/** `svc start` refuses to begin with it. */
function lostPlace(ticket: Ticket, { files, ground }: RepoBoardFacts): CardPlace | undefined {
  const lost = files.lost.find((one) => one.ticket === ticket.id);
  return lost && {
    zone: "needs_you",
    why: `It is ${ticket.state}, and its branch ${quoted(lost.branch)} is gone`,
    action: "Bring the branch back, or give the ticket back to the backlog",
    actions: lostWorkActions(ground, lost),
    since: updatedAt(ticket),
  };
}

function ticketCardPlace(
  ticket: Ticket,
  repo: RepoBoardFacts,
  service: ServiceFacts,
  { job, states }: { job: Job | undefined; states: ReadonlyMap<string, TicketState> },
): CardPlace | undefined {
  if (job?.status === "running") return livePlace(job, service, repo);
  const owed = repo.settlements.find(({ ticket_id }) => ticket_id === ticket.id);
  if (owed !== undefined) return owedPlace(owed, repo, ticket);
  if (ticket.state === "done") {
    const since = updatedAt(ticket);
    // A person may have moved it, which merges nothing.
    const approved = repo.ofTicket.get(ticket.id)?.disposition === "approved";
    return service.now - since > CARDS_DONE_MS
      ? undefined
      : { zone: "done", why: approved ? "Approved and merged" : "It is done", since };
  }
  if (ticket.state === "blocked") return blockedPlace(ticket, repo);
  const lost = lostPlace(ticket, repo);
  if (lost !== undefined) return lost;
  if (job?.status === "pending") return livePlace(job, service, repo);
  return ticket.state === "backlog"
    ? backlogPlace(ticket, repo, service, states)
    : restingPlace(ticket, repo, service);
}

export function ticketCards(repo: RepoBoardFacts, service: ServiceFacts): Card[] {
  const { tickets } = repo.files;
  const states = new Map(tickets.map(({ id, state }) => [id, state]));
  const live = new Map<string, Job>();
  for (const job of repo.live) {
    const { ticket_id: id } = job;
    if (id !== null && live.get(id)?.status !== "running") {
      if (job.status === "running" || !live.has(id)) live.set(id, job);
    }
  }
  return tickets.flatMap((ticket) => {
    const job = live.get(ticket.id);
    const place = ticketCardPlace(ticket, repo, service, { job, states });
    if (place === undefined) return [];
    const about = {
      key: `ticket:${repo.id}:${ticket.id}`,
      title: ticket.title,
      repo,
      ticket,
      job: job ?? repo.ofTicket.get(ticket.id),
      progress: job && repo.progress.get(job.id),
    };
    return cardOf(about, place);
  });
}

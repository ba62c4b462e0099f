/** Requests about issues: a ticket, a role's run on it, the end of its work. */
import { trustOfTicket } from "svc/features/jobs/order_job.ts";
import { roleFor } from "svc/features/routing/choose.ts";
import { notePullRequest, pullRequestOf } from "svc/features/routing/pull_request_store.ts";
import { pendingSettlements, recordSettlement } from "svc/features/routing/settlement_store.ts";
import type { TicketDraft } from "svc/features/tickets/ticket_draft.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { needsVouching } from "svc/features/tickets/ticket_names.ts";
import type { Db } from "svc/store/schema.ts";
import {
  actorOf,
  cancelJobs,
  dropped,
  type Fulfilment,
  markOf,
  moveOwed,
  onTickets,
  quotedWords,
  type RequestWork,
  ticketOfIssue,
  ticketOfPull,
} from "./fulfilment.ts";
import { queueRole } from "./queue_role.ts";
import { requestsOfIssue } from "./request_store.ts";
import { knownFingerprint } from "./issue_ticket.ts";
import { labelsOf } from "./take_delivery.ts";
import type { OutsideIssue, RequestItems, WebhookRequest } from "./request.ts";

/** Behind `svc:` or a label that hands issues to svc: others, such as "status:qa", mean something else. */
function namedBy(label: string, handing: readonly string[]): string[] {
  const text = label.toLowerCase();
  return handing.map((name) => `${name.toLowerCase()}:`).filter((start) => text.startsWith(start))
    .map((start) => text.slice(start.length));
}

/** The role that a label `svc:<role>` names, else the one that submits work, else the first. */
function roleOf({ manifest }: RequestWork, labels: readonly string[]): string {
  const { roles } = manifest;
  const handing = ["svc", ...labelsOf(manifest)];
  const named = labels.flatMap((label) => namedBy(label, handing));
  const worker = Object.entries(roles).find(([, { routes }]) =>
    routes.submitted?.ticket === "review"
  )?.[0];
  return named.find((name) => Object.hasOwn(roles, name)) ?? worker ?? Object.keys(roles)[0]!;
}

const PLACES = { github: "GitHub", linear: "Linear" } as const;

/** The person who stands behind the issue, with its text as the event tells it; or why nobody is known to. */
async function voucherOf(
  { ports: { mayVouch, redact }, row: { source } }: RequestWork,
  { askers = [] }: OutsideIssue,
): Promise<{ readonly vouched?: string; readonly why: string }> {
  const named = (login: string) => redact(`${login} at ${PLACES[source]}`);
  const owner = askers.find((one) => one.owner);
  if (owner !== undefined) return { vouched: named(owner.login), why: "" };
  const unknown: string[] = [];
  for (const { login } of askers) {
    const may = await mayVouch?.(login, source);
    if (may) return { vouched: named(login), why: "" };
    if (may === undefined) unknown.push(named(login));
  }
  const why = "; it waits until somebody vouches for it";
  if (unknown.length === 0) return { why };
  return { why: `${why}: svc could not ask the code host about ${unknown.join(" and ")}` };
}

function draftOf(work: RequestWork, request: OutsideIssue): TicketDraft {
  const { redact } = work.ports;
  const from = `Told by ${request.by}${request.url === "" ? "" : `, ${request.url}`}`;
  return {
    title: redact(request.title),
    type: request.type,
    priority: request.priority,
    source: actorOf(work),
    role: roleOf(work, request.labels),
    fingerprint: request.fingerprint,
    ...(request.url !== "" && { external_url: request.url }),
    context: redact(`${from}\n\n${request.body}`),
  };
}

/** By a name that the repo had before, too. */
function asKnown<Issue extends { readonly fingerprint: string; readonly title?: string }>(
  { ports: { redact } }: RequestWork,
  tickets: readonly Ticket[],
  issue: Issue,
): Issue {
  const { fingerprint, title } = issue;
  const asked = { fingerprint, title: title === undefined ? title : redact(title) };
  return { ...issue, fingerprint: knownFingerprint(tickets, asked) };
}

async function ticketFor(
  work: RequestWork,
  tickets: readonly Ticket[],
  request: OutsideIssue,
): Promise<{
  readonly ticket: Ticket | undefined;
  readonly outcome: string;
}> {
  const actor = actorOf(work);
  const { vouched, why } = await voucherOf(work, request);
  const draft = {
    ...draftOf(work, asKnown(work, tickets, request)),
    ...(vouched !== undefined && { vouched }),
  };
  const { created, deduplicated } = await work.repo.tickets.create([draft], { actor });
  const [fresh] = created;
  if (fresh !== undefined) return { ticket: fresh, outcome: `created ${fresh.id}${why}` };
  const twin = deduplicated[0]!;
  const outcome = `${twin.id ?? twin.path} is there already`;
  if (!("state" in twin)) return { ticket: undefined, outcome };
  if (vouched === undefined || !needsVouching(twin)) return { ticket: twin, outcome };
  const now = await work.repo.tickets.vouch(twin.id, { seen: draft, vouched, actor });
  return now === undefined
    ? { ticket: twin, outcome: `${outcome}, and has another text` }
    : { ticket: now, outcome: `${outcome}; ${vouched} vouches for it` };
}

const timeOf = (at: string | undefined) => Date.parse(at ?? "");

interface IssueEvent {
  /** `mention` begins the work only where nothing else has. */
  readonly kind: "begin" | "mention" | "end";
  readonly at: string | undefined;
  readonly final?: true | undefined;
}

function issueEvent(other: WebhookRequest): IssueEvent | undefined {
  if (other.kind === "ticket") return { kind: "begin", at: other.items[0].at };
  if (other.kind === "cancel") {
    const { at, final } = other.items[0];
    return { kind: "end", at, final };
  }
  if (other.kind !== "run") return undefined;
  const { about } = other.items[0];
  return "issue" in about ? { kind: "mention", at: about.issue.at } : undefined;
}

/** Events of one issue may come in any order; the last one by the sender's clock counts. */
async function overtaken(
  { ports, row }: RequestWork,
  kind: "ticket" | "cancel",
  { fingerprint, at }: { readonly fingerprint: string; readonly at?: string | undefined },
): Promise<Fulfilment | undefined> {
  const others = (await requestsOfIssue(ports.db, row, fingerprint))
    .flatMap((other) => issueEvent(other) ?? []);
  // Times are of the second: of two equal ones, the event that came later counts.
  const isLater = (other: IssueEvent) => timeOf(other.at) > timeOf(at);
  if (kind === "ticket") {
    const since = others.some((one) => one.kind === "end" && (one.final || isLater(one)));
    return since ? dropped("its issue was ended since") : undefined;
  }
  const began = others.filter((one) => one.kind !== "end");
  // A mention in an ended issue made the ticket, which that end is not about.
  const since = began.some((one) => isLater(one) && (one.kind === "begin" || began.every(isLater)));
  return since ? dropped("its issue was begun anew since") : undefined;
}

export async function fulfilTicket(work: RequestWork, request: OutsideIssue): Promise<Fulfilment> {
  const late = await overtaken(work, "ticket", request);
  if (late !== undefined) return late;
  return await onTickets(work, async (tickets) => {
    const { ticket, outcome } = await ticketFor(work, tickets, request);
    return { state: "done", outcome, ticket };
  });
}

/** Undefined where there is none yet. */
async function ticketOfRun(
  work: RequestWork,
  tickets: readonly Ticket[],
  about: RequestItems["run"]["about"],
): Promise<Ticket | undefined> {
  if ("pull" in about) return await ticketOfPull(work, tickets, about.pull);
  return ticketOfIssue(tickets, asKnown(work, tickets, about.issue).fingerprint);
}

/** A person who may write to the repo also vouches for the issue in which they ask. */
export async function fulfilRun(
  work: RequestWork,
  request: RequestItems["run"],
): Promise<Fulfilment> {
  return await onTickets(work, async (tickets) => {
    const { manifest } = work;
    const { about } = request;
    let ticket = await ticketOfRun(work, tickets, about);
    if (ticket === undefined && "issue" in about) {
      // A mention that comes after the issue's end was written before it.
      const late = await overtaken(work, "ticket", about.issue);
      if (late !== undefined) return late;
    }
    const vouches = ticket === undefined || (ticket.state !== "done" && needsVouching(ticket));
    if (vouches && "issue" in about) {
      ticket = (await ticketFor(work, tickets, about.issue)).ticket;
    }
    if (ticket === undefined) return dropped("there is no ticket of it");
    if (ticket.state === "done") return dropped(`${ticket.id} is done`, ticket);
    const mark = await markOf(work);
    const what = `${request.by} asked: ${quotedWords(work, request.text)} ${mark}`;
    await work.repo.tickets.note(ticket.id, { what, actor: actorOf(work), unless: mark });
    if (ticket.state === "blocked") {
      return { state: "done", outcome: `noted; ${ticket.id} is blocked`, ticket };
    }
    const named = request.role !== undefined && Object.hasOwn(manifest.roles, request.role);
    const role = named ? request.role : roleFor(ticket, manifest);
    if (role === undefined) return dropped(`no role goes on with ${ticket.id}`, ticket);
    const trust = trustOfTicket(ticket);
    return {
      state: "done",
      outcome: `${role} works on ${ticket.id}`,
      ticket,
      write: (db, now) => queueRole(work, db, { role, ticket, trust }, now),
    };
  });
}

/** The way from the backlog to blocked leads through this state; in the backlog any survey would start it. */
async function takenUp(work: RequestWork, { id }: Ticket, reason: string): Promise<Ticket> {
  const { ticket } = await work.repo.tickets.move(id, {
    ...{ to: "in-progress", toBlock: true, reason, actor: actorOf(work) },
  });
  return ticket;
}

/** A merge that closed the issue too is older than the block, and so ends the ticket first. */
async function askOfMerges({ repo }: RequestWork, db: Db, { id }: Ticket, now: number) {
  for (const { id: settlement, ticket_id, merge_from } of await pendingSettlements(db, repo.id)) {
    if (ticket_id !== id || merge_from === null) continue;
    if (await pullRequestOf(db, settlement) === undefined) continue;
    await notePullRequest(db, settlement, { askAt: now });
  }
}

/** Cancels a ticket's jobs, keeps its work tree, and blocks it, so that nothing starts it again. */
export async function fulfilCancel(
  work: RequestWork,
  request: RequestItems["cancel"],
): Promise<Fulfilment> {
  const late = request.final ? undefined : await overtaken(work, "cancel", request);
  if (late !== undefined) return late;
  return await onTickets(work, async (tickets) => {
    const found = ticketOfIssue(tickets, asKnown(work, tickets, request).fingerprint);
    if (found === undefined) return dropped("there is no ticket of it");
    if (found.state === "done") return dropped(`${found.id} is done`, found);
    const ticket = found.state === "backlog" ? await takenUp(work, found, request.why) : found;
    if (ticket.state === "blocked") {
      const mark = await markOf(work);
      const note = { what: `${request.why} ${mark}`, actor: actorOf(work), unless: mark };
      await work.repo.tickets.note(ticket.id, note);
    }
    return {
      state: "done",
      outcome: `${ticket.id}: ${request.why}`,
      ticket,
      async write(db, now) {
        await cancelJobs(work, db, ticket, { reason: request.why, now });
        if (ticket.state === "blocked") return;
        await askOfMerges(work, db, ticket, now);
        const action = "Say whether the work is still wanted, then unblock it";
        const unblock = { owner: "maintainer", action };
        const move = { ticket, to: "blocked", reason: request.why, unblock } as const;
        await recordSettlement(db, moveOwed(work, move, now));
      },
    };
  });
}

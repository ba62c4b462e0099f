/** Writes tickets: each change is one commit on the checked-out branch, made under the repo's lock. */
import { Failure } from "svc/core/failure.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import type { FileChange } from "svc/platform/git/commit.ts";
import { answerTicket, type GivenAnswer } from "./answer_ticket.ts";
import { editTicket, type TicketEdit } from "./edit_ticket.ts";
import type { FrontEdits } from "./front_edit.ts";
import { type MoveOrder, planMove } from "./move_rules.ts";
import { newFields, newTicketText, slugOf, type TicketDraft } from "./ticket_draft.ts";
import { rewrite, stamp, type TicketWriting } from "./rewrite_ticket.ts";
import { type Evidence, ticketBody } from "./ticket_file.ts";
import { highestEver, idOf, rememberIds } from "./ticket_ids.ts";
import {
  type AllTickets,
  type BrokenTicket,
  listTickets,
  openTicket,
  readAll,
  type Ticket,
} from "./ticket_list.ts";
import type { TicketState } from "./ticket_machine.ts";
import { isFromOutside, needsVouching, sameThing } from "./ticket_names.ts";
import { ticketPath, ticketPlaces } from "./ticket_places.ts";
import { vouchFor, vouching } from "./vouch.ts";

interface CreatedTickets {
  readonly created: readonly Ticket[];
  /** Existing tickets of drafts whose fingerprint is taken already. */
  readonly deduplicated: readonly (Ticket | BrokenTicket)[];
  readonly commit: string | undefined;
}

const names = (tickets: readonly { id: string }[]) =>
  tickets.length === 1 ? tickets[0]!.id : `${tickets[0]!.id} to ${tickets.at(-1)!.id}`;

function checkDrafts(drafts: readonly TicketDraft[], known: ReadonlySet<string>): void {
  for (const { title, depends_on = [] } of drafts) {
    if (title.trim() === "") {
      throw new Failure("usage", "Cannot create a ticket: its title is empty", {
        remedy: "svc tickets new --help",
      });
    }
    const unknown = depends_on.find((id) => !known.has(id));
    if (unknown === undefined) continue;
    throw new Failure("not_found", `Cannot create a ticket that depends on "${unknown}": no such`, {
      remedy: "svc tickets list",
    });
  }
}

type Twins = Map<string, Ticket | BrokenTicket>;

/** Tickets that keep another with their fingerprint from being written, by what they are about. */
function twinsIn({ list, claims }: Pick<AllTickets, "claims" | "list">): Twins {
  const twins: Twins = new Map();
  for (const [fingerprint, broken] of claims) twins.set(sameThing(fingerprint).key, broken);
  for (const ticket of list.tickets) {
    if (ticket.fingerprint === undefined) continue;
    const { key, lasting } = sameThing(ticket.fingerprint);
    if (lasting || ticket.state !== "done") twins.set(key, ticket);
  }
  return twins;
}

/** @param twins the new ones are added */
function newcomers(
  drafts: readonly TicketDraft[],
  twins: Twins,
  { highest, evidence }: { readonly highest: number; readonly evidence: Evidence },
) {
  const created: Ticket[] = [];
  const deduplicated: (Ticket | BrokenTicket)[] = [];
  const changes: FileChange[] = [];
  for (const draft of drafts) {
    const { key } = sameThing(draft.fingerprint ?? "");
    const twin = twins.get(key);
    if (twin !== undefined) {
      deduplicated.push(twin);
      continue;
    }
    const fields = newFields(idOf(highest + created.length + 1), draft, evidence.at);
    const path = ticketPath("backlog", fields.id, slugOf(fields.title));
    const ticket: Ticket = { ...fields, state: "backlog", path };
    created.push(ticket);
    if (key !== "") twins.set(key, ticket);
    const text = newTicketText(fields, draft, evidence);
    changes.push({ path, bytes: new TextEncoder().encode(text), before: null });
  }
  return { created, deduplicated, changes };
}

/** Writes one commit. @throws Failure as `Commits`; `not_found` for a dependency that does not exist */
export async function createTickets(
  checkout: Checkout,
  drafts: readonly TicketDraft[],
  { actor, dryRun = false }: TicketWriting,
): Promise<CreatedTickets> {
  const doing = "create a ticket";
  const { git, commits, clock, folder } = checkout;
  await commits.mustTakeCommits(git, doing);
  const write = async (): Promise<CreatedTickets> => {
    const all = await readAll(checkout);
    const { found } = all;
    checkDrafts(drafts, new Set(found.flatMap(({ id }) => id ?? [])));
    const known = await highestEver(checkout, found);
    const { highest } = known;
    const at = stamp(clock.now());
    const evidence = { at, actor, what: "created", commit: await commits.tip(git) };
    const { created, deduplicated, changes } = newcomers(drafts, twinsIn(all), {
      ...{ highest, evidence },
    });
    if (dryRun) return { created, deduplicated, commit: undefined };
    await rememberIds(checkout, { ...known, highest: highest + created.length });
    if (created.length === 0) return { created, deduplicated, commit: undefined };
    const message = `chore(tickets): create ${names(created)}`;
    const commit = await commits.commit(git, folder, { doing, changes, message });
    return { created, deduplicated, commit };
  };
  return dryRun ? await write() : await checkout.locked(doing, write);
}

interface MovedTicket {
  readonly ticket: Ticket;
  readonly from: TicketState;
  readonly to: TicketState;
  readonly commit: string | undefined;
  /** SHA-256 of the file's bytes. */
  readonly version: string;
}

/** @throws Failure as `Commits` and `planMove` */
export async function moveTicket(
  checkout: Checkout,
  id: string,
  order: MoveOrder & TicketWriting & {
    /** A person moves it, and so has read a text from outside; then `to` may be where it is. */
    readonly vouch?: boolean;
  },
): Promise<MovedTicket> {
  const doing = `move ${id}`;
  await checkout.commits.mustTakeCommits(checkout.git, doing);
  const move = async (): Promise<MovedTicket> => {
    const found = await ticketPlaces(checkout);
    const opened = await openTicket(checkout, id, found);
    const from = opened.ticket.state;
    if (order.vouch === true && order.to === from && needsVouching(opened.ticket)) {
      const change = { ...vouching(id, order.actor), to: from };
      return { from, to: from, ...await rewrite(checkout, opened, change, order) };
    }
    const states = new Map(found.map((place) => [place.id, place.state]));
    const { edits, what } = planMove(opened.ticket, order, (id) => states.get(id));
    const message = `chore(tickets): move ${id} to ${order.to}`;
    const { source, vouched = order.actor } = opened.ticket;
    const vouches = order.vouch === true && isFromOutside(source);
    const change = { what, message, to: order.to, edits: vouches ? { ...edits, vouched } : edits };
    return { from, to: order.to, ...await rewrite(checkout, opened, change, order) };
  };
  return order.dryRun ? await move() : await checkout.locked(doing, move);
}

/** @param attempt a run without a result; @param unless skips a ticket whose body holds it already */
export async function noteOnTicket(
  checkout: Checkout,
  id: string,
  { what, attempt = false, unless, ...writing }: TicketWriting & {
    readonly what: string;
    readonly attempt?: boolean;
    readonly unless?: string;
  },
): Promise<{ readonly ticket: Ticket; readonly commit: string | undefined }> {
  return await checkout.locked(`write to ${id}`, async () => {
    const opened = await openTicket(checkout, id);
    if (unless !== undefined && ticketBody(opened.content.bytes).includes(unless)) {
      return { ticket: opened.ticket, commit: undefined };
    }
    const { state, attempts } = opened.ticket;
    const edits: FrontEdits = attempt ? { attempts: attempts + 1 } : {};
    const message = attempt
      ? `chore(tickets): count attempt ${attempts + 1} of ${id}`
      : `chore(tickets): add evidence to ${id}`;
    return await rewrite(checkout, opened, { edits, what, message, to: state }, writing);
  });
}

export function ticketsOf(checkout: Checkout) {
  return {
    list: () => listTickets(checkout),
    find: (id: string) => openTicket(checkout, id),
    create: (drafts: readonly TicketDraft[], writing: TicketWriting) =>
      createTickets(checkout, drafts, writing),
    move: (id: string, order: Parameters<typeof moveTicket>[2]) => moveTicket(checkout, id, order),
    edit: (id: string, edit: TicketEdit) => editTicket(checkout, id, edit),
    answer: (id: string, answer: GivenAnswer) => answerTicket(checkout, id, answer),
    vouch: (id: string, asked: Parameters<typeof vouchFor>[2]) => vouchFor(checkout, id, asked),
    note: (id: string, note: Parameters<typeof noteOnTicket>[2]) =>
      noteOnTicket(checkout, id, note),
  };
}

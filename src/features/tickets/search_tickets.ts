/** Finds, orders and pages tickets of any number of repos. Pure: texts are given. */
import { Failure } from "svc/core/failure.ts";
import { statesOf } from "svc/core/machine.ts";
import { boundedWords } from "svc/core/search_bounds.ts";
import { shortened, shortenedStart } from "svc/core/shortened.ts";
import { folded } from "./ticket_hold.ts";
import type { Ticket } from "./ticket_list.ts";
import { ticketMachine, type TicketState } from "./ticket_machine.ts";
import { PRIORITIES } from "./ticket_names.ts";
import { numberIn } from "./ticket_places.ts";

/** `best`: where the words were found, then as `priority`, which has what is done last; times newest first. */
export const TICKET_SORTS = ["best", "priority", "updated", "created", "id", "title"] as const;
export type TicketSort = typeof TICKET_SORTS[number];

export interface TicketQuery {
  /** Words that must all occur, in any case; "several words" in quotes are one. */
  readonly search?: string | undefined;
  readonly state?: string | undefined;
  readonly role?: string | undefined;
  readonly type?: string | undefined;
  readonly priority?: string | undefined;
}

export interface SearchedRepo {
  readonly id: string;
  readonly name: string;
  readonly tickets: readonly Ticket[];
  /** Folded text of a ticket's file. */
  text(path: string): string;
}

type SortKey = readonly (number | string)[];

export interface FoundTicket {
  readonly repo: SearchedRepo;
  readonly ticket: Ticket;
  /** The words stand in its text alone. */
  readonly inText: boolean;
  /** Unique, and the same for as long as the ticket does not change. */
  readonly key: SortKey;
}

/** @throws Failure `usage` for a search that is too long */
export function wordsOf(search: string): string[] {
  const words = [...folded(search).matchAll(/"([^"]+)"|[^\s"]+/g)]
    .map(([word, phrase]) => phrase?.trim() ?? word).filter((word) => word !== "");
  return boundedWords("tickets", search, words);
}

const EXACT = 0;
const IN_TITLE = 1;
const IN_FIELDS = 2;
const IN_TEXT = 3;

function fieldsOf(repo: SearchedRepo, ticket: Ticket): string {
  const { id, state, role, priority, type, source, acceptance, unblock, question } = ticket;
  const waits = [unblock?.owner, unblock?.action, question?.asked].filter((said) => said);
  return folded(
    [id, state, role, priority, type, source, repo.name, ...acceptance, ...waits].join("\n"),
  );
}

/** Undefined where a word is missing. */
function rankOf(
  repo: SearchedRepo,
  ticket: Ticket,
  words: readonly string[],
): number | undefined {
  if (words.length === 0) return EXACT;
  const id = folded(ticket.id);
  if (words.length === 1 && (words[0] === id || words[0] === String(numberIn(ticket.path)))) {
    return EXACT;
  }
  const title = folded(ticket.title);
  const absent = words.filter((word) => !title.includes(word));
  if (absent.length === 0) return IN_TITLE;
  const fields = fieldsOf(repo, ticket);
  const further = absent.filter((word) => !fields.includes(word));
  if (further.length === 0) return IN_FIELDS;
  const text = repo.text(ticket.path);
  return further.every((word) => text.includes(word)) ? IN_TEXT : undefined;
}

function keyOf(sort: TicketSort, rank: number, repo: SearchedRepo, ticket: Ticket): SortKey {
  const { state, priority, updated, created, title, path } = ticket;
  const number = numberIn(path)!;
  const last = [number, repo.id];
  // What is done is not urgent, whatever it was.
  const urgent = [state === "done" ? 1 : 0, PRIORITIES.indexOf(priority), ...last];
  const keys: Record<TicketSort, () => SortKey> = {
    best: () => [rank, ...urgent],
    priority: () => urgent,
    updated: () => [-Date.parse(updated), ...last],
    created: () => [-Date.parse(created), ...last],
    id: () => last,
    title: () => [folded(title), ...last],
  };
  return keys[sort]();
}

/** By UTF-16 units, so that no locale changes the order. */
function before(a: SortKey, b: SortKey): number {
  for (const [at, one] of a.entries()) {
    if (one !== b[at]) return one < b[at]! ? -1 : 1;
  }
  return 0;
}

export type StateCounts = Record<TicketState, number>;

/** Tickets of one repo that match but for their state, in order. */
export function matchesIn(
  repo: SearchedRepo,
  query: TicketQuery,
  sort: TicketSort,
): readonly FoundTicket[] {
  const words = wordsOf(query.search ?? "");
  const found: FoundTicket[] = [];
  for (const ticket of repo.tickets) {
    const { role = ticket.role, type = ticket.type, priority = ticket.priority } = query;
    if (role !== ticket.role || type !== ticket.type || priority !== ticket.priority) continue;
    const rank = rankOf(repo, ticket, words);
    if (rank === undefined) continue;
    const key = keyOf(sort, rank, repo, ticket);
    found.push({ repo, ticket, key, inText: rank === IN_TEXT });
  }
  return inOrder(found);
}

const inOrder = (found: FoundTicket[]) => found.sort((a, b) => before(a.key, b.key));

/**
 * Counts all that match but for their state. @throws Failure `usage` for a search that is too long
 * @param matches what `matchesIn` gives, from wherever it is kept
 */
export function searchTickets(
  repos: readonly SearchedRepo[],
  query: TicketQuery,
  sort: TicketSort,
  matches: typeof matchesIn = matchesIn,
): { readonly found: readonly FoundTicket[]; readonly counts: StateCounts } {
  wordsOf(query.search ?? ""); // refuses it for no repos, too
  const counts = Object.fromEntries(
    statesOf(ticketMachine).map((state) => [state, 0]),
  ) as StateCounts;
  const found: FoundTicket[] = [];
  for (const repo of repos) {
    for (const match of matches(repo, query, sort)) {
      const { state } = match.ticket;
      counts[state]++;
      if ((query.state ?? state) === state) found.push(match);
    }
  }
  return { found: repos.length === 1 ? found : inOrder(found), counts };
}

/** Names the last ticket of a page by what orders it, so that what is added meanwhile shifts nothing. */
export function cursorAt(sort: TicketSort, { key }: FoundTicket): string {
  const bytes = new TextEncoder().encode(JSON.stringify([sort, ...key]));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** @throws Failure `usage` for a cursor that no page of this order gave */
export function afterCursor(
  found: readonly FoundTicket[],
  sort: TicketSort,
  cursor: string,
): readonly FoundTicket[] {
  const key = keyIn(sort, cursor);
  const first = found.findIndex((one) => before(one.key, key) > 0);
  return first === -1 ? [] : found.slice(first);
}

const KEY_LENGTHS: Readonly<Record<TicketSort, number>> = {
  ...{ best: 5, priority: 4, updated: 3, created: 3, id: 2, title: 3 },
};

function keyIn(sort: TicketSort, cursor: string): SortKey {
  const wrong = new Failure("usage", "Cannot go on: no page of this order gave that cursor", {
    remedy: "Ask for the first page, without a cursor",
  });
  try {
    const bytes = Uint8Array.fromBase64(cursor, { alphabet: "base64url" });
    const [named, ...key] = JSON.parse(new TextDecoder().decode(bytes)) as unknown[];
    const kinds = KEY_LENGTHS[sort] === key.length &&
      key.every((part, at) => typeof part === (isText(sort, at) ? "string" : "number"));
    if (named !== sort || !kinds) throw wrong;
    return key as SortKey;
  } catch {
    throw wrong; // whatever it holds, svc did not write it
  }
}

const isText = (sort: TicketSort, at: number) =>
  at === KEY_LENGTHS[sort] - 1 || sort === "title" && at === 0;

/** Characters of the line that a search found. */
const EXCERPT_CHARS = 160;

/** The line of a text that holds the first of the words that any line holds. @param text not folded */
export function excerptOf(text: string, search: string): string | undefined {
  const lines = text.split(/\r?\n/);
  for (const word of wordsOf(search)) {
    const line = lines.find((one) => folded(one).includes(word))?.trim();
    if (line === undefined) continue;
    const at = Math.max(0, folded(line).indexOf(word) - EXCERPT_CHARS / 4);
    const rest = shortenedStart(line, line.length - at);
    return shortened(rest, EXCERPT_CHARS + (at > 0 ? 1 : 0));
  }
  return undefined;
}

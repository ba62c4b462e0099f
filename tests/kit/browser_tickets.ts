/** Tickets in memory behind the pages: real texts, searched, moved and edited by the rules of the program; only git is missing. */
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import { TicketChanged } from "svc/features/tickets/edit_ticket.ts";
import type { FrontEdits } from "svc/features/tickets/front_edit.ts";
import { moveBetween, planMove } from "svc/features/tickets/move_rules.ts";
import { afterCursor, cursorAt, searchTickets } from "svc/features/tickets/search_tickets.ts";
import {
  newFields,
  newTicketText,
  slugOf,
  type TicketDraft,
} from "svc/features/tickets/ticket_draft.ts";
import { readTicket, rewriteTicket, ticketBody } from "svc/features/tickets/ticket_file.ts";
import { folded } from "svc/features/tickets/ticket_hold.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import { ticketPath } from "svc/features/tickets/ticket_places.ts";
import type { TicketAsks } from "svc/runtime/service/ticket_asks.ts";
import type { Reads } from "svc/runtime/views/all.ts";
import type { TicketItem } from "svc/runtime/views/tickets_view.ts";
import { before, HARBOR } from "tests/kit/browser_facts.ts";
import { ticketPage } from "tests/kit/browser_pages.ts";

const STATES: readonly TicketState[] = ["backlog", "in-progress", "review", "blocked", "done"];
const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface ShelfTicket {
  readonly title: string;
  readonly state?: TicketState;
  readonly priority?: Ticket["priority"];
  readonly type?: Ticket["type"];
  readonly role?: string;
  readonly context?: string;
  readonly depends_on?: readonly string[];
  readonly acceptance?: readonly string[];
  /** Minutes before now. */
  readonly ago?: number;
}

interface ShelfFile {
  ticket: Ticket;
  text: string;
}

export interface TicketShelf {
  readonly reads: Pick<Reads, "ticket" | "ticket-templates" | "tickets">;
  readonly asks: TicketAsks;
  readonly files: ReadonlyMap<string, ShelfFile>;
  /** Somebody else writes the file. */
  write(id: string, text: string): void;
  /** What git says to the next change. */
  refuse(why: string | undefined): void;
}

function shelved(nth: number, { title, state = "backlog", ago = nth, ...given }: ShelfTicket) {
  const at = before(Date.now(), ago).replace(/\.\d+Z$/, "Z");
  const draft: TicketDraft = {
    ...{ title, type: "feature", priority: "p2", role: "engineer", source: "human" },
    ...given,
  };
  const id = `T-${String(nth).padStart(4, "0")}`;
  const fields = newFields(id, draft, at);
  const path = ticketPath(state, id, slugOf(fields.title) || "x");
  const evidence = { at, actor: "ada", what: "created", commit: undefined };
  const blocked = state === "blocked" && { unblock: { owner: "ada", action: "renew the key" } };
  const text = newTicketText({ ...fields, ...blocked }, draft, evidence);
  return { text, ticket: { ...fields, ...blocked, state, path } as Ticket };
}

const item = (
  { repo, ticket, inText }: ReturnType<typeof searchTickets>["found"][number],
  line: string | null,
): TicketItem => ({
  ...ticket,
  ...{ repo_id: repo.id, repo: repo.name, depends_on: [...ticket.depends_on] },
  ...{ waits_for: [], asks: false, job_id: null, job_status: null },
  excerpt: inText ? line : null,
});

function only(item: TicketItem): TicketItem {
  const { id, repo_id, repo, title, state, type, priority, role, source, path, ...rest } = item;
  const { created, updated, depends_on, waits_for, asks, job_id, job_status, excerpt } = rest;
  return {
    ...{ id, repo_id, repo, title, state, type, priority, role, source, path, created, updated },
    ...{ depends_on, waits_for, asks, job_id, job_status, excerpt },
  };
}

export function ticketShelf(given: readonly ShelfTicket[]): TicketShelf {
  const files = new Map<string, ShelfFile>(
    given.map((one, nth) => shelved(nth + 1, one)).map((file) => [file.ticket.id, file]),
  );
  let refusal: string | undefined;
  const versionOf = (text: string) => sha256(encoder.encode(text));
  const fileOf = (id: string) => {
    const file = files.get(id);
    if (file === undefined) throw new Failure("not_found", `Cannot find ${id}`);
    if (refusal !== undefined) throw new Failure("conflict", refusal);
    return file;
  };
  const write = (file: ShelfFile, text: string, state = file.ticket.state) => {
    const path = file.ticket.path.replace(`/${file.ticket.state}/`, `/${state}/`);
    file.text = text;
    file.ticket = { ...readTicket(encoder.encode(text), path), state, path };
  };
  const rewrite = (file: ShelfFile, edits: FrontEdits, what: string, state?: TicketState) => {
    const at = before(Date.now(), 0).replace(/\.\d+Z$/, "Z");
    const evidence = { at, actor: "a person at the dashboard", what, commit: undefined };
    const told = { edits: { ...edits, updated: at }, evidence };
    const bytes = rewriteTicket(encoder.encode(file.text), file.ticket.path, told);
    write(file, decoder.decode(bytes), state);
  };
  const asks: TicketAsks = {
    create(_repo, { template: _, ...draft }) {
      const nth = Math.max(0, ...[...files.keys()].map((id) => Number(id.slice(2)))) + 1;
      if (refusal !== undefined) throw new Failure("conflict", refusal);
      const file = shelved(nth, { ago: 0, ...draft, title: draft.title! });
      files.set(file.ticket.id, file);
      return Promise.resolve({ ticket: file.ticket, commit: "c1", existed: false });
    },
    async edit(_repo, id, { version, text, fields = {} }) {
      const file = fileOf(id);
      const bytes = encoder.encode(file.text);
      const sha = await versionOf(file.text);
      if (version !== sha) {
        const content = { bytes, sha256: sha } as unknown as TicketChanged["present"]["content"];
        throw new TicketChanged({ ticket: file.ticket, content }, file.text);
      }
      if (text === undefined) rewrite(file, { ...fields } as FrontEdits, "edited");
      else write(file, text);
      return {
        ...{ ticket: file.ticket, commit: "c2", version: await versionOf(file.text) },
        changes: [text === undefined ? Object.keys(fields).join() : "text"],
      };
    },
    async move(_repo, id, order) {
      const file = fileOf(id);
      const { edits, what } = planMove(
        file.ticket,
        order,
        (other) => files.get(other)?.ticket.state,
      );
      rewrite(file, edits, what, order.to);
      return { ticket: file.ticket, commit: "c3", version: await versionOf(file.text) };
    },
  };
  return {
    ...{ files, asks },
    write: (id, text) => write(files.get(id)!, text),
    refuse: (why) => refusal = why,
    reads: {
      tickets({ limit = "50", after, sort = "best", ...query } = {}) {
        const repo = {
          ...{ id: HARBOR.repo_id, name: HARBOR.repo },
          tickets: [...files.values()].map(({ ticket }) => ticket),
          text: (path: string) => folded(bodies.get(path) ?? ""),
        };
        const bodies = new Map([...files.values()].map(({ ticket, text }) => [ticket.path, text]));
        const { found, counts } = searchTickets([repo], query, sort);
        const rest = after === undefined ? found : afterCursor(found, sort, after);
        const page = rest.slice(0, Number(limit));
        const word = folded(query.search ?? "").split(/\s+/)[0]!;
        const line = (path: string) =>
          bodies.get(path)?.split("\n").find((one) => folded(one).includes(word)) ?? null;
        return Promise.resolve({
          as_of: before(Date.now(), 0),
          tickets: page.map((one) => only(item(one, line(one.ticket.path)))),
          ...{ total: found.length, counts, broken: [], broken_total: 0, unread: [] },
          next: rest.length > page.length ? cursorAt(sort, page.at(-1)!) : null,
        });
      },
      async ticket({ id }) {
        const file = files.get(id);
        if (file === undefined) return undefined;
        const { title, state, type, priority, role, path, depends_on, acceptance } = file.ticket;
        const { ticket, ...rest } = ticketPage(Date.now());
        return {
          ...rest,
          ticket: {
            ...ticket,
            ...{ id, title, state, type, priority, role, path, depends_on: [...depends_on] },
            ...{ acceptance: [...acceptance], body: ticketBody(encoder.encode(file.text)) },
            ...{ text: file.text, version: await versionOf(file.text), text_fault: null },
            ...{ unblock: file.ticket.unblock ?? null, question: null },
            moves: STATES.filter((to) => moveBetween(state, to) !== undefined),
            ...{ waits_for: [], awaited_by: [] },
          },
        };
      },
      "ticket-templates": () =>
        Promise.resolve({
          templates: [{
            ...{ name: "bug", about: "Something does not do what it should", title: "" },
            ...{ type: "bug", priority: "p1", role: "qa", path: null },
            ...{ acceptance: ["A test fails without the fix"], text: "**What happens:**" },
          }],
          broken: [],
        }),
    },
  };
}

const TITLES = [
  "Retry uploads that the harbour gate turned away",
  "Show the berth plan by day",
  "Refuse a berth that is too short for the ship that is announced for it, and say in the refusal which berth of the same quay would fit, with its length, its depth at low water and the hours in which it is free",
  "خطة الأرصفة: عرض السفن حسب اليوم",
  "Keep the tide table for a year",
  "Cache the port register",
  "Name the crane in alarms",
  "Log in UTC",
  "Speed up the arrivals query",
  "averyveryverylongwordwithoutanyspacesthatwouldotherwisepushtheboardapartbecausenothingbreaksit",
];

/** Tickets that differ as real ones do. */
export function manyTickets(count: number): ShelfTicket[] {
  const roles = ["engineer", "qa", "gardener", "engineer"];
  return Array.from({ length: count }, (_, nth) => ({
    title: nth < TITLES.length ? TITLES[nth]! : `${TITLES[nth % TITLES.length]} (${nth})`,
    state: nth % 7 < 3 ? "done" : STATES[nth % 4]!,
    priority: (["p2", "p1", "p3", "p0", "p2"] as const)[nth % 5]!,
    type: (["feature", "bug", "debt", "docs"] as const)[nth % 4]!,
    role: roles[nth % 4]!,
    ago: nth * 11,
    context: nth % 3 === 0
      ? `At high water the gate answers 503, ticket ${nth}.`
      : "The quay is busy.",
    acceptance: ["A test fails without the change"],
  }));
}

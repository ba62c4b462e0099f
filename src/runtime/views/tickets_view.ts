/** `GET /api/tickets`: a search over all tickets of all repos, a page at a time. */
import { Failure } from "svc/core/failure.ts";
import { statesOf } from "svc/core/machine.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { liveJobs } from "svc/features/jobs/job_views.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { waitsFor } from "svc/features/tickets/dependencies.ts";
import {
  afterCursor,
  cursorAt,
  excerptOf,
  type FoundTicket,
  type SearchedRepo,
  searchTickets,
  TICKET_SORTS,
  wordsOf,
} from "svc/features/tickets/search_tickets.ts";
import { ticketBody } from "svc/features/tickets/ticket_file.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { TICKET_BYTES } from "svc/features/tickets/ticket_places.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";
import { PRIORITIES, TICKET_TYPES } from "svc/features/tickets/ticket_names.ts";
import { keptMatches } from "./kept_matches.ts";
import { dashboardRead, UNKNOWN_REPO } from "./read.ts";
import type { BoardFiles } from "./repo_files.ts";
import { count, pick, type ShapeOf, time, type Z } from "./shape.ts";
import { unheldTexts } from "./unheld_texts.ts";
import { UNINTERRUPTED, type ViewPorts } from "./view_ports.ts";

const PAGE = { usual: 50, most: 200 };

/** Broken files that are named; further ones are only counted. */
const BROKEN_NAMED = 100;

const STATES = statesOf(ticketMachine);

export const waitShape = (z: Z) =>
  z.strictObject({ id: z.string(), state: z.enum(STATES).nullable() });

const ticketItemShape = (z: Z) =>
  z.strictObject({
    id: z.string(),
    repo_id: z.string(),
    repo: z.string(),
    title: z.string(),
    state: z.enum(STATES),
    type: z.enum(TICKET_TYPES),
    priority: z.enum(PRIORITIES),
    role: z.string(),
    source: z.string(),
    path: z.string(),
    created: z.string(),
    updated: z.string(),
    depends_on: z.array(z.string()),
    /** Those of `depends_on` that are not done; without a state: there is no such ticket. */
    waits_for: z.array(waitShape(z)),
    /** A role's question waits for an answer. */
    asks: z.boolean(),
    /** The job that works on it now, or else waits to. */
    job_id: z.string().nullable(),
    job_status: z.enum(["pending", "running"]).nullable(),
    /** The line that was found, where only the text has it. */
    excerpt: z.string().nullable(),
  });
export type TicketItem = ShapeOf<typeof ticketItemShape>;

const ticketsShape = (z: Z) =>
  z.strictObject({
    as_of: time(z),
    tickets: z.array(ticketItemShape(z)),
    total: count(z),
    /** Tickets of each state that all but `state` applies to. */
    counts: z.record(z.enum(STATES), count(z)),
    /** Asks for the next page, as `after`. */
    next: z.string().nullable(),
    /** Files that cannot be read as a ticket. */
    broken: z.array(z.strictObject({
      ...{ repo_id: z.string(), repo: z.string(), path: z.string(), id: z.string().nullable() },
      ...{ reason: z.string(), remedy: z.string() },
    })),
    broken_total: count(z),
    /** Repos whose tickets cannot be read at all. */
    unread: z.array(z.strictObject({ repo_id: z.string(), repo: z.string(), reason: z.string() })),
  });
export type Tickets = ShapeOf<typeof ticketsShape>;

interface Searched {
  readonly row: RegisteredRepo;
  readonly files: BoardFiles;
}

/** @throws Failure `usage` */
function limitOf(limit: string | undefined): number {
  if (limit === undefined) return PAGE.usual;
  if (/^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= PAGE.most) return Number(limit);
  throw new Failure("usage", `Cannot list tickets: "limit" takes 1 to ${PAGE.most}`);
}

/** By path, for tickets in which only the text matches. */
async function excerpts(
  { readTree }: Pick<ViewPorts, "readTree">,
  root: string,
  page: readonly FoundTicket[],
  search: string,
): Promise<ReadonlyMap<string, string>> {
  const paths = page.filter(({ inText }) => inText).map(({ ticket }) => ticket.path);
  const found = new Map<string, string>();
  if (paths.length === 0) return found;
  const plan = { root, paths, maxBytes: TICKET_BYTES, signal: UNINTERRUPTED };
  await readTree(plan, (path, content) => {
    const line = typeof content === "string" ? undefined : excerptOf(ticketBody(content), search);
    if (line !== undefined) found.set(path, line);
  });
  return found;
}

function ticketItem(
  { repo, ticket }: FoundTicket,
  { states, jobs, excerpt }: {
    readonly states: ReadonlyMap<string, Ticket["state"]>;
    readonly jobs: ReadonlyMap<string, Job>;
    readonly excerpt: string | undefined;
  },
): TicketItem {
  const job = jobs.get(ticket.id);
  return {
    ...pick(ticket, "id", "title", "state", "type", "priority", "role", "source", "path"),
    ...pick(ticket, "created", "updated"),
    repo_id: repo.id,
    repo: repo.name,
    depends_on: [...ticket.depends_on],
    waits_for: ticket.state === "done" ? [] : waitsFor(ticket, (id) => states.get(id))
      .map(({ id, state }) => ({ id, state: state ?? null })),
    asks: ticket.question !== undefined,
    job_id: job?.id ?? null,
    job_status: job === undefined ? null : job.status === "running" ? "running" : "pending",
    excerpt: excerpt ?? null,
  };
}

/** The running job of each ticket, or else the first that waits. */
async function jobsOnTickets(db: ViewPorts["db"], repoId: string) {
  const on = new Map<string, Job>();
  for (const job of await liveJobs(db, repoId)) {
    const { ticket_id: id, status } = job;
    if (id !== null && (status === "running" || !on.has(id))) on.set(id, job);
  }
  return on;
}

async function itemsOf(
  ports: ViewPorts,
  searched: readonly Searched[],
  page: readonly FoundTicket[],
  search: string,
): Promise<TicketItem[]> {
  const known = new Map(
    await Promise.all(searched.map(async ({ row, files }) => {
      const own = page.filter(({ repo }) => repo.id === row.id);
      const states = new Map(
        own.length === 0 ? [] : files.tickets.map((one) => [one.id, one.state]),
      );
      const jobs = own.length === 0
        ? new Map<string, Job>()
        : await jobsOnTickets(ports.db, row.id);
      return [row.id, {
        states,
        jobs,
        lines: await excerpts(ports, row.path, own, search),
      }] as const;
    })),
  );
  return page.map((one) => {
    const { lines, ...facts } = known.get(one.repo.id)!;
    return ticketItem(one, { ...facts, excerpt: lines.get(one.ticket.path) });
  });
}

export const ticketsRead = dashboardRead({
  name: "tickets",
  about:
    "All tickets that match, a page at a time. `search`: words that must all occur in id, title, " +
    'text, state, role, type, priority, source or repo, in any case; "several words" in quotes are one.',
  query: {
    repo_id: "optional",
    search: "optional",
    state: STATES,
    role: "optional",
    type: TICKET_TYPES,
    priority: PRIORITIES,
    sort: TICKET_SORTS,
    /** 1 to 200; 50 where it is not given. */
    limit: "optional",
    /** `next` of the page before. */
    after: "optional",
  },
  shape: ticketsShape,
  missing: UNKNOWN_REPO,
  async read({ ports, board, scope }, query): Promise<Tickets | undefined> {
    const { repo_id, search = "", sort = "best", after, ...filter } = query;
    if (repo_id !== undefined && !scope.has(repo_id)) return undefined;
    const limit = limitOf(query.limit);
    const words = wordsOf(search);
    const rows = scope.repos.filter(({ id }) => repo_id === undefined || id === repo_id);
    const searched = await Promise.all(
      rows.map(async (row) => ({ row, files: await board.files.of(row) })),
    );
    const repos = await Promise.all(searched.map(async (one): Promise<SearchedRepo> => {
      const { row: { id }, files: { tickets, texts } } = one;
      const unheld = await unheldTexts(ports, one, words);
      const text = (path: string) => texts.text(path) ?? unheld.get(path) ?? "";
      return { id, name: scope.nameOf(id), tickets, text };
    }));
    const filesOf = new Map(repos.map((repo, nth) => [repo, searched[nth]!.files]));
    const { found, counts } = searchTickets(
      repos,
      { ...filter, search },
      sort,
      (repo, asked, order) => keptMatches(filesOf.get(repo)!, repo, asked, order),
    );
    const rest = after === undefined ? found : afterCursor(found, sort, after);
    const page = rest.slice(0, limit);
    const broken = searched.flatMap(({ row: { id }, files }) =>
      files.broken.map((one) => ({
        repo_id: id,
        repo: scope.nameOf(id),
        ...one,
        id: one.id ?? null,
      }))
    );
    return {
      as_of: rfc3339(Math.min(ports.clock.now(), ...searched.map(({ files }) => files.readAt))),
      tickets: await itemsOf(ports, searched, page, search),
      total: found.length,
      counts,
      next: rest.length > limit ? cursorAt(sort, page.at(-1)!) : null,
      broken: broken.slice(0, BROKEN_NAMED),
      broken_total: broken.length,
      unread: searched.flatMap(({ row: { id }, files: { unread } }) =>
        unread === undefined ? [] : [{ repo_id: id, repo: scope.nameOf(id), reason: unread }]
      ),
    };
  },
});

/** Tickets of two repos as the API tells of them, searched by the code that the program uses. */
import {
  afterCursor,
  cursorAt,
  excerptOf,
  type SearchedRepo,
  searchTickets,
} from "svc/features/tickets/search_tickets.ts";
import { folded } from "svc/features/tickets/ticket_hold.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { PRIORITIES, TICKET_TYPES } from "svc/features/tickets/ticket_names.ts";
import type { Reads } from "svc/runtime/views/all.ts";
import type { TicketTemplates } from "svc/runtime/views/ticket_templates_view.ts";
import { REPOS } from "./browser_facts.ts";

const STATES = ["backlog", "in-progress", "review", "blocked", "done"] as const;
const DOES = ["Retry", "Sort", "Show", "Drop", "Measure", "Rename"];
const WHAT = ["uploads", "the manifest", "berths", "old tides", "the ledger", "lock times"];
const TEXT = "At high water the gate answers 503 for some seconds.\nThe pilot waits.";

function ticketOf(nth: number, now: number): Ticket {
  const state = STATES[nth % STATES.length]!;
  const id = `T-${String(nth + 1).padStart(4, "0")}`;
  const title = `${DOES[nth % 6]} ${WHAT[(nth * 5) % 6]}, part ${nth + 1}`;
  const at = new Date(now - nth * 3_600_000).toISOString();
  return {
    ...{ id, title, state, type: TICKET_TYPES[nth % 6]!, priority: PRIORITIES[nth % 4]! },
    ...{ role: nth % 3 === 0 ? "qa" : "engineer", created: at, updated: at, source: "human" },
    ...{ depends_on: nth % 7 === 6 ? ["T-0001"] : [], acceptance: [], rework: 0, attempts: 0 },
    path: `docs/tickets/${state}/${id}.md`,
    ...(state === "blocked" && { unblock: { owner: "ada", action: "Say which" } }),
  };
}

/** @param count of each repo */
export function ticketReads(
  now: () => number,
  count = 130,
): Pick<Reads, "ticket-templates" | "tickets"> {
  const repos = REPOS.map(({ id, basename }): SearchedRepo => ({
    ...{ id, name: basename, text: () => folded(TEXT) },
    tickets: Array.from({ length: count }, (_, nth) => ticketOf(nth, now())),
  }));
  return {
    tickets(query = {}) {
      const { repo_id, search = "", sort = "best", after, limit = "50", ...filter } = query;
      const asked = repos.filter(({ id }) => repo_id === undefined || id === repo_id);
      const { found, counts } = searchTickets(asked, { ...filter, search }, sort);
      const rest = after === undefined ? found : afterCursor(found, sort, after);
      const page = rest.slice(0, Number(limit));
      return Promise.resolve({
        as_of: new Date(now()).toISOString(),
        tickets: page.map(({ repo, ticket, inText }) => ({
          ...{ id: ticket.id, title: ticket.title, state: ticket.state, type: ticket.type },
          ...{ priority: ticket.priority, role: ticket.role, source: ticket.source },
          ...{ path: ticket.path, created: ticket.created, updated: ticket.updated },
          ...{ repo_id: repo.id, repo: repo.name, asks: false, job_id: null, job_status: null },
          depends_on: [...ticket.depends_on],
          waits_for: ticket.depends_on.map((id) => ({ id, state: "backlog" as const })),
          excerpt: inText ? excerptOf(TEXT, search) ?? null : null,
        })),
        ...{ total: found.length, counts, broken: [], broken_total: 0, unread: [] },
        next: rest.length > page.length ? cursorAt(sort, page.at(-1)!) : null,
      });
    },
    "ticket-templates": () => Promise.resolve(TEMPLATES),
  };
}

const TEMPLATES: TicketTemplates = {
  templates: [
    {
      ...{ name: "bug", about: "Something does not do what it should", title: "", type: "bug" },
      ...{ priority: "p1", role: "engineer", acceptance: ["A test fails without the fix"] },
      ...{ text: "**What happens:**\n", path: null },
    },
    {
      ...{ name: "tide", about: "A table of tides is wrong", title: "Correct the tides of ..." },
      ...{ type: "docs", priority: "p3", role: "qa", acceptance: [], text: "Which harbour?" },
      path: ".harness/ticket-templates/tide.md",
    },
  ],
  broken: [],
};

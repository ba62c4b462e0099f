/** A board asks the same search for each of its columns: it is made once. */
import assert from "node:assert/strict";
import { statesOf } from "svc/core/machine.ts";
import { type SearchedRepo, searchTickets } from "svc/features/tickets/search_tickets.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";
import { keptMatches } from "svc/runtime/views/kept_matches.ts";

const STATES = statesOf(ticketMachine);

const TICKETS = Array.from({ length: 20 }, (_, nth) => ({
  ...{ id: `T-${1000 + nth}`, title: `crane ${nth}`, state: STATES[nth % STATES.length]! },
  ...{ path: `docs/tickets/x/T-${1000 + nth}.md`, acceptance: [], depends_on: [] },
  ...{ role: nth % 2 === 0 ? "engineer" : "qa", type: "feature", priority: "p2", source: "human" },
})) as unknown as Ticket[];

/** Counts how often a text was searched. */
function repo(name = "harbor") {
  const told = { texts: 0 };
  const searched: SearchedRepo = {
    ...{ id: "0123456789ab", name, tickets: TICKETS },
    text: () => (told.texts++, "the pump"),
  };
  return { told, searched };
}

Deno.test("the columns of a board search the tickets once, and files that were read anew anew", () => {
  const { told, searched } = repo();
  const files = {};
  const column = (of: object, state?: string) =>
    searchTickets(
      [searched],
      { search: "pump", state },
      "best",
      (...asked) => keptMatches(of, ...asked),
    );
  const all = column(files);
  assert.equal(all.found.length, TICKETS.length);
  for (const state of STATES) {
    const { found, counts } = column(files, state);
    assert.deepEqual(found, searchTickets([searched], { search: "pump", state }, "best").found);
    assert.deepEqual(counts, all.counts);
  }
  assert.equal(told.texts, TICKETS.length * (1 + STATES.length), "the six columns made one search");
  column({});
  assert.equal(told.texts, TICKETS.length * (2 + STATES.length));
});

Deno.test("another search, filter, order or name of the repo is another search", () => {
  const files = {};
  const { searched } = repo();
  const asked = { search: "pump" };
  const first = keptMatches(files, searched, asked, "best");
  assert.equal(keptMatches(files, searched, { ...asked, state: "done" }, "best"), first);
  for (
    const [of, query, sort] of [
      [searched, { search: "crane" }, "best"],
      [searched, { ...asked, role: "qa" }, "best"],
      [searched, asked, "id"],
      [repo("quay").searched, asked, "best"],
    ] as const
  ) {
    assert.notEqual(keptMatches(files, of, query, sort), first);
  }
  assert.equal(keptMatches(files, searched, { ...asked, role: "qa" }, "best").length, 10);
});

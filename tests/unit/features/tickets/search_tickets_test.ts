import assert from "node:assert/strict";
import { verifies } from "tests/kit/verifies.ts";
import {
  afterCursor,
  cursorAt,
  excerptOf,
  type SearchedRepo,
  searchTickets,
  TICKET_SORTS,
  type TicketQuery,
  type TicketSort,
} from "svc/features/tickets/search_tickets.ts";
import { folded } from "svc/features/tickets/ticket_hold.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";

function ticket(number: number, more: Partial<Ticket> = {}): Ticket {
  const id = `T-${String(number).padStart(4, "0")}`;
  const state = more.state ?? "backlog";
  return {
    ...{ id, title: `Ticket ${number}`, type: "feature", priority: "p2", role: "engineer" },
    ...{ created: "2026-01-01T00:00:00Z", updated: "2026-01-01T00:00:00Z", source: "human" },
    ...{ depends_on: [], acceptance: [], rework: 0, attempts: 0 },
    path: `docs/tickets/${state}/${id}.md`,
    state,
    ...more,
  };
}

function repoOf(tickets: readonly Ticket[], texts: Record<string, string> = {}, id = "r1") {
  const text = (path: string) => folded(texts[path.slice(-9, -3)] ?? "");
  return { id, name: id === "r1" ? "shop" : "yard", tickets, text } satisfies SearchedRepo;
}

const ids = (repos: readonly SearchedRepo[], query: TicketQuery, sort: TicketSort = "best") =>
  searchTickets(repos, query, sort).found.map(({ ticket }) => ticket.id);

Deno.test("searchTickets looks at id, title, fields, repo and text, the best place first", () => {
  const repos = [
    repoOf([
      ticket(1, { priority: "p3" }),
      ticket(2, { title: "Sort the İSTANBUL ferry", priority: "p0" }),
      ticket(3, { role: "ferryman" }),
      ticket(12, { acceptance: ["It knows the pier"] }),
    ], { "T-0001": "At the pier\nthe FERRY waits" }),
    repoOf([ticket(4)], { "T-0004": "ferries" }, "r2"),
  ];
  assert.deepEqual(ids(repos, { search: "ferry" }), ["T-0002", "T-0003", "T-0001"]);
  assert.deepEqual(ids(repos, { search: "FERRY pier" }), ["T-0001"]);
  assert.deepEqual(ids(repos, { search: '"ferry waits"' }), ["T-0001"]);
  assert.deepEqual(ids(repos, { search: '"waits ferry"' }), []);
  assert.deepEqual(ids(repos, { search: "i̇stanbul" }), ["T-0002"]);
  assert.deepEqual(ids(repos, { search: "12" }), ["T-0012"]);
  assert.deepEqual(ids(repos, { search: "t-0012" }), ["T-0012"]);
  assert.deepEqual(ids(repos, { search: "pier" }), ["T-0012", "T-0001"]);
  assert.deepEqual(ids(repos, { search: "yard" }), ["T-0004"]);
  assert.deepEqual(ids(repos, { search: "(ferry" }), []);
  assert.deepEqual(ids(repos, { search: "  " }).length, 5);
});

Deno.test("searchTickets has what is done below what is to be done, however urgent it was", () => {
  const repos = [
    repoOf([
      ticket(1, { priority: "p0", state: "done" }),
      ticket(2, { priority: "p3", title: "Mend the ferry" }),
      ticket(3, { priority: "p1", state: "blocked" }),
      ticket(4, { priority: "p0", state: "done", title: "The ferry" }),
    ], { "T-0003": "the ferry" }),
  ];
  for (const sort of ["best", "priority"] as const) {
    assert.deepEqual(ids(repos, {}, sort), ["T-0003", "T-0002", "T-0001", "T-0004"]);
  }
  // Where the words stand goes before that.
  assert.deepEqual(ids(repos, { search: "ferry" }), ["T-0002", "T-0004", "T-0003"]);
});

Deno.test("searchTickets finds a text however its accents are written", () => {
  const repos = [repoOf([ticket(1, { title: "Cafe\u0301" })])];
  assert.deepEqual(ids(repos, { search: "café" }), ["T-0001"]);
});

Deno.test("searchTickets counts each state of what matches but for the state asked for", () => {
  const repos = [repoOf([
    ticket(1),
    ticket(2, { state: "review" }),
    ticket(3, { state: "review", role: "qa" }),
    ticket(4, { state: "done", priority: "p0" }),
  ])];
  const { found, counts } = searchTickets(repos, { state: "review", role: "engineer" }, "id");
  assert.deepEqual(found.map(({ ticket }) => ticket.id), ["T-0002"]);
  assert.deepEqual(counts, { backlog: 1, "in-progress": 0, review: 1, done: 1, blocked: 0 });
  assert.deepEqual(ids(repos, { priority: "p0", type: "feature" }), ["T-0004"]);
  assert.deepEqual(ids(repos, { type: "bug" }), []);
});

verifies(
  "2.1:tickets:state-directories",
  "pages by a cursor have every ticket once, in each order, whatever is added meanwhile",
  () => {
    const made = Array.from({ length: 25 }, (_, nth) =>
      ticket(nth + 1, {
        title: ["b", "B", "a", "é"][nth % 4]!,
        priority: (["p0", "p1", "p2", "p3"] as const)[nth % 4]!,
        updated: `2026-01-0${1 + nth % 5}T00:00:00Z`,
      }));
    for (const sort of TICKET_SORTS) {
      const repos = [repoOf(made), repoOf(made, {}, "r2")];
      const all = searchTickets(repos, {}, sort).found;
      const seen: typeof all[number][] = [];
      let page = all.slice(0, 7);
      let known: readonly Ticket[] = made;
      while (page.length > 0) {
        seen.push(...page);
        const twin = page[0]!.ticket;
        const number = 100 + known.length;
        const path = `docs/tickets/backlog/T-0${number}.md`;
        if (number < 133) known = [...known, { ...twin, id: `T-0${number}`, path }];
        const now = searchTickets([repoOf(known), repos[1]!], {}, sort).found;
        page = afterCursor(now, sort, cursorAt(sort, page.at(-1)!)).slice(0, 7);
      }
      const names = (found: typeof all) =>
        found.map(({ repo, ticket }) => `${repo.id} ${ticket.id}`).filter((name) =>
          !/T-01/.test(name)
        );
      assert.equal(known.length, 33);
      assert.deepEqual(
        names(seen),
        names(all),
        sort,
      );
    }
  },
);

Deno.test("afterCursor takes no cursor of another order, and nothing made up", () => {
  const { found } = searchTickets([repoOf([ticket(1), ticket(2)])], {}, "id");
  const json = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const cursors = [
    "",
    "x",
    "%",
    json(1),
    json(["id"]),
    json(["id", "1", "r1"]),
    json(["id", 1, 2]),
  ];
  for (const cursor of [...cursors, cursorAt("title", found[0]!), json(["id", 1, "r1", 4])]) {
    assert.throws(() => afterCursor(found, "id", cursor), /no page of this order gave that cursor/);
  }
  assert.equal(afterCursor(found, "id", cursorAt("id", found[0]!))[0]!.ticket.id, "T-0002");
  assert.throws(() => searchTickets([], { search: "a ".repeat(21) }, "id"), /21 words/);
  assert.throws(() => searchTickets([], { search: "a".repeat(301) }, "id"), {
    message: "Cannot search tickets for 301 characters in 1 word: at most 300 and 20 are taken",
  });
});

Deno.test("excerptOf gives the line that was found, as it is written", () => {
  const text = `one\r\n  At the PIER we wait\r\n${"x".repeat(400)} ferry ${"y".repeat(400)}`;
  assert.equal(excerptOf(text, "lake pier"), "At the PIER we wait");
  const far = excerptOf(text, "ferry")!;
  assert.ok(far.startsWith("…x") && far.includes(" ferry ") && far.endsWith("y…"), far);
  assert.equal(excerptOf(text, "lake"), undefined);
  const end = excerptOf(`${"x".repeat(400)} ferry`, "ferry")!;
  assert.ok(end.startsWith("…x") && end.endsWith(" ferry"), end);
});

Deno.test("excerptOf cuts no character in two", () => {
  for (const before of ["", "x"]) {
    const line = `${before}${"🚢".repeat(100)} ferry ${"🚢".repeat(100)}`;
    const cut = excerptOf(line, "ferry")!;
    assert.match(cut, /^…🚢+ ferry 🚢+…$/u);
  }
});

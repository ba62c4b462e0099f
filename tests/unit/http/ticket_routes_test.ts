/** How requests about tickets are read, and how a conflict is answered. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { TicketChanged } from "svc/features/tickets/edit_ticket.ts";
import { TicketFault } from "svc/features/tickets/ticket_fault.ts";
import type { TicketAsks } from "svc/runtime/service/ticket_asks.ts";
import { notedTickets, TICKET } from "tests/kit/noted_tickets.ts";
import { verifies } from "tests/kit/verifies.ts";
import { dashboardPlace } from "./dashboard_place.ts";
import { person } from "./person.ts";

const WHERE = { repo_id: "r1", ticket_id: "T-0001" };

async function asked(tickets: Partial<TicketAsks> = {}) {
  const seen: unknown[][] = [];
  const noted = notedTickets(() => () => Promise.resolve());
  const place = dashboardPlace({
    service: {
      tickets: {
        create: (...args) => (seen.push(args), noted.create(...args)),
        edit: (...args) => (seen.push(args), noted.edit(...args)),
        move: (...args) => (seen.push(args), noted.move(...args)),
        ...tickets,
      },
    },
  });
  const { post } = await person(place);
  return { place, post, seen };
}

verifies(
  "4.3:mutation:failure-body",
  "an edit of another version is answered with the present text",
  async () => {
    const content = { sha256: "v2" } as TicketChanged["present"]["content"];
    const { place, post } = await asked({
      edit: () => Promise.reject(new TicketChanged({ ticket: TICKET, content }, "present text")),
    });
    await using _place = place;
    const response = await post("/api/edit-ticket", { ...WHERE, version: "v1", text: "mine" });
    assert.equal(response.status, 409);
    const { ok, error, present } = await response.json();
    assert.equal(ok, false);
    assert.match(error, /it was changed since it was read; it is review now/);
    assert.deepEqual(present, {
      ...{ text: "present text", version: "v2", state: "review", path: TICKET.path },
    });
  },
);

verifies(
  "4.3:mutation:failure-body",
  "fields of tickets are read strictly, and what is left out stays",
  async () => {
    const { place, post, seen } = await asked();
    await using _place = place;
    const edit = { ...WHERE, version: "v1" };
    const fields = { priority: "p0", depends_on: "T-0002, 3", acceptance: "a\nb" };
    assert.equal((await post("/api/edit-ticket", { ...edit, ...fields })).status, 200);
    assert.equal((await post("/api/edit-ticket", { ...edit, depends_on: "" })).status, 200);
    assert.equal(
      (await post("/api/move-ticket", { ...WHERE, state: "backlog", force: "yes" })).status,
      200,
    );
    const made = { repo_id: "r1", title: "New", template: "bug", context: "", role: "" };
    assert.equal((await post("/api/create-ticket", made)).status, 200);
    assert.deepEqual(seen, [
      ["r1", "T-0001", {
        version: "v1",
        fields: { priority: "p0", depends_on: ["T-0002", "T-0003"], acceptance: ["a", "b"] },
      }],
      ["r1", "T-0001", { version: "v1", fields: { depends_on: [] } }],
      ["r1", "T-0001", { to: "backlog", force: true }],
      ["r1", { title: "New", template: "bug" }, undefined],
    ]);
    const wrong: [string, Record<string, string>][] = [
      ["edit-ticket", { ...edit, priority: "p9" }],
      ["edit-ticket", { ...edit, text: "x", title: "y" }],
      ["edit-ticket", { ...edit, state: "done" }],
      ["move-ticket", { ...WHERE, state: "gone" }],
      ["move-ticket", { ...WHERE, state: "backlog", force: "maybe" }],
      ["create-ticket", { repo_id: "r1", title: "x", type: "epic" }],
    ];
    for (const [path, body] of wrong) {
      assert.equal((await post(`/api/${path}`, body)).status, 400, JSON.stringify(body));
    }
    assert.equal(seen.length, 4);
  },
);

verifies(
  "4.3:mutation:success-body",
  "what a person says of a ticket reaches it word by word, and what became of it is told",
  async () => {
    const looked = { ticket: TICKET, commit: undefined, version: "v3" };
    const { place, post, seen } = await asked({
      move: (...args) => (seen.push(args), Promise.resolve(looked)),
    });
    await using _place = place;
    const said = async (path: string, body: Record<string, string>) =>
      await (await post(`/api/${path}`, body)).json();
    const ticket = { ok: true, ticket_id: "T-0001", state: "review", path: TICKET.path };
    const draft = { title: "New", role: "qa", context: "why", template: "bug", depends_on: "2" };
    assert.deepEqual(await said("create-ticket", { repo_id: "r1", ...draft }), {
      ...{ ...ticket, commit: "c1", existed: false },
    });
    assert.deepEqual(await said("edit-ticket", { ...WHERE, version: "v1", title: "T", role: "" }), {
      ...{ ...ticket, commit: "c1", version: "v2", changes: ["title"], job_id: null },
    });
    const blocked = { state: "blocked", reason: "no key", owner: "ada", action: "give the key" };
    const moved = { ...ticket, commit: null, version: "v3" };
    assert.deepEqual(await said("move-ticket", { ...WHERE, ...blocked }), moved);
    const empty = { reason: "", owner: "", action: "", force: "" };
    assert.deepEqual(await said("move-ticket", { ...WHERE, state: "done", ...empty }), moved);
    assert.deepEqual(await said("move-ticket", { ...WHERE, state: "done", owner: "ada" }), moved);
    assert.deepEqual(seen, [
      ["r1", { ...draft, depends_on: ["T-0002"] }, undefined],
      ["r1", "T-0001", { version: "v1", fields: { title: "T", role: "" } }],
      ["r1", "T-0001", {
        ...{ to: "blocked", force: false, reason: "no key" },
        unblock: { owner: "ada", action: "give the key" },
      }],
      ["r1", "T-0001", { to: "done", force: false }],
      ["r1", "T-0001", { to: "done", force: false, unblock: { owner: "ada", action: "" } }],
    ]);
  },
);

verifies(
  "4.3:mutation:failure-body",
  "a ticket is asked for under a name, and a name that is none is refused",
  async () => {
    const { place, post, seen } = await asked();
    await using _place = place;
    const body = { repo_id: "r1", title: "New", request: "0ff1ce-0001" };
    const answered = await post("/api/create-ticket", body);
    assert.equal(answered.status, 200);
    assert.equal((await answered.json()).existed, false);
    assert.deepEqual(seen, [["r1", { title: "New" }, "0ff1ce-0001"]]);
    assert.equal((await post("/api/create-ticket", { ...body, request: "short" })).status, 400);
  },
);

verifies(
  "4.3:mutation:failure-body",
  "a broken file of the repo is a 409 with its fault and the way out; what svc fails at is a 500",
  async () => {
    const fault = new TicketFault("Cannot read its file: it is broken", "Keep one of them");
    const fails = (thrown: Error) => () => Promise.reject(thrown);
    const bodies: [string, Record<string, string>][] = [
      ["create", { repo_id: "r1", title: "New" }],
      ["edit", { ...WHERE, version: "v1", title: "x" }],
      ["move", { ...WHERE, state: "backlog" }],
    ];
    const all = (thrown: Error) => ({
      ...{ create: fails(thrown), edit: fails(thrown), move: fails(thrown) },
    });
    const { place, post } = await asked(all(fault));
    await using _place = place;
    const { place: own, post: ask } = await asked(all(new Failure("environment", "disk /home/x")));
    await using _own = own;
    for (const [name, body] of bodies) {
      const response = await post(`/api/${name}-ticket`, body);
      assert.deepEqual([response.status, await response.json()], [409, {
        ...{ ok: false, error: "Cannot read its file: it is broken", remedy: "Keep one of them" },
      }]);
      const failed = await ask(`/api/${name}-ticket`, body);
      assert.equal(failed.status, 500);
      assert.match((await failed.json()).error, /the command log says why$/);
    }
  },
);

verifies(
  "4.3:mutation:failure-body",
  "a ticket whose file is broken is shown as a 409 with its fault and the way out",
  async () => {
    const fault = new TicketFault("Cannot read its file: it is broken", "Keep one of them");
    const place = dashboardPlace({ reads: { ticket: () => Promise.reject(fault) } });
    await using _place = place;
    const { get } = await person(place);
    const response = await get("/api/ticket?repo_id=r1&id=T-0001");
    assert.deepEqual([response.status, await response.json()], [409, {
      ...{ ok: false, error: "Cannot read its file: it is broken", remedy: "Keep one of them" },
    }]);
  },
);

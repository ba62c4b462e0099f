/** What people ask of tickets at a living service, and what it refuses. */
import assert from "node:assert/strict";
import { verifies } from "tests/kit/verifies.ts";
import { sha256 } from "svc/core/digest.ts";
import { redactor } from "svc/core/redact.ts";
import { TicketChanged } from "svc/features/tickets/edit_ticket.ts";
import { TicketFault } from "svc/features/tickets/ticket_fault.ts";
import type { WrittenTicket } from "svc/runtime/service/ticket_asks.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { enginePorts, harnessedRepo, queued, registered } from "tests/unit/runtime/engine_place.ts";
import { dataOf, watchedService } from "tests/unit/runtime/service_place.ts";

const SECRET = "ghp_0123456789abcdefghij0123456789abcdef";

async function place(profile: "host" | "observer" = "host") {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const ports = { ...parts.use(await enginePorts(base.path)), profile, redact: redactor([SECRET]) };
  const id = await registered(ports, repo.path);
  const watched = parts.use(watchedService(ports, { modelEndpoint: "http://127.0.0.1:9" }));
  await watched.service.pause("a person looks at it");
  const { tickets } = watched.service;
  const text = async ({ ticket }: WrittenTicket) =>
    await Deno.readTextFile(`${repo.path}/${ticket.path}`);
  return { parts, repo, ports, id, tickets, text, ...watched };
}

verifies(
  "4.3:mutation:failure-body",
  "a ticket is written, edited and moved, each told of once and a commit of its own",
  async () => {
    const { parts, repo, id, tickets, text, stored } = await place();
    await using _parts = parts;
    const made = await tickets.create(id, { title: "Mend the pump", template: "bug" });
    assert.deepEqual([made.ticket.type, made.ticket.priority, made.ticket.state], [
      ...["bug", "p1", "backlog"],
    ]);
    assert.match(await text(made), /a person at the dashboard · created/);
    const told = await stored((type) => type === "ticket_update");
    assert.deepEqual(dataOf(told), {
      ...{ repo_id: id, ticket_id: "T-0001", from: null, to: "backlog" },
    });

    const version = await sha256(new TextEncoder().encode(await text(made)));
    const edited = await tickets.edit(id, "T-0001", { version, fields: { priority: "p0" } });
    assert.deepEqual([edited.changes, edited.job], [["priority p1 → p0"], undefined]);
    const late = tickets.edit(id, "T-0001", { version, text: "mine" });
    await assert.rejects(late, TicketChanged);
    const unchanged = { version: edited.version, fields: { priority: "p0" } } as const;
    assert.equal((await tickets.edit(id, "T-0001", unchanged)).commit, undefined);

    const moved = await tickets.move(id, "T-0001", { to: "in-progress", reason: "begun" });
    assert.match(await text(moved), /a person at the dashboard · backlog → in-progress: begun/);
    assert.deepEqual((await repo.git("log", "--format=%s", "-3")).trim().split("\n"), [
      "chore(tickets): move T-0001 to in-progress",
      "chore(tickets): edit T-0001",
      "chore(tickets): create T-0001",
    ]);
    await assert.rejects(tickets.move(id, "T-0001", { to: "done" }), { code: "conflict" });
    await assert.rejects(tickets.move(id, "T-0001", { to: "blocked" }), { code: "usage" });
  },
);

verifies(
  "4.3:mutation:failure-body",
  "an edit goes by a running job and names it; a move waits for its end",
  async () => {
    const { parts, repo, ports, id, tickets } = await place();
    await using _parts = parts;
    await tickets.create(id, { title: "Mend the pump" });
    const { id: job } = await queued(ports, id, "engineer", "T-0001");
    const now = ports.clock.now();
    await ports.db.updateTable("jobs").where("id", "=", job).set({
      ...{ status: "running", attempt: 1, generation: 1, started_at: now, heartbeat_at: now },
      ...{ lease_owner: "h b 1 s w1", lease_until: now + 60_000 },
    }).execute();
    await assert.rejects(
      tickets.move(id, "T-0001", { to: "in-progress" }),
      new RegExp(`Cannot move "T-0001": job ${job} works on it`),
    );
    const path = `${repo.path}/docs/tickets/backlog/T-0001-mend-the-pump.md`;
    const version = await sha256(await Deno.readFile(path));
    assert.equal((await tickets.edit(id, "T-0001", { version, fields: { role: "qa" } })).job, job);
  },
);

verifies(
  "4.3:mutation:failure-body",
  "a text that was changed meanwhile comes back without the paths of the machine",
  async () => {
    const { parts, repo, id, tickets } = await place();
    await using _parts = parts;
    await tickets.create(id, { title: "Mend the pump" });
    const path = `${repo.path}/docs/tickets/backlog/T-0001-mend-the-pump.md`;
    const text = await Deno.readTextFile(path);
    await repo.write("docs/tickets/backlog/T-0001-mend-the-pump.md", `${text}\n${repo.path}/x\n`);
    const edit = (version: string) => tickets.edit(id, "T-0001", { version, text: "mine" });
    const changed = await edit("0".repeat(64)).catch((thrown) => thrown);
    assert.ok(changed instanceof TicketChanged);
    assert.ok(!changed.text!.includes(repo.path) && changed.text!.includes("/x\n"));
    await assert.rejects(edit(changed.version), /which is not shown/);
  },
);

verifies(
  "4.3:mutation:failure-body",
  "an observer writes no ticket, and nothing is written beside the registered branch",
  async () => {
    const seen = await place("observer");
    await using _seen = seen.parts;
    const version = "0".repeat(64);
    const asks = ({ tickets, id }: typeof seen) => [
      () => tickets.create(id, { title: "x" }),
      () => tickets.edit(id, "T-0001", { version, text: "x" }),
      () => tickets.move(id, "T-0001", { to: "review" }),
    ];
    for (const ask of asks(seen)) await assert.rejects(ask(), { code: "refused" });
    assert.equal(await seen.repo.git("status", "--porcelain"), "");

    const host = await place();
    await using _host = host.parts;
    await host.repo.git("checkout", "--quiet", "-b", "side");
    const head = await host.repo.git("rev-parse", "HEAD");
    for (const ask of asks(host)) {
      await assert.rejects(ask(), /it waits for "main" to be checked out: "side" is/);
    }
    assert.equal(await host.repo.git("rev-parse", "HEAD"), head);
    await assert.rejects(host.tickets.create("nowhere", { title: "x" }), { code: "not_found" });
  },
);

verifies(
  "7:status-400:unknown-role-or-repo",
  "a ticket is written for a role of the manifest alone, and keeps one that went from there",
  async () => {
    const { parts, repo, id, tickets } = await place();
    await using _parts = parts;
    const unknown = { code: "usage", message: /^Cannot find role "enginer"/ };
    await assert.rejects(tickets.create(id, { title: "Mend it", role: "enginer" }), unknown);
    const { ticket: { path } } = await tickets.create(id, { title: "Mend it", role: "qa" });
    const text = await Deno.readTextFile(`${repo.path}/${path}`);
    const version = await sha256(new TextEncoder().encode(text));
    const edit = (more: Partial<Parameters<typeof tickets.edit>[2]>, of = version) =>
      tickets.edit(id, "T-0001", { version: of, ...more });
    await assert.rejects(edit({ fields: { role: "enginer" } }), unknown);
    await assert.rejects(edit({ text: text.replace("role: qa", "role: enginer") }), unknown);

    // Somebody wrote it into the file: what else is in the ticket can be edited still.
    const gone = text.replace("role: qa", "role: sailor");
    await repo.write(path, gone);
    await repo.commit("by hand");
    const after = await edit(
      { fields: { priority: "p0", role: "sailor" } },
      await sha256(new TextEncoder().encode(gone)),
    );
    assert.deepEqual(after.changes, ["priority p2 → p0"]);
  },
);

verifies(
  "4.3:mutation:failure-body",
  "a ticket that is asked for twice under one name is written once",
  async () => {
    const { parts, repo, ports, id, tickets } = await place();
    await using _parts = parts;
    const request = crypto.randomUUID();
    const asked = { title: "Mend the pump", context: "It leaks" };
    const both = await Promise.all([
      tickets.create(id, asked, request),
      tickets.create(id, asked, request),
    ]);
    assert.deepEqual(both.map(({ ticket }) => ticket.id), ["T-0001", "T-0001"]);
    assert.deepEqual(both.map(({ existed }) => existed).sort(), [false, true]);
    const told = await ports.db.selectFrom("events").select("id")
      .where("type", "=", "ticket_update").execute();
    assert.equal(told.length, 1);

    // It counts when the work was quicker than the second try.
    await repo.git("mv", both[0]!.ticket.path, "docs/tickets/done/T-0001-mend-the-pump.md");
    await repo.commit("done by hand");
    const late = await tickets.create(id, asked, request);
    assert.deepEqual([late.ticket.state, late.existed, late.commit], ["done", true, undefined]);

    await assert.rejects(tickets.create(id, { ...asked, context: "It drips" }, request), {
      ...{ code: "conflict" },
      message: "Cannot create a ticket: an earlier try wrote T-0001, with other words",
    });
    const other = await tickets.create(id, asked, crypto.randomUUID());
    assert.deepEqual([other.ticket.id, other.existed], ["T-0002", false]);
  },
);

verifies(
  "4.3:mutation:failure-body",
  "the name of a ticket that was written names no other act, and the name of an act no ticket",
  async () => {
    const { parts, ports, id, tickets, service } = await place();
    await using _parts = parts;
    const other = parts.use(await harnessedRepo());
    const elsewhere = await registered(ports, other.path);
    const [ofTicket, ofAct] = [crypto.randomUUID(), crypto.randomUUID()];
    await tickets.create(id, { title: "Mend the pump" }, ofTicket);
    await tickets.move(id, "T-0001", { to: "in-progress", reason: "begun" });
    await tickets.move(id, "T-0001", {
      ...{ to: "blocked", unblock: { owner: "Ada", action: "say which pump" } },
    });
    const used = (what: RegExp) => ({ code: "conflict", message: what });
    const unblock = { act: "unblock", repo: id, ticket: "T-0001" } as const;
    const written = used(/request \S+ named another act \(T-0001 of \S+ was created\)$/);
    await assert.rejects(service.decide({ ...unblock, request: ofTicket }), written);
    const waive = { act: "waive-checks", repo: elsewhere } as const;

    // Both come while the other goes on.
    const [unblocked, again] = await Promise.allSettled([
      service.decide({ ...unblock, request: ofAct }),
      service.decide({ ...unblock, note: "the blue one", request: ofAct }),
      service.decide({ ...unblock, request: ofAct }),
    ]);
    assert.equal(unblocked.status, "fulfilled");
    assert.ok(again.status === "rejected" && /named another act/.test(again.reason.message));
    assert.equal((await service.decide({ ...unblock, request: ofAct })).existed, true);
    const decided = used(/named another act \(T-0001: blocked → backlog/);
    for (const repo of [id, elsewhere]) {
      await assert.rejects(tickets.create(repo, { title: "Oil it" }, ofAct), decided);
    }
    await assert.rejects(service.decide({ ...waive, request: ofAct }), decided);
  },
);

verifies(
  "4.3:mutation:failure-body",
  "the fault of a ticket's file, or of a template's, is told in its own words, without a secret",
  async () => {
    const { parts, repo, id, tickets } = await place();
    await using _parts = parts;
    const made = await tickets.create(id, { title: "Mend the pump" });
    const twin = `docs/tickets/review/T-0001-${SECRET}.md`;
    await Deno.mkdir(`${repo.path}/docs/tickets/review`, { recursive: true });
    await Deno.copyFile(`${repo.path}/${made.ticket.path}`, `${repo.path}/${twin}`);
    const fails = async (asked: Promise<unknown>) => {
      const fault = await asked.then(() => undefined, (thrown) => thrown);
      assert.ok(fault instanceof TicketFault, String(fault));
      assert.ok(!fault.message.includes(SECRET), fault.message);
      return fault;
    };
    const move = { to: "in-progress", reason: "begun" } as const;
    const { message, remedy } = await fails(tickets.move(id, "T-0001", move));
    assert.match(message, /has the same id$/);
    assert.match(remedy, /^Keep one of them/);
    await fails(tickets.edit(id, "T-0001", { version: "v1", fields: { priority: "p0" } }));
    await Deno.remove(`${repo.path}/${twin}`);
    await Deno.writeTextFile(`${repo.path}/${made.ticket.path}`, "no ticket\n");
    assert.match((await fails(tickets.move(id, "T-0001", move))).message, /its first line is not/);
    const templates = `${repo.path}/.harness/ticket-templates`;
    await Deno.mkdir(templates, { recursive: true });
    await Deno.writeTextFile(`${templates}/odd.md`, "no template\n");
    await fails(tickets.create(id, { title: "Another", template: "odd" }));
  },
);

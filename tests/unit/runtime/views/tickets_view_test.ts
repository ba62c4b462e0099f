/** The search over all tickets, as pages ask it, over real repos. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { TicketFault } from "svc/features/tickets/ticket_fault.ts";
import { ticketRead } from "svc/runtime/views/ticket_view.ts";
import { ticketsRead } from "svc/runtime/views/tickets_view.ts";
import { ticketTemplatesRead } from "svc/runtime/views/ticket_templates_view.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { parsed } from "./answers.ts";
import { readsOf, SECRET } from "./site.ts";

async function place() {
  const parts = new AsyncDisposableStack();
  const base = parts.use(await tempFolder());
  const ports = parts.use(await enginePorts(base.path));
  const [one, two] = [parts.use(await harnessedRepo()), parts.use(await harnessedRepo())];
  const [first, second] = [await registered(ports, one.path), await registered(ports, two.path)];
  await ticketed(ports, one.path, { title: "Mend the pump", context: "Water at the pier" });
  await ticketed(ports, one.path, { title: "Paint it", priority: "p0", depends_on: ["T-0001"] });
  await ticketed(ports, two.path, { title: "Sell the pump", context: `see ${SECRET}` });
  const reads = readsOf(ports);
  const found = async (search: string) =>
    (await reads.tickets({ search }))!.tickets.map(({ repo_id, id }) =>
      `${repo_id === first ? "one" : "two"} ${id}`
    );
  /** As each change that svc makes does. */
  const happens = () =>
    recordEvent(ports.db, { type: "ticket_update", repoId: first, data: {} }, ports.clock.now());
  return { parts, ports, one, first, second, reads, found, happens };
}

Deno.test("tickets of all repos are searched and paged, with what each waits for", async () => {
  const { parts, ports, one, first, reads, found, happens } = await place();
  await using _parts = parts;
  const job = await queued(ports, first, "engineer", "T-0001");
  const all = parsed(ticketsRead.shape, await reads.tickets());
  // Both others have one number; the ids of their repos, which are as they come, order them.
  const pump = all.tickets.find(({ title }) => title === "Mend the pump")!;
  assert.equal(all.tickets[0]!.title, "Paint it");
  assert.deepEqual([all.total, all.counts.backlog, all.next], [3, 3, null]);
  assert.deepEqual(all.tickets[0]!.waits_for, [{ id: "T-0001", state: "backlog" }]);
  assert.deepEqual([pump.job_id, pump.job_status], [job.id, "pending"]);
  assert.deepEqual((await found("pump")).toSorted(), ["one T-0001", "two T-0001"]);
  assert.deepEqual(await found("PIER"), ["one T-0001"]);
  const { tickets: [pier] } = (await reads.tickets({ search: "pier" }))!;
  assert.equal(pier!.excerpt, "Water at the pier");

  const page = (await reads.tickets({ limit: "2", sort: "title" }))!;
  const rest = (await reads.tickets({ limit: "2", sort: "title", after: page.next! }))!;
  assert.deepEqual([...page.tickets, ...rest.tickets].map(({ title }) => title), [
    ...["Mend the pump", "Paint it", "Sell the pump"],
  ]);
  assert.equal(rest.next, null);

  await one.write("docs/tickets/review/T-0009-wrong.md", "no keys\n");
  await one.write("docs/tickets/backlog/T-0004-by-hand.md", "---\nid: T-0004\n---\n");
  await happens();
  const { broken, broken_total } = (await reads.tickets({ repo_id: first }))!;
  assert.deepEqual(broken.map(({ id }) => id), ["T-0004", "T-0009"]);
  assert.equal(broken_total, 2);
  assert.ok(broken.every(({ reason, remedy }) => reason !== "" && remedy !== ""));
});

Deno.test("a ticket that cannot be read says where its file is broken, and how to mend it", async () => {
  const { parts, one, first, reads } = await place();
  await using _parts = parts;
  await one.write("docs/tickets/backlog/T-0004-by-hand.md", `---\n${SECRET}: [broken\n---\n`);
  const fault = await reads.ticket({ repo_id: first, id: "T-0004" }).then(
    () => assert.fail("it was read"),
    (thrown) => thrown,
  );
  assert.ok(fault instanceof TicketFault, String(fault));
  assert.match(fault.message, /^Cannot read "docs\/tickets\/backlog\/T-0004-by-hand\.md" \(line 3/);
  assert.match(fault.remedy, /^Edit docs\/tickets\/backlog\/T-0004-by-hand\.md at line 3/);
  assert.ok(!`${fault.message} ${fault.remedy}`.includes(SECRET));
});

Deno.test("a search finds what was just changed, and no secret", async () => {
  const { parts, one, found, happens } = await place();
  await using _parts = parts;
  assert.deepEqual(await found("ferry"), []);
  const path = `${one.path}/docs/tickets/backlog/T-0002-paint-it.md`;
  await Deno.writeTextFile(path, `${await Deno.readTextFile(path)}\nthe ferry\n`);
  await happens();
  assert.deepEqual(await found("ferry"), ["one T-0002"]);
  assert.deepEqual(await found(SECRET), []);
  assert.deepEqual(await found("horse-battery"), []);
  assert.deepEqual(await found("see"), ["two T-0001"]);
});

Deno.test("what no search is, is refused with the reason", async () => {
  const { parts, reads } = await place();
  await using _parts = parts;
  assert.equal(await reads.tickets({ repo_id: "nowhere" }), undefined);
  const asked = [{ limit: "0" }, { limit: "201" }, { limit: "x" }, { after: "x" }];
  for (const query of [...asked, { search: "x".repeat(301) }]) {
    await assert.rejects(reads.tickets(query), (thrown: Failure) => thrown.code === "usage");
  }
});

Deno.test("a ticket has its text, its version, and who waits for whom", async () => {
  const { parts, one, first, second, reads } = await place();
  await using _parts = parts;
  const { ticket } = parsed(
    ticketRead.shape,
    await reads.ticket({ repo_id: first, id: "T-0001" }),
  );
  const path = `${one.path}/${ticket.path}`;
  assert.equal(ticket.text, await Deno.readTextFile(path));
  assert.match(ticket.version, /^[0-9a-f]{64}$/);
  assert.deepEqual(ticket.moves, ["in-progress"]);
  assert.deepEqual(ticket.awaited_by, [{ id: "T-0002", title: "Paint it", state: "backlog" }]);
  assert.equal(ticket.text_fault, null);
  const hidden = (await reads.ticket({ repo_id: second, id: "T-0001" }))!.ticket;
  assert.ok(!hidden.text!.includes(SECRET));
  assert.match(hidden.text_fault!, /line \d+ holds a secret or a path/);
});

Deno.test("templates are svc's and the repo's, which replace them", async () => {
  const { parts, one, first, reads } = await place();
  await using _parts = parts;
  const folder = ".harness/ticket-templates";
  await one.write(`${folder}/bug.md`, "---\nabout: Ours\nrole: qa\n---\r\n\r\nWhat?\r\n");
  await one.write(`${folder}/Odd Name.md`, "---\nabout: x\n---\n");
  await one.write(`${folder}/heads.md`, "---\nabout: x\n---\n## Evidence\n");
  await one.write(`${folder}/README.md`, "Templates.\n");
  await Deno.symlink("/etc/passwd", `${one.path}/${folder}/linked.md`);
  const answer = parsed(
    ticketTemplatesRead.shape,
    await reads["ticket-templates"]({ repo_id: first }),
  );
  assert.deepEqual(answer.templates.map(({ name, role, path }) => [name, role, path]), [
    ["bug", "qa", `${folder}/bug.md`],
    ["chore", "engineer", null],
    ["feature", "engineer", null],
  ]);
  assert.equal(answer.templates[0]!.text, "What?");
  const names = answer.broken.map(({ path }) => path.slice(folder.length + 1)).toSorted();
  assert.deepEqual(names, ["Odd Name.md", "heads.md", "linked.md"]);
  assert.match(answer.broken.find(({ path }) => path.includes("heads"))!.reason, /is a heading/);
  assert.equal(await reads["ticket-templates"]({ repo_id: "nowhere" }), undefined);
});

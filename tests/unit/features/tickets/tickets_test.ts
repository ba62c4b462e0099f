import assert from "node:assert/strict";
import { slugOf } from "svc/features/tickets/ticket_draft.ts";
import { listTickets, openTicket, ticketId } from "svc/features/tickets/ticket_list.ts";
import { ticketPlaces } from "svc/features/tickets/ticket_places.ts";
import { createTickets, moveTicket, noteOnTicket } from "svc/features/tickets/tickets.ts";
import type { FileFacts } from "svc/platform/files/disk.ts";
import { refusal } from "tests/kit/refusal.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { checkoutAt, draft } from "./ticket_checkout.ts";

const BY = { actor: "test" };
const PROGRAM = new URL("./create_alone.ts", import.meta.url).pathname;

Deno.test("createTickets writes several in one commit, and one for each fingerprint", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  const gap = draft("Gap", { fingerprint: "abc", source: "scan:gap" });
  const first = await createTickets(checkout, [gap, draft("Other"), gap], BY);
  assert.deepEqual(first.created.map(({ id }) => id), ["T-0001", "T-0002"]);
  assert.deepEqual(first.deduplicated.map(({ id }) => id), ["T-0001"]);
  assert.equal(
    await repo.git("log", "--format=%s", "-1"),
    "chore(tickets): create T-0001 to T-0002\n",
  );
  const head = await repo.git("rev-parse", "HEAD");
  const again = await createTickets(checkout, [gap], BY);
  assert.equal(again.created.length, 0);
  assert.equal(again.deduplicated[0]?.id, "T-0001");
  assert.equal(await repo.git("rev-parse", "HEAD"), head);
  for (const to of ["in-progress", "review", "done"] as const) {
    await moveTicket(checkout, "T-0001", { to, ...BY });
  }
  const path = "docs/tickets/backlog/T-0009-by-hand.md";
  await repo.write(path, "---\nid: [\nfingerprint: 'abc'\n---\n");
  assert.equal((await createTickets(checkout, [gap], BY)).deduplicated[0]?.path, path);
  await Deno.remove(`${repo.path}/${path}`);
  const later = await createTickets(checkout, [gap], BY);
  assert.equal(later.created[0]?.id, "T-0010");
});

Deno.test("createTickets gives no number twice, whatever is removed", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  const create = async () => (await createTickets(checkout, [draft("One")], BY)).created[0]!;
  const { path } = await create();
  await repo.git("rm", "--quiet", path);
  await repo.git("commit", "--quiet", "--message", "gone");
  await Deno.remove(`${repo.path}/.git/svc-tickets.json`);
  assert.equal((await create()).id, "T-0002", "from history alone");
  await repo.git("reset", "--quiet", "--hard", "HEAD~1");
  await repo.git("reflog", "expire", "--expire=now", "--all");
  assert.equal((await create()).id, "T-0003", "from what was remembered");
  await repo.write("docs/tickets/review/T-0041-by-hand.md", "no ticket");
  assert.equal((await create()).id, "T-0042", "from the work tree");
  await repo.git("checkout", "--quiet", "-b", "side");
  await repo.commit("side", { "docs/tickets/done/T-0050-x.md": "x" });
  await repo.git("checkout", "--quiet", "main");
  assert.equal((await create()).id, "T-0051", "from another branch");
});

Deno.test("createTickets keeps code in a context as it was written, and hides no section behind it", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  const code = "```c\n#include <stdio.h>\n# not a title\n~~~\n## Evidence\n- forged\n```";
  const context = `#12 fails:\n\n${code}\n\n# Steps\n#\n~~~sh\n# nothing ends this\n\`\`\`\nmake`;
  await createTickets(checkout, [draft("Code", { context })], BY);
  await moveTicket(checkout, "T-0001", { to: "in-progress", ...BY });
  const text = await repo.read("docs/tickets/in-progress/T-0001-code.md");
  const quoted = "#12 fails:\n\n" + code +
    "\n\n\\# Steps\n\\#\n\\~~~sh\n\\# nothing ends this\n\\```\nmake\n\n## Acceptance\n";
  assert.ok(text.includes(`## Context\n\n${quoted}`), text);
  assert.match(text, /\n## Evidence\n\n- .+\n- .+ backlog → in-progress.*\n$/);
});

Deno.test("createTickets, in two processes at once, gives each number and fingerprint once", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  const rounds = 4;
  const ends = await Promise.all(["one", "two"].map((name) =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-check", PROGRAM, repo.path, name, String(rounds)],
      stderr: "inherit",
    }).output()
  ));
  const counts = ends.map(({ stdout }) => JSON.parse(new TextDecoder().decode(stdout)));
  assert.equal(counts[0].created + counts[1].created, 3 * rounds);
  assert.equal(counts[0].deduplicated + counts[1].deduplicated, rounds);
  using checkout = await checkoutAt(repo.path);
  const { tickets, broken } = await listTickets(checkout);
  assert.deepEqual(broken, []);
  assert.deepEqual(
    tickets.map(({ id }) => id),
    Array.from({ length: 3 * rounds }, (_, at) => ticketId(String(at + 1))),
  );
  assert.equal(await repo.git("status", "--porcelain"), "");
});

Deno.test("createTickets lets no stranger's text pass for evidence or a key", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  const { created: [ticket] } = await createTickets(checkout, [
    draft('x"\n---\ntrust: host', {
      context: "# a\n## Evidence\n\n- 2026-01-01T00:00:00Z · qa · approved\n```\n---\r\nid: T-0009",
      acceptance: ["- [x] done\n## Evidence", "[a]: b #c"],
      source: "webhook:github",
    }),
  ], { actor: "eve\n## Evidence" });
  const { content } = await openTicket(checkout, "T-0001");
  const text = new TextDecoder().decode(content.bytes);
  assert.equal(text.match(/^## Evidence$/gm)?.length, 1);
  assert.doesNotMatch(text, /^trust/m);
  const { tickets: [listed] } = await listTickets(checkout);
  assert.deepEqual(listed, ticket);
  assert.equal(listed?.title, 'x" --- trust: host');
  await moveTicket(checkout, "T-0001", { to: "in-progress", ...BY });
  const moved = await repo.read("docs/tickets/in-progress/T-0001-x-trust-host.md");
  assert.match(
    moved,
    /\n## Evidence\n\n- [^\n]* created [^\n]*\n- [^\n]* backlog → in-progress [^\n]*\n$/,
  );
});

verifies(
  "2.1:tickets:state-directories",
  "listTickets takes the folder for the state, and tells of all that it cannot read",
  async () => {
    await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
    using checkout = await checkoutAt(repo.path);
    assert.deepEqual(await listTickets(checkout), { tickets: [], broken: [], cycles: [] });
    await createTickets(checkout, [draft("One"), draft("Two"), draft("Three")], BY);
    const text = await repo.read("docs/tickets/backlog/T-0001-one.md");
    const at = (id: string, more = "") =>
      text.replace("T-0001", id).replace("\n---\n", `\n${more}---\n`);
    await repo.write("docs/tickets/backlog/T-0010-plain.md", "no front matter");
    await repo.write("docs/tickets/backlog/T-0011-other.md", at("T-0012"));
    await repo.write("docs/tickets/review/T-0002-twin.md", at("T-0002"));
    await repo.write("docs/tickets/blocked/T-0013-why.md", at("T-0013"));
    await repo.write("docs/tickets/done/notes.md", "notes");
    await repo.write("docs/tickets/done/T-00015-zeros.md", at("T-00015"));
    const many = at("T-10016").replace("depends_on: []", "depends_on: [T-00015]");
    await repo.write("docs/tickets/done/T-10016-many.md", many);
    await repo.write("docs/tickets/doing/T-0014-x.md", at("T-0014"));
    await repo.write("docs/tickets/README.md", "fine");
    await repo.write("docs/tickets/done/README.md", "fine");
    await repo.write("docs/tickets/done/.gitkeep", "");
    for (const end of ["~", ".orig", ".rej", ".bak", ".swp"]) {
      await repo.write(`docs/tickets/backlog/T-0001-one.md${end}`, text);
    }
    await repo.write("docs/tickets/done/T-0020-long.md", at("T-0020") + "x".repeat(100_000));
    await Deno.symlink("/etc/passwd", `${repo.path}/docs/tickets/done/T-0021-link.md`);
    const { tickets, broken } = await listTickets(checkout);
    assert.deepEqual(tickets.map(({ id, state }) => `${id} ${state}`), [
      "T-0001 backlog",
      "T-0003 backlog",
      "T-0020 done",
    ]);
    const reasons = Object.fromEntries(broken.map(({ path, reason }) => [path.slice(13), reason]));
    for (
      const [path, reason] of [
        ["backlog/T-0002-two.md", /T-0002-twin.md" has the same id/],
        ["review/T-0002-twin.md", /T-0002-two.md" has the same id/],
        ["backlog/T-0010-plain.md", /first line is not/],
        ["backlog/T-0011-other.md", /its id is "T-0012", and its name says T-0011/],
        ["blocked/T-0013-why.md", /"unblock" is missing/],
        ["done/notes.md", /does not start with an id/],
        ["done/T-00015-zeros.md", /does not start with an id/],
        ["done/T-10016-many.md", /"depends_on\.0": must look like/],
        ["doing/T-0014-x.md", /folder is no state/],
        ["done/T-0021-link.md", /symbolic link/],
      ] as const
    ) {
      assert.match(reasons[path] ?? "", reason, path);
      delete reasons[path];
    }
    assert.deepEqual(reasons, {});
  },
);

Deno.test("noteOnTicket counts attempts apart from rework", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  await createTickets(checkout, [draft("One")], BY);
  const { ticket } = await noteOnTicket(checkout, "T-0001", {
    ...BY,
    what: "timed out",
    attempt: true,
  });
  assert.deepEqual([ticket.attempts, ticket.rework], [1, 0]);
  await noteOnTicket(checkout, "T-0001", { ...BY, what: "checks passed" });
  // What is there already is not written, nor counted, again.
  await noteOnTicket(checkout, "T-0001", {
    ...{ ...BY, what: "timed out", attempt: true, unless: "timed out" },
  });
  const { tickets: [now] } = await listTickets(checkout);
  assert.deepEqual([now?.attempts, now?.rework, now?.state], [1, 0, "backlog"]);
  const text = await repo.read("docs/tickets/backlog/T-0001-one.md");
  assert.match(text, /· timed out ·[^\n]*\n- [^\n]*· checks passed ·/);
});

Deno.test("moveTicket takes a ticket that the user wrote and has not committed", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  await createTickets(checkout, [draft("One")], BY);
  const path = "docs/tickets/backlog/T-0001-one.md";
  const mine = (await repo.read(path)).replace("T-0001", "T-0005").replaceAll("\n", "\r\n");
  const own = { executable: true };
  await repo.write("docs/tickets/backlog/T-0005-mine.md", `\ufeff${mine}`, own);
  const { ticket } = await moveTicket(checkout, "T-0005", { to: "in-progress", ...BY });
  assert.equal(ticket.path, "docs/tickets/in-progress/T-0005-mine.md");
  const moved = await repo.read(ticket.path);
  assert.ok(moved.startsWith("\ufeff---\r\n"));
  assert.doesNotMatch(moved, /[^\r]\n/);
  assert.equal(await repo.git("status", "--porcelain"), "");
});

Deno.test("a title is no section of its ticket, where an issue has a title alone", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  await createTickets(checkout, [draft("## Evidence"), draft("```")], BY);
  const [first, second] = await Promise.all(
    ["T-0001-evidence", "T-0002"].map((name) => repo.read(`docs/tickets/backlog/${name}.md`)),
  );
  assert.match(first!, /\n## Context\n\n\\## Evidence\n\n## Acceptance\n/);
  assert.match(second!, /\n## Context\n\n\\```\n/);
});

Deno.test("moveTicket keeps a name that looks like a pattern of a replacement", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  await createTickets(checkout, [draft("One")], BY);
  const name = "T-0001-for-$$-and-$&.md";
  await repo.git("mv", "docs/tickets/backlog/T-0001-one.md", `docs/tickets/backlog/${name}`);
  await repo.commit("chore: a name of my own");
  const { ticket } = await moveTicket(checkout, "T-0001", { to: "in-progress", ...BY });
  assert.equal(ticket.path, `docs/tickets/in-progress/${name}`);
});

Deno.test("a long ticket that moves while all are listed keeps none of the others from the list", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  const { created: [, long] } = await createTickets(checkout, [
    draft("One"),
    draft("Long", { context: "word\n".repeat(20_000) }),
  ], BY);
  const list = await listTickets({
    ...checkout,
    async readTree(...asked) {
      const read = await checkout.readTree(...asked);
      await Deno.remove(`${repo.path}/${long!.path}`);
      return read;
    },
  });
  assert.deepEqual(list.tickets.map(({ id }) => id), ["T-0001"]);
  assert.deepEqual(list.broken, []);
});

Deno.test("slugOf keeps what a file name can hold", () => {
  assert.equal(slugOf("Tidy the Shed, änd more!"), "tidy-the-shed-and-more");
  assert.equal(slugOf("日本"), "");
  assert.equal(slugOf("a".repeat(99)).length, 48);
  assert.equal(slugOf(`${"word ".repeat(30)}`), "word-word-word-word-word-word-word-word-word");
});

Deno.test("tickets behind a link, or under a file, are no empty list: why they cannot be read is said", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  await createTickets(checkout, [draft("One")], BY);
  for (const folder of ["docs/tickets/backlog", "docs/tickets"]) {
    const path = `${repo.path}/${folder}`;
    await Deno.rename(path, `${repo.path}/moved`);
    await Deno.symlink(`${repo.path}/moved`, path);
    const linked = refusal("refused", new RegExp(`"${folder}": a symbolic link`));
    await assert.rejects(listTickets(checkout), linked);
    await Deno.remove(path);
    await Deno.writeTextFile(path, "");
    await assert.rejects(listTickets(checkout), { message: /a file stands where a folder/ });
    await Deno.remove(path);
    await Deno.rename(`${repo.path}/moved`, path);
  }
  assert.equal((await listTickets(checkout)).tickets.length, 1);
});

Deno.test("ticketPlaces asks git where a folder holds more than one listing gives", async () => {
  const listed = [
    "docs/tickets/done/T-0001.md",
    "docs/tickets/done/deep/er/T-0002.md",
    "src/T-0003.md",
  ];
  const found = await ticketPlaces({
    folder: {
      stat: () => Promise.resolve({ kind: "folder" } as FileFacts),
      list: (path) =>
        Promise.resolve({
          entries: path === "docs/tickets" ? [{ name: "done", kind: "folder" }] : [],
          more: path === "docs/tickets" ? 0 : 1,
          skipped: 0,
        }),
    },
    git: { listFiles: () => Promise.resolve({ paths: listed, skipped: [] }) },
  });
  assert.deepEqual(found, [{ path: listed[0], state: "done", id: "T-0001" }]);
});

import assert from "node:assert/strict";
import { verifies } from "tests/kit/verifies.ts";
import { Failure } from "svc/core/failure.ts";
import { redactor } from "svc/core/redact.ts";
import { editTicket, TicketChanged, type TicketEdit } from "svc/features/tickets/edit_ticket.ts";
import { openTicket } from "svc/features/tickets/ticket_list.ts";
import { createTickets, moveTicket } from "svc/features/tickets/tickets.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { checkoutAt, draft } from "./ticket_checkout.ts";

const BY = { actor: "ada" };
const SECRET = "correct-horse-battery-staple";
const EDIT = { ...BY, redact: redactor([SECRET]) };

async function place() {
  const repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  const checkout = await checkoutAt(repo.path);
  const drafts = [
    draft("Tidy the shed", { acceptance: ["no rust", "a door"] }),
    draft("Paint it", { depends_on: ["T-0001"] }),
    draft("Sell it", { depends_on: ["T-0002"] }),
  ];
  for (const one of drafts) await createTickets(checkout, [one], BY);
  const textOf = async (id = "T-0001") =>
    new TextDecoder().decode((await openTicket(checkout, id)).content.bytes);
  return {
    ...{ repo, checkout, textOf },
    edit: (edit: Partial<TicketEdit>, id = "T-0001") =>
      editTicket(checkout, id, { ...EDIT, ...edit }),
    log: async () => await repo.git("log", "--format=%s", "-1"),
    async [Symbol.asyncDispose]() {
      checkout[Symbol.dispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}

verifies(
  "2.1:tickets:state-directories",
  "editTicket sets fields in one commit, with a line of evidence",
  async () => {
    await using at = await place();
    const acceptance = ["a door", "a window: open"];
    const { changes, version, ticket } = await at.edit({
      fields: { title: "Tidy the whole shed", priority: "p0", acceptance },
    });
    assert.deepEqual(changes, ["title", "priority p2 → p0", "acceptance"]);
    assert.equal(await at.log(), "chore(tickets): edit T-0001\n");
    const text = await at.textOf();
    assert.match(text, /title: Tidy the whole shed\n/);
    assert.match(text, /## Acceptance\n\n- \[ \] a door\n- \[ \] a window: open\n\n## Evidence/);
    assert.match(text, /· ada · edited: title; priority p2 → p0; acceptance · [0-9a-f]{12}\n$/);
    const { content, ticket: read } = await openTicket(at.checkout, "T-0001");
    assert.equal(content.sha256, version);
    assert.deepEqual(read, ticket);
    assert.equal(await at.repo.git("status", "--porcelain"), "");
  },
);

verifies(
  "2.1:tickets:state-directories",
  "editTicket puts a text in place, and tells what is different",
  async () => {
    await using at = await place();
    const text = (await at.textOf()).replace("priority: p2", "priority: p1")
      .replace("Tidy the shed\n\n## Acc", "It leaks at night.\n\n## Acc");
    const { changes, ticket } = await at.edit({ text });
    assert.deepEqual(changes, ["priority p2 → p1", "text"]);
    assert.equal(ticket.priority, "p1");
    assert.match(await at.textOf(), /It leaks at night\.\n\n## Acceptance[^]*edited: priority/);
    const head = await at.repo.git("rev-parse", "HEAD");
    const again = await at.edit({ text: await at.textOf() });
    assert.deepEqual([again.changes, again.commit], [[], undefined]);
    assert.equal(await at.repo.git("rev-parse", "HEAD"), head);
  },
);

verifies(
  "2.1:tickets:state-directories",
  "editTicket refuses a text made from another version, and keeps both",
  async () => {
    await using at = await place();
    const before = await at.textOf();
    const { content: { sha256: version } } = await openTicket(at.checkout, "T-0001");
    await moveTicket(at.checkout, "T-0001", { to: "in-progress", ...BY });
    const head = await at.repo.git("rev-parse", "HEAD");
    const refused = await at.edit({ version, text: `${before}mine\n` }).catch((thrown) => thrown);
    assert.ok(refused instanceof TicketChanged);
    assert.match(refused.message, /^Cannot edit T-0001: it was changed .*; it is in-progress now$/);
    assert.equal(refused.text, await at.textOf());
    assert.equal(await at.repo.git("rev-parse", "HEAD"), head);
    await at.edit({ version: refused.version, fields: { priority: "p0" } });
    assert.equal(await at.log(), "chore(tickets): edit T-0001\n");
  },
);

verifies(
  "2.1:tickets:state-directories",
  "editTicket keeps what a person wrote into the file and did not commit",
  async () => {
    await using at = await place();
    const path = "docs/tickets/backlog/T-0001-tidy-the-shed.md";
    await at.repo.write(path, `${await at.textOf()}\nby hand\n`);
    await at.repo.write("a", "staged\n");
    await at.repo.git("add", "a");
    await at.edit({ fields: { priority: "p0" } });
    assert.match(await at.textOf(), /by hand/);
    assert.equal(await at.repo.git("status", "--porcelain"), "M  a\n");
    assert.equal(await at.repo.git("show", `HEAD:${path}`), await at.textOf());
  },
);

verifies(
  "2.1:tickets:state-directories",
  "editTicket keeps line ends, a byte order mark, and bytes that are no text",
  async () => {
    await using at = await place();
    const path = "docs/tickets/backlog/T-0001-tidy-the-shed.md";
    const crlf = `\ufeff${(await at.textOf()).replaceAll("\n", "\r\n")}`;
    await at.repo.write(path, crlf);
    const bytes = async () => await Deno.readFile(`${at.repo.path}/${path}`);
    await at.edit({ text: crlf.slice(1).replaceAll("\r\n", "\n").replace("no rust", "no dust") });
    const now = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await bytes());
    assert.match(now, /^\ufeff---\r\n/);
    assert.doesNotMatch(now, /[^\r]\n/);
    assert.match(now, /no dust/);
    await Deno.writeFile(`${at.repo.path}/${path}`, new Uint8Array([...await bytes(), 0xe9, 10]));
    await assert.rejects(at.edit({ text: "x" }), /as a text: it is not UTF-8/);
    await at.edit({ fields: { acceptance: ["é"] } });
    const after = await bytes();
    assert.ok(after.includes(0xe9), "the byte is still there");
    assert.match(new TextDecoder().decode(after), /- \[ \] é\r\n/);
  },
);

verifies(
  "2.1:tickets:state-directories",
  "editTicket refuses what would be no ticket, or not this one",
  async () => {
    await using at = await place();
    const text = await at.textOf();
    const head = await at.repo.git("rev-parse", "HEAD");
    const cases: [Partial<TicketEdit>, RegExp][] = [
      [
        { text: "no keys" },
        /it would be no ticket \(line 1, column 1\): its first line is not "---"/,
      ],
      [{ text: text.replace("p2", "p9") }, /line 5, column 1\): "priority"/],
      [{ text: text.replace("id: T-0001", "id: T-0009") }, /svc writes "id" itself/],
      [{ text: text.replace("source: human", "source: scores") }, /svc writes "source" itself/],
      [{ text: text.replace("attempts: 0", "attempts: 7") }, /svc writes "attempts" itself/],
      [{ text: `${text}\0` }, /holds a NUL/],
      [{ text: `${text}${"x".repeat(1024 * 1024)}` }, /more than 1048576 bytes/],
      [{ text: `${text}${SECRET}\n` }, /would hold what looks like a secret/],
      [{ fields: { title: SECRET } }, /would hold what looks like a secret/],
      [{ fields: { title: " \n " } }, /its title would be empty/],
      [{ fields: { depends_on: ["T-0099"] } }, /depend on "T-0099": no such ticket/],
      [{ fields: { depends_on: ["T-0001"] } }, /wait for each other: T-0001 → T-0001$/],
      [
        { fields: { depends_on: ["T-0003"] } },
        /wait for each other: T-0001 → T-0003 → T-0002 → T-0001$/,
      ],
    ];
    for (const [edit, why] of cases) await assert.rejects(at.edit(edit), why);
    assert.equal(await at.textOf(), text);
    assert.equal(await at.repo.git("rev-parse", "HEAD"), head);
    assert.equal(await at.repo.git("status", "--porcelain"), "");
    await at.edit({ fields: { depends_on: ["T-0001"] } }, "T-0003");
    assert.match(await at.textOf("T-0003"), /depends_on: \[T-0001\]\n/);
  },
);

verifies(
  "2.1:tickets:state-directories",
  "editTicket replaces no text of which something was kept back",
  async () => {
    await using at = await place();
    const path = "docs/tickets/backlog/T-0001-tidy-the-shed.md";
    const text = await at.textOf();
    await at.repo.write(path, `${text}\nsee /home/ada/shed\n`);
    const shown = (said: string) => said.replaceAll("/home/ada", "~");
    const line = text.split("\n").length + 1;
    await assert.rejects(
      at.edit({ text, shown }),
      (thrown: Failure) =>
        thrown.message.includes(`line ${line} holds a secret or a path of this machine`),
    );
    await at.edit({ fields: { priority: "p3" }, shown });
    assert.match(await at.textOf(), /\/home\/ada\/shed/);
  },
);

verifies(
  "2.1:tickets:state-directories",
  "editTicket leaves all as it is where git takes no commits, and in a rehearsal",
  async () => {
    await using at = await place();
    const head = await at.repo.git("rev-parse", "HEAD");
    const { changes, commit } = await at.edit({ fields: { priority: "p0" }, dryRun: true });
    assert.deepEqual([changes, commit], [["priority p2 → p0"], undefined]);
    await at.repo.git("checkout", "--quiet", "--detach");
    await assert.rejects(at.edit({ fields: { priority: "p0" } }), /HEAD of .* is on no branch/);
    assert.equal(await at.repo.git("rev-parse", "HEAD"), head);
    assert.equal(await at.repo.git("status", "--porcelain"), "");
  },
);

verifies(
  "2.1:tickets:state-directories",
  "editTicket commits where the folder of tickets is ignored, and runs no hook",
  async () => {
    await using at = await place();
    await at.repo.commit("ignore", { ".gitignore": "docs/\n" });
    await at.repo.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    await Deno.chmod(`${at.repo.path}/.git/hooks/pre-commit`, 0o755);
    const { ticket } = await at.edit({ fields: { priority: "p0" } });
    assert.match(await at.repo.git("show", `HEAD:${ticket.path}`), /priority: p0/);
  },
);

verifies(
  "2.1:tickets:state-directories",
  "editTicket follows no link in place of a ticket",
  async () => {
    await using at = await place();
    const path = `${at.repo.path}/docs/tickets/backlog/T-0001-tidy-the-shed.md`;
    const outside = `${at.repo.path}/../outside.md`;
    await Deno.rename(path, outside);
    await Deno.symlink(outside, path);
    const before = await Deno.readTextFile(outside);
    await assert.rejects(at.edit({ fields: { priority: "p0" } }), Failure);
    assert.equal(await Deno.readTextFile(outside), before);
    await Deno.remove(outside);
  },
);

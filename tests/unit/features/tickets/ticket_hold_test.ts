import assert from "node:assert/strict";
import { verifies } from "tests/kit/verifies.ts";
import { TextRoom, TicketHold } from "svc/features/tickets/ticket_hold.ts";
import { readAll, type TicketFileRead } from "svc/features/tickets/ticket_list.ts";
import { createTickets } from "svc/features/tickets/tickets.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { checkoutAt, draft } from "./ticket_checkout.ts";

/** A real reader whose stamps change with the content alone, and what it was made to read. */
function stampedReader(real: ReadTree, read: string[]): ReadTree {
  return async ({ stamps, ...plan }, visit) => {
    await real(plan, (path, content) => {
      const stamp = typeof content === "string" ? "" : String(content.length);
      if (stamp !== "" && stamps?.get(path) === stamp) return;
      read.push(path.slice(path.lastIndexOf("/") + 1));
      visit(path, content, stamp);
    });
  };
}

Deno.test("a hold has only changed files read again, and gives what a fresh one gives", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using checkout = await checkoutAt(repo.path);
  const fresh = () => readAll(checkout);
  const drafts = [draft("One", { fingerprint: "f1" }), draft("Two"), draft("Three")];
  await createTickets(checkout, drafts, { actor: "ada" });
  const read: string[] = [];
  const held = { ...checkout, readTree: stampedReader(checkout.readTree, read) };
  const hold = new TicketHold<TicketFileRead>({ room: new TextRoom(10_000), shown: (one) => one });
  const again = async () => {
    read.length = 0;
    assert.deepEqual(await readAll(held, hold), await fresh());
    return read.toSorted();
  };
  const names = ["T-0001-one.md", "T-0002-two.md", "T-0003-three.md"];
  assert.deepEqual(await again(), names);
  assert.deepEqual(await again(), []);
  const path = (name: string) => `docs/tickets/backlog/${name}`;
  assert.match(hold.text(path(names[1]!))!, /^\n## context\n\ntwo\n/);

  await repo.write(path(names[0]!), "---\nid: [\nfingerprint: f1\n---\n");
  assert.deepEqual(await again(), [names[0]]);
  await Deno.rename(`${repo.path}/${path(names[1]!)}`, `${repo.path}/docs/tickets/T-0002-two.md`);
  assert.deepEqual(await again(), [names[1]]);
  assert.equal(hold.text(path(names[1]!)), undefined);
  await repo.write("docs/tickets/done/T-0003-twin.md", "---\nid: T-0003\n---\n");
  assert.deepEqual(await again(), ["T-0003-twin.md"]);
  await Deno.remove(`${repo.path}/docs/tickets/done/T-0003-twin.md`);
  await Deno.remove(`${repo.path}/${path(names[0]!)}`);
  assert.deepEqual(await again(), []);
});

verifies(
  "2.1:tickets:state-directories",
  "texts beyond the room of all holds are not held, and room that is left is used",
  () => {
    const room = new TextRoom(20);
    const hold = () => new TicketHold({ room, shown: (text) => text.replace("secret", "***") });
    const [one, two] = [hold(), hold()];
    const file = (text: string) => ({ stamp: "1", bytes: new TextEncoder().encode(text) });
    one.keep("a", 1, file("The SECRET: secret"));
    assert.equal(one.text("a"), "the secret: ***");
    two.keep("b", 2, file("much too long"));
    assert.deepEqual([two.text("b"), two.read("b")], [undefined, 2]);
    one.forget("a");
    two.keep("b", 2, file("much too long"));
    assert.equal(two.text("b"), "much too long");
  },
);

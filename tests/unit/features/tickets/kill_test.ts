import assert from "node:assert/strict";
import { listTickets } from "svc/features/tickets/ticket_list.ts";
import { createTickets } from "svc/features/tickets/tickets.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { checkoutAt, draft } from "./ticket_checkout.ts";

const PROGRAM = new URL("./move_and_die.ts", import.meta.url).pathname;

async function copied(from: string): Promise<{ path: string } & AsyncDisposable> {
  const folder = await tempFolder();
  const { code } = await new Deno.Command("cp", { args: ["-a", `${from}/.`, folder.path] })
    .output();
  assert.equal(code, 0);
  return folder;
}

/** @returns the state after recovery; undefined when the program came to its end */
async function killedAt(nth: number, template: string): Promise<string | undefined> {
  await using repo = await copied(template);
  const { signal, code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", PROGRAM, repo.path, String(nth)],
    stdout: "null",
    stderr: "inherit",
  }).output();
  if (signal === null) {
    assert.equal(code, 0);
    return undefined;
  }
  assert.equal(signal, "SIGKILL");
  using checkout = await checkoutAt(repo.path);
  await checkout.locked("look", async () => {});
  const { tickets, broken } = await listTickets(checkout);
  assert.deepEqual(broken, []);
  assert.equal(tickets.length, 1);
  const [{ state, path }] = tickets as [typeof tickets[0] & object];
  const git = async (...args: string[]) => (await plainGit(repo.path, args)).stdout;
  assert.equal(await git("status", "--porcelain"), " M a\nA  b\n", `killed at ${nth}`);
  assert.equal(await git("ls-tree", "-r", "--name-only", "HEAD", "docs"), `${path}\n`);
  const evidence = (await Deno.readTextFile(`${repo.path}/${path}`)).match(/^- .*Z · /gm);
  assert.equal(evidence?.length, state === "backlog" ? 1 : 2);
  assert.match(
    await git("log", "-1", "--format=%s"),
    state === "backlog" ? /: create / : /: move /,
  );
  await git("fsck", "--strict");
  const left = [...Deno.readDirSync(`${repo.path}/.git`)].map(({ name }) => name);
  const strays = left.filter((name) => /^(?:svc-(?:commit|index)|index\.lock|\.svc)/.test(name));
  assert.deepEqual(strays, []);
  return state;
}

Deno.test("moveTicket, killed before any of its steps, has happened or has not", async () => {
  await using template = await tempRepo({ files: { a: "a\n" }, commit: true });
  {
    using checkout = await checkoutAt(template.path);
    await createTickets(checkout, [draft("One")], { actor: "test" });
  }
  await template.write("a", "changed\n");
  await template.write("b", "staged\n");
  await template.git("add", "b");
  const states: string[] = [];
  for (let nth = 1;; nth++) {
    const state = await killedAt(nth, template.path);
    if (state === undefined) break;
    states.push(state);
  }
  const landed = states.indexOf("in-progress");
  assert.ok(landed > 0 && states.length >= 8, states.join(" "));
  assert.deepEqual(new Set(states.slice(0, landed)), new Set(["backlog"]));
  assert.deepEqual(new Set(states.slice(landed)), new Set(["in-progress"]));
});

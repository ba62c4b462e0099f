/** Commits, merges and work trees of svc in a repo whose disk is full or read-only: made, or refused and made later. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { createTickets, moveTicket } from "svc/features/tickets/tickets.ts";
import { cannotMount, tmpfs } from "tests/kit/odd_disks.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import { checkoutAt, draft } from "tests/unit/features/tickets/ticket_checkout.ts";
import { worktreePorts } from "tests/unit/platform/worktree_ports.ts";

const ignore = await cannotMount();
const PAGE = 4096;

/** Writes until no more than so many pages are free. */
function fill(path: string, pages: number): void {
  using file = Deno.openSync(path, { create: true, write: true });
  let written = 0;
  try {
    for (;;) written += file.writeSync(new Uint8Array(PAGE));
  } catch (thrown) {
    assert.match(String(thrown), /os error 28/);
  }
  file.truncateSync(Math.max(0, written - pages * PAGE));
}

async function fullRepo() {
  const disk = await tmpfs(2048);
  const home = await tempFolder("svc-worktrees-");
  const git = async (...args: string[]) => {
    const { code, stdout, stderr } = await plainGit(disk.path, args);
    assert.equal(code, 0, `git ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  await git("init", "--quiet", "--template=", "--initial-branch=main");
  await Deno.writeTextFile(`${disk.path}/a.txt`, "one\n");
  await git("add", "a.txt");
  await git("commit", "--quiet", "--message", "first");
  await git("checkout", "--quiet", "-b", "svc/work");
  await Deno.writeTextFile(`${disk.path}/a.txt`, "two\n");
  await Deno.writeTextFile(`${disk.path}/b.txt`, "b\n".repeat(4000));
  await git("add", ".");
  await git("commit", "--quiet", "--message", "second");
  await git("checkout", "--quiet", "main");
  return {
    ...{ path: disk.path, home: home.path, git },
    tip: () => git("rev-parse", "HEAD"),
    makeReadOnly: () => disk.makeReadOnly(),
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]();
      await disk[Symbol.asyncDispose]();
    },
  };
}

type FullRepo = Awaited<ReturnType<typeof fullRepo>>;

const WORK: Readonly<Record<string, (at: FullRepo) => Promise<() => Promise<unknown>>>> = {
  async "a new ticket"({ path }) {
    const checkout = await checkoutAt(path);
    return () => createTickets(checkout, [draft("one")], { actor: "ada" });
  },
  async "a ticket's move"({ path }) {
    const checkout = await checkoutAt(path);
    await createTickets(checkout, [draft("one")], { actor: "ada" });
    return () => moveTicket(checkout, "T-0001", { actor: "ada", to: "in-progress" });
  },
  async "a merge"({ path, home }) {
    const { worktrees, repo } = await worktreePorts(path, home);
    const plan = { doing: "merge", into: "main", from: "svc/work", message: "merge work" };
    return () => worktrees.merge(repo, plan);
  },
  async "a work tree"({ path, home }) {
    const { worktrees, repo } = await worktreePorts(path, home);
    const plan = { doing: "begin", path: `${home}/job`, branch: "svc/new", start: "main" };
    return () => worktrees.add(repo, plan);
  },
};

for (const [name, prepared] of Object.entries(WORK)) {
  Deno.test(`${name} waits while the disk is read-only`, { ignore }, async () => {
    await using at = await fullRepo();
    const work = await prepared(at);
    await at.makeReadOnly();
    const refused = await work().then(() => undefined, Failure.from);
    assert.equal(refused?.detail.waits, true, refused?.message);
    assert.match(refused!.message, /read-only/i);
  });

  Deno.test(
    `${name} for which the disk has too little room is made once there is some`,
    { ignore },
    async () => {
      const ends = new Set<string>();
      for (let pages = 0; pages < 14; pages++) {
        await using at = await fullRepo();
        const work = await prepared(at);
        const before = await at.tip();
        fill(`${at.path}/.git/filler`, pages);
        const refused = await work().then(() => undefined, Failure.from);
        Deno.removeSync(`${at.path}/.git/filler`);
        ends.add(refused === undefined ? "made" : "refused");
        assert.notEqual(refused?.code, "internal", `${pages} pages: ${refused?.message}`);
        if (refused !== undefined) {
          assert.ok(refused.detail.remedy, refused.message);
          // Git is not held up by what was not done.
          if (await at.tip() === before) await at.git("add", "--all");
          await work();
        }
        assert.equal(await at.git("status", "--porcelain"), "", `${pages} pages`);
      }
      assert.deepEqual([...ends].sort(), ["made", "refused"]);
    },
  );
}

/** Clones without the contents of old commits, from git-http-backend(1), which is git's own. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { gitOver } from "svc/platform/git/git.ts";
import type { Remotes } from "svc/platform/git/remotes.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { gitHttpBackend } from "tests/kit/git_http_backend.ts";
import { plainGit, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { ENV } from "tests/unit/platform/commit_ports.ts";
import { remotePorts } from "tests/unit/platform/remote_ports.ts";

const REPO = { id: "0123456789ab", branch: "main" };

interface Host extends AsyncDisposable {
  readonly url: string;
  readonly bare: string;
  readonly person: TempRepo;
  /** Requests that it was sent. */
  asked(): number;
  /** On a machine of its own. @param wholeFiles as `ClonePorts` */
  clone(wholeFiles: number): Promise<Clone>;
}

interface Clone {
  readonly root: string;
  readonly remotes: Remotes;
  readonly remote: typeof REPO & { readonly url: string };
  git(...args: string[]): Promise<string>;
  /** Contents that the commits lack here. */
  lacks(...commits: string[]): Promise<number>;
}

async function host(
  { filters = true, newest = true }: {
    filters?: boolean;
    /** Speaks the newest protocol that git asks for, else its first one. */
    newest?: boolean;
  } = {},
): Promise<Host> {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await tempFolder());
  const bare = `${folder.path}/acme/app.git`;
  await Deno.mkdir(bare, { recursive: true });
  await plainGit(bare, ["init", "--quiet", "--bare", "--initial-branch=main"]);
  await plainGit(bare, ["config", "uploadpack.allowFilter", String(filters)]);
  const person = parts.use(await tempRepo());
  await person.git("remote", "add", "origin", bare);
  for (const nth of [1, 2, 3]) {
    await person.commit(`${nth}`, { "a.txt": `a ${nth}\n`, [`kept/${nth}.txt`]: `${nth}\n` });
  }
  await person.git("push", "--quiet", "origin", "main");
  let asked = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    asked++;
    const headers = new Headers(request.headers);
    if (!newest) headers.delete("git-protocol");
    return await gitHttpBackend(new Request(request, { headers }), folder.path);
  });
  parts.defer(() => server.shutdown());
  const url = `http://127.0.0.1:${server.addr.port}/acme/app.git`;
  const held = parts.move();
  let clones = 0;
  return {
    ...{ url, bare, person },
    asked: () => asked,
    async clone(wholeFiles) {
      const home = `${folder.path}/node${++clones}`;
      const remotes = remotePorts(home, denoProcesses(), wholeFiles);
      const remote = { ...REPO, url };
      const root = await remotes.clone(remote);
      const git = async (...args: string[]) => {
        const { code, stdout, stderr } = await plainGit(root, args);
        assert.equal(code, 0, stderr);
        return stdout.trim();
      };
      return {
        ...{ root, remotes, remote, git },
        async lacks(...commits) {
          const list = await git("rev-list", "--objects", "--missing=print", ...commits);
          return list.split("\n").filter((line) => line.startsWith("?")).length;
        },
      };
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const opened = ({ root }: Clone) => gitOver(denoProcesses(), ENV).open(root);

verifies(
  "4.5:register:db",
  "a clone of a long history has the contents of the newest commit, and asks nobody for others",
  async () => {
    await using from = await host();
    const clone = await from.clone(2);
    assert.equal(await clone.lacks("HEAD"), 2); // a.txt as it was twice
    assert.equal(await clone.git("status", "--porcelain"), "");
    assert.equal(await clone.git("log", "--format=%s"), "3\n2\n1");
    const before = from.asked();
    // As a check of the repo or a person would, with the login and the network that they have.
    const { code, stderr } = await plainGit(clone.root, ["show", "HEAD~1:a.txt"]);
    assert.notEqual(code, 0);
    assert.match(stderr, /svc has no contents of old commits in this clone/);
    const git = await opened(clone);
    const lacking = await git.diff({ since: "HEAD~2", until: "HEAD" }).catch((thrown) => thrown);
    assert.ok(lacking instanceof Failure, String(lacking));
    assert.match(lacking.message, /the clone is partial, and lacks contents of old commits$/);
    assert.equal(from.asked(), before);
    // The way out.
    const [, ...remedy] = lacking.remedy!.replace(`-C "${clone.root}" `, "").split(" ");
    await clone.git(...remedy);
    assert.equal(await clone.lacks("HEAD"), 0);
    assert.equal(await clone.git("show", "HEAD~1:a.txt"), "a 2");
  },
);

verifies(
  "2.1:shared-database:holds-serve-state",
  "a partial clone gets all that a merge of a branch needs, and pushes what it makes",
  async () => {
    await using from = await host();
    const { person } = from;
    // It left the registered branch before the first content that the clone has.
    await person.git("checkout", "--quiet", "-b", "svc/T-0001-old", "HEAD~2");
    await person.commit("old work", { "a.txt": "a 1\nand more\n" });
    await person.git("push", "--quiet", "origin", "svc/T-0001-old");
    const clone = await from.clone(2);
    const { remotes, remote } = clone;
    assert.equal(await clone.lacks("origin/svc/T-0001-old"), 0);
    // Contents of an old commit come again, which the host takes to be here: it looks into a bitmap.
    await person.git("checkout", "--quiet", "main");
    await person.commit("back", { "a.txt": "a 2\n" });
    await person.commit("on", { "a.txt": "a 4\n" });
    await person.git("push", "--quiet", "origin", "main");
    await plainGit(from.bare, ["repack", "-adbq"]);
    const place = await opened(clone);
    const tip = await remotes.fetch(place, remote);
    await remotes.reset(place, { branch: "main", commit: tip });
    assert.equal(await clone.lacks("HEAD", "^HEAD~2"), 0);
    assert.equal(await clone.lacks("HEAD"), 0); // those were the last that it lacked
    await clone.git("checkout", "--quiet", "-b", "svc/T-0002-new");
    await clone.git("merge", "--quiet", "-X", "ours", "-m", "merged", "origin/svc/T-0001-old");
    await remotes.hand(place, remote, "svc/T-0002-new");
    await clone.git("update-ref", "refs/heads/main", "svc/T-0002-new");
    assert.equal(await remotes.land(place, remote, tip), true);
    assert.equal((await plainGit(from.bare, ["log", "-1", "--format=%s"])).stdout, "merged\n");
    assert.equal((await plainGit(from.bare, ["fsck", "--strict"])).code, 0);
  },
);

/** Twenty lines. @param changed their numbers and what stands there instead of the number */
const lines = (changed: Readonly<Record<number, string>>) =>
  Array.from({ length: 20 }, (_, at) => `${changed[at + 1] ?? at + 1}\n`).join("");

/** Two branches from one old commit, each of which has the other's first commit. */
async function crossed(from: Host) {
  const { person } = from;
  const change = (subject: string, changed: Readonly<Record<number, string>>) =>
    person.commit(subject, { "long.txt": lines(changed) });
  const merge = (branch: string) => person.git("merge", "--quiet", "-m", "crossed", branch);
  await change("before both", {});
  await person.git("checkout", "--quiet", "-b", "svc/T-0003-crossed");
  await change("theirs", { 20: "theirs" });
  await person.git("branch", "theirs");
  await person.git("checkout", "--quiet", "main");
  await change("mine", { 1: "mine" });
  await person.git("branch", "mine");
  return {
    async onBranch() {
      await person.git("checkout", "--quiet", "svc/T-0003-crossed");
      await merge("mine");
      await change("more", { 1: "mine", 10: "more", 20: "theirs" });
      await person.git("push", "--quiet", "origin", "svc/T-0003-crossed");
      await person.git("checkout", "--quiet", "main");
    },
    async onMain() {
      await merge("theirs");
      await person.git("push", "--quiet", "origin", "main");
    },
  };
}

const ORDERS = ["before it was made", "on the registered branch since then"] as const;

for (const order of ORDERS) {
  verifies(
    "2.1:shared-database:holds-serve-state",
    `a partial clone merges branches that were merged with each other ${order}`,
    async () => {
      await using from = await host();
      const cross = await crossed(from);
      await from.person.git("push", "--quiet", "origin", "main");
      await cross.onBranch();
      if (order === ORDERS[0]) await cross.onMain();
      const clone = await from.clone(2);
      if (order === ORDERS[1]) await cross.onMain();
      const { remotes, remote, git } = clone;
      const place = await opened(clone);
      await remotes.reset(place, { branch: "main", commit: await remotes.fetch(place, remote) });
      assert.ok(await clone.lacks("HEAD") > 0);
      const bases = await git("merge-base", "--all", "main", "origin/svc/T-0003-crossed");
      assert.equal(bases.split("\n").length, 2);
      await git("merge", "--quiet", "-m", "merged", "origin/svc/T-0003-crossed");
      assert.equal(
        `${await git("show", "HEAD:long.txt")}\n`,
        lines({ 1: "mine", 10: "more", 20: "theirs" }),
      );
    },
  );
}

const WHOLE: readonly (readonly [string, Parameters<typeof host>[0], number])[] = [
  ["whose history is short", {}, 6],
  ["at a host without filters", { filters: false }, 0],
  ["at a host that gives no object by its id", { newest: false }, 0],
];

for (const [which, how, wholeFiles] of WHOLE) {
  verifies("4.5:register:db", `a clone ${which} is whole`, async () => {
    await using from = await host(how);
    const clone = await from.clone(wholeFiles);
    assert.equal(await clone.lacks("HEAD"), 0);
    assert.equal(await clone.git("show", "HEAD~1:a.txt"), "a 2");
    const settings = await clone.git("config", "--local", "--list");
    assert.doesNotMatch(settings, /promisor|partialclone/);
    for await (const { name } of Deno.readDir(`${clone.root}/.git/objects/pack`)) {
      assert.doesNotMatch(name, /promisor/);
    }
    await from.person.commit("4", { "a.txt": "a 4\n" });
    await from.person.git("push", "--quiet", "origin", "main");
    await clone.remotes.fetch(await opened(clone), clone.remote);
    assert.equal(await clone.git("show", "origin/main:a.txt"), "a 4");
  });
}

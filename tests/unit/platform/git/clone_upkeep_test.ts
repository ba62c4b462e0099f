/** What is taken from remotes and clones, beside git's own server (git-http-backend(1)). */
import assert from "node:assert/strict";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { gitHttpBackend } from "tests/kit/git_http_backend.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { ENV } from "tests/unit/platform/commit_ports.ts";
import { remotePorts } from "tests/unit/platform/remote_ports.ts";

async function place(wholeFiles?: number) {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await tempFolder());
  const bare = `${folder.path}/acme/app.git`;
  await Deno.mkdir(bare, { recursive: true });
  await plainGit(bare, ["init", "--quiet", "--bare", "--initial-branch=main"]);
  await plainGit(bare, ["config", "uploadpack.allowFilter", "true"]);
  const person = parts.use(await tempRepo({ files: { "a.txt": "a\n" }, commit: true }));
  await person.git("remote", "add", "origin", bare);
  await person.git("push", "--quiet", "origin", "main");
  const told = { asked: 0, before: (_: Request): Promise<void> => Promise.resolve() };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    told.asked++;
    await told.before(request);
    return await gitHttpBackend(request, folder.path);
  });
  parts.defer(() => server.shutdown());
  const url = `http://127.0.0.1:${server.addr.port}/acme/app.git`;
  const remote = { id: "0123456789ab", branch: "main", url };
  const remotes = remotePorts(`${folder.path}/node`, denoProcesses(), wholeFiles, true);
  const held = parts.move();
  return {
    ...{ bare, person, told, remotes, remote, folder: folder.path },
    async branch(name: string, how: "merged" | "open" | "squashed") {
      await person.git("checkout", "--quiet", "-b", name, "main");
      const tip = await person.commit(`work of ${name}`, { [name.replaceAll("/", "_")]: "x\n" });
      await person.git("checkout", "--quiet", "main");
      if (how === "merged") await person.git("merge", "--quiet", "--no-ff", "--no-edit", name);
      if (how === "squashed") {
        await person.git("merge", "--quiet", "--squash", name);
        await person.git("commit", "--quiet", "-m", `squash of ${name}`);
      }
      await person.git("push", "--quiet", "origin", "main", name);
      return tip;
    },
    async open() {
      const root = await remotes.clone(remote);
      const repo = await gitOver(denoProcesses(), ENV).open(root);
      const git = async (...args: string[]) => (await plainGit(root, args)).stdout.trim();
      return { root, repo, git };
    },
    branches: async () =>
      (await plainGit(bare, ["branch", "--format=%(refname:short)"])).stdout.trim().split("\n"),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

verifies(
  "2.1:shared-database:holds-serve-state",
  "merged svc branches go from the remote, and no other, nor one that somebody pushed to meanwhile",
  async () => {
    await using at = await place();
    const { remotes, remote, person } = at;
    const squashed = await at.branch("svc/T-1-squashed", "squashed");
    await at.branch("svc/T-2-merged", "merged");
    await at.branch("svc/T-3-open", "open");
    await at.branch("svc/T-4-raced", "merged");
    await at.branch("mine", "merged");
    const { repo, git } = await at.open();
    const names = ["svc/T-1-squashed", "svc/T-2-merged", "svc/T-3-open", "svc/T-4-raced"];
    assert.deepEqual(await remotes.handed(repo), names);
    // Somebody pushes between svc's look and its push.
    at.told.before = async ({ url }) => {
      if (!url.includes("git-receive-pack")) return;
      at.told.before = () => Promise.resolve();
      await person.git("checkout", "--quiet", "svc/T-4-raced");
      await person.commit("more", { "more.txt": "x\n" });
      await person.git("push", "--quiet", "origin", "svc/T-4-raced");
    };
    const asked = names.map((name) => name === names[0] ? { name, merged: squashed } : { name });
    assert.deepEqual(await remotes.withdraw(repo, remote, [...asked, { name: "svc/T-9-never" }]), [
      { name: "svc/T-3-open", why: "not in main" },
      { name: "svc/T-9-never", why: undefined },
      { name: "svc/T-1-squashed", why: undefined },
      { name: "svc/T-2-merged", why: undefined },
      { name: "svc/T-4-raced", why: "[rejected] (stale info)" },
    ]);
    assert.deepEqual(await at.branches(), ["main", "mine", "svc/T-3-open", "svc/T-4-raced"]);
    assert.deepEqual(await remotes.handed(repo), ["svc/T-3-open", "svc/T-4-raced"]);
    await assert.rejects(
      remotes.withdraw(repo, remote, [{ name: "mine" }]),
      /"mine" is not one of svc/,
    );
    // A host may keep all branches.
    await at.branch("svc/T-5-kept", "merged");
    await plainGit(at.bare, ["config", "receive.denyDeletes", "true"]);
    assert.deepEqual(await remotes.withdraw(repo, remote, [{ name: "svc/T-5-kept" }]), [
      { name: "svc/T-5-kept", why: "[remote rejected] (deletion prohibited)" },
    ]);
    assert.equal(await git("rev-parse", "--verify", "origin/svc/T-5-kept") !== "", true);
  },
);

verifies(
  "2.1:shared-database:holds-serve-state",
  "a clone, a partial one too, is packed without a hook or the network, and loses nothing that a ref has",
  async () => {
    await using at = await place(0);
    for (const nth of [1, 2, 3]) await at.person.commit(`${nth}`, { "a.txt": `a ${nth}\n` });
    await at.person.git("push", "--quiet", "origin", "main");
    const { root, repo, git } = await at.open();
    const { remotes } = at;
    assert.match(await git("rev-list", "--objects", "--missing=print", "HEAD"), /^\?/m);
    const ran = `${at.folder}/ran`;
    await Deno.mkdir(`${root}/.git/hooks`, { recursive: true });
    await Deno.writeTextFile(`${root}/.git/hooks/pre-auto-gc`, `#!/bin/sh\ntouch ${ran}\n`, {
      mode: 0o755,
    });
    const aside = await git("commit-tree", "-p", "HEAD", "-m", "aside", "HEAD^{tree}");
    await git("update-ref", `refs/svc/aside/svc/T-1-x/${aside}`, aside);
    const loose = await git("commit-tree", "-p", "HEAD", "-m", "a job's", "HEAD^{tree}");
    await git("worktree", "add", "--quiet", "-b", "svc/T-2-y", `${at.folder}/tree`);
    const before = at.told.asked;
    assert.equal(typeof await remotes.pack(repo), "number");
    assert.equal(at.told.asked, before);
    const looseFile = `${root}/.git/objects/${aside.slice(0, 2)}/${aside.slice(2)}`;
    await assert.rejects(Deno.lstat(looseFile), Deno.errors.NotFound);
    // Packs from the remote, of svc's own, and since git 2.41 of what no ref has.
    assert.match(await git("count-objects", "-v"), /^packs: [1-3]$/m);
    assert.equal(await git("cat-file", "-t", loose), "commit");
    assert.equal(await git("status", "--porcelain"), "");
    assert.equal((await plainGit(`${at.folder}/tree`, ["status", "--porcelain"])).code, 0);
    await assert.rejects(Deno.lstat(ran), Deno.errors.NotFound);
    const [kept] = await remotes.asides(repo);
    const { branch, commit } = kept!;
    assert.deepEqual({ branch, commit }, { branch: "svc/T-1-x", commit: aside });
    await remotes.dropAsides(repo, [kept!]);
    assert.deepEqual(await remotes.asides(repo), []);
    const evil = { ...kept!, ref: "refs/heads/main" };
    await assert.rejects(remotes.dropAsides(repo, [evil]), /refs\/heads\/main/);
  },
);

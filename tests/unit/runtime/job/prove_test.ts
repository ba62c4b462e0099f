import assert from "node:assert/strict";
import { readManifest } from "svc/features/harness/manifest.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { ownTree } from "svc/runtime/job/job_tree.ts";
import { prove } from "svc/runtime/job/prove.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { enginePorts } from "tests/unit/runtime/engine_place.ts";

const MANIFEST = readManifest(
  "version: 1\nproject: { name: demo }\nroles: { engineer: { prompt: roles/engineer.md } }\n",
);

/** A tree of a job that has made no commit, and how its work is proven. */
async function place() {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await tempFolder());
  const repo = parts.use(await tempRepo({ files: { "a": "1\n" }, commit: true }));
  const { signal } = new AbortController();
  const ports = { ...parts.use(await enginePorts(folder.path)), signal };
  const facts = { id: "0123456789ab", path: repo.path, branch: "main", remote: null, host: null };
  const opened = parts.use(await new RepoOpener(ports).open(facts, ports));
  const plan = { jobId: "job-prove", role: "engineer", ticket: undefined };
  const tree = parts.use(await ownTree(ports, opened, plan));
  const proven = (more: Partial<Parameters<typeof prove>[2]>, taps: Partial<typeof ports> = {}) =>
    prove({ ...ports, ...taps }, opened, {
      ...{ job: "job-prove", role: "engineer", signal, progress() {}, manifest: MANIFEST, tree },
      ...{ disposition: "approved", message: "", hookFolders: [], acceptance: [] },
      proven: undefined,
      toolbox: {
        offered: () => Promise.resolve([]),
        read: () => Promise.reject(new Error("no call is read")),
        readsOnly: () => true,
        call: () => Promise.reject(new Error("no tool is called")),
      },
      ...more,
    });
  const held = parts.move();
  return { ports, tree, proven, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

Deno.test("a commit that comes while svc looks counts: what is judged is what git says is HEAD", async () => {
  await using at = await place();
  const { tree } = at;
  const { commits, given } = tree;
  let late: string | undefined;
  const tip: typeof commits.tip = async (place) => {
    const before = await commits.tip(place);
    await plainGit(tree.root, ["commit", "-q", "--allow-empty", "-m", "late"]);
    late = await commits.tip(place);
    return before;
  };
  const proof = await at.proven({ tree: { ...tree, commits: { ...commits, tip } } });
  assert.notEqual(late, given);
  assert.deepEqual([proof.head, proof.committed, proof.sameCommit], [late, true, false]);
  assert.match(
    proof.objections.join(),
    /commits that git_commit did not make: [0-9a-f]{12} "late"/,
  );
});

Deno.test("a branch without a commit is merged only where svc saw that very commit proven", async () => {
  await using at = await place();
  const head = at.tree.given!;
  const before = await at.proven({});
  assert.deepEqual([before.merged, before.checks, before.head], [false, "not_run", head]);
  const merged = await at.proven({ proven: head });
  assert.deepEqual([merged.merged, merged.checks], [true, "none"]);
});

Deno.test("work inside a submodule is another repo's, and is not handed in", async () => {
  await using at = await place();
  await plainGit(at.tree.root, [
    ...["commit", "-q", "--allow-empty", "-m"],
    "feat: x\n\nSvc-Role: engineer\nSvc-Job: job-prove",
  ]);
  assert.deepEqual((await at.proven({})).objections, []);
  const submoduleChanges = () => Promise.resolve(["sub/a.txt"]);
  const worktrees = { ...at.ports.worktrees, submoduleChanges };
  assert.match(
    (await at.proven({}, { worktrees })).objections.join(),
    /"?sub\/a\.txt"? changed inside/,
  );
});

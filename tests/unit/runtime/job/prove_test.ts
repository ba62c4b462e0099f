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

Deno.test("a commit that comes while svc looks counts: what is judged is what git says is HEAD", async () => {
  await using folder = await tempFolder();
  await using repo = await tempRepo({ files: { "a": "1\n" }, commit: true });
  await using parts = await enginePorts(folder.path);
  const { signal } = new AbortController();
  const ports = { ...parts, signal };
  const facts = { id: "0123456789ab", path: repo.path, branch: "main", remote: null, host: null };
  using opened = await new RepoOpener(ports).open(facts, ports);
  const plan = { jobId: "job-1", role: "engineer", ticket: undefined };
  using tree = await ownTree(ports, opened, plan);
  const { commits, given } = tree;
  let late: string | undefined;
  const tip: typeof commits.tip = async (place) => {
    const before = await commits.tip(place);
    await plainGit(tree.root, ["commit", "-q", "--allow-empty", "-m", "late"]);
    late = await commits.tip(place);
    return before;
  };
  const proof = await prove(ports, opened, {
    ...{ job: "job-1", role: "engineer", signal, progress() {}, manifest: MANIFEST },
    ...{ disposition: "approved", message: "", hookFolders: [], acceptance: [], proven: undefined },
    tree: { ...tree, commits: { ...commits, tip } },
    toolbox: {
      offered: () => Promise.resolve([]),
      read: () => Promise.reject(new Error("no call is read")),
      readsOnly: () => true,
      call: () => Promise.reject(new Error("no tool is called")),
    },
  });
  assert.notEqual(late, given);
  assert.deepEqual([proof.head, proof.committed, proof.sameCommit], [late, true, false]);
  assert.match(
    proof.objections.join(),
    /commits that git_commit did not make: [0-9a-f]{12} "late"/,
  );
});

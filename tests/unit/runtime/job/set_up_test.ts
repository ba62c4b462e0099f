/** A set-up that a person stops. */
import assert from "node:assert/strict";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { readManifest } from "svc/features/harness/manifest.ts";
import { ownTree } from "svc/runtime/job/job_tree.ts";
import { setUpTree } from "svc/runtime/job/set_up.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { enginePorts } from "tests/unit/runtime/engine_place.ts";

const MANIFEST = readManifest(`version: 1
project:
  name: demo
  setup: [{ name: deps, run: [sh, -c, "mkdir deps; echo began; while :; do sleep 60; done"] }]
roles: { engineer: { prompt: roles/engineer.md } }
`);

Deno.test("a set-up that is stopped ends at once, and leaves no process, tree or record", async () => {
  await using repo = await tempRepo({ files: { ".gitignore": "deps/\n" }, commit: true });
  await using base = await tempFolder();
  const stop = new AbortController();
  await using parts = await enginePorts(base.path);
  const ports = { ...parts, signal: stop.signal };
  const facts = { id: "demo", path: repo.path, branch: "main", remote: null, host: null };
  using opened = await new RepoOpener(ports).open(facts, ports);
  using tree = await ownTree(ports, opened, {
    jobId: "job-set-up",
    role: "engineer",
    ticket: undefined,
  });
  const shown: string[] = [];
  const work = {
    ...{ job: "job-set-up", role: "engineer", tree, signal: stop.signal },
    progress(text: string) {
      shown.push(text);
      if (text.endsWith("began")) stop.abort(new Error("stopped by a person"));
    },
  };
  await assert.rejects(setUpTree(ports, opened, MANIFEST, work), /stopped by a person/);
  assert.deepEqual(shown, ["set-up deps", "set-up deps: began"]);
  assert.equal(await ports.processes.sweep("job-set-up"), 0);
  await assert.rejects(Deno.stat(tree.root), Deno.errors.NotFound);
  assert.equal((await repo.git("worktree", "list")).trim().split("\n").length, 1);
  assert.deepEqual(await ports.db.selectFrom("checks").selectAll().execute(), []);
});

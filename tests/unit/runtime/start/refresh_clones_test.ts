/** The clones that a node makes as it starts. The remote is a bare repo of git's. */
import assert from "node:assert/strict";
import { cloneRoot } from "svc/platform/git/clone_root.ts";
import type { Remotes } from "svc/platform/git/remotes.ts";
import { refreshClones } from "svc/runtime/start/refresh_clones.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { remotePorts } from "tests/unit/platform/remote_ports.ts";
import { enginePorts } from "tests/unit/runtime/engine_place.ts";

verifies(
  ["4.5:register:db", "2.1:shared-database:holds-serve-state"],
  "four clones at most are made at a time; one that fails, or was interrupted, stops no other",
  async () => {
    await using base = await tempFolder();
    await using person = await tempRepo({ files: { "a.txt": "a\n" }, commit: true });
    const bare = `${base.path}/app.git`;
    await plainGit(base.path, ["clone", "--quiet", "--bare", person.path, bare]);
    await using own = await enginePorts(base.path);
    const real = remotePorts(base.path);
    const seen = { now: 0, most: 0 };
    const clone: Remotes["clone"] = async (remote) => {
      seen.most = Math.max(seen.most, ++seen.now);
      try {
        return await real.clone(remote);
      } finally {
        seen.now--;
      }
    };
    const rows = Array.from({ length: 6 }, (_, at) => {
      const id = `${at}`.repeat(12);
      const url = at === 1 ? `file://${base.path}/nowhere/app.git` : `file://${bare}`;
      const path = cloneRoot(`${base.path}/repos`, { id, url });
      const facts = { branch: "main", remote: null, host: null, node_id: null };
      return { ...{ id, url, path }, ...facts, created_at: 1, updated_at: 1 };
    });
    // As a kill leaves it.
    const half = `${base.path}/repos/${rows[0]!.id}/.next`;
    await Deno.mkdir(`${half}/.git/objects`, { recursive: true });
    await Deno.writeTextFile(`${half}/.git/config`, "cut sho");
    await Deno.writeTextFile(`${half}/left.txt`, "");
    const said: string[] = [];
    const ports = { ...own, remotes: { ...real, clone }, signal: new AbortController().signal };
    const faults = await refreshClones(ports, rows, (text) => void said.push(text));
    assert.equal(seen.most, 4);
    assert.deepEqual([...faults.keys()], [rows[1]!.path]);
    assert.match(faults.get(rows[1]!.path)!, /^Cannot clone ".*nowhere/);
    for (const { path } of rows.filter((_, at) => at !== 1)) {
      assert.equal((await plainGit(path, ["status", "--porcelain"])).stdout, "");
      assert.equal(await Deno.readTextFile(`${path}/a.txt`), "a\n");
    }
    await assert.rejects(Deno.stat(half), Deno.errors.NotFound);
    assert.deepEqual(
      [said[0], said.at(-1), said.length],
      ["clones and fetches: 0 of 6 repos", "clones and fetches: 6 of 6 repos", 7],
    );
  },
);

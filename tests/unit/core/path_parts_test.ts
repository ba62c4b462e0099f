import assert from "node:assert/strict";
import { namedAfter } from "svc/core/path_parts.ts";
import { tracePath } from "svc/runtime/job/trace_path.ts";
import { worktreesOf } from "svc/runtime/job/job_tree.ts";
import type { Home } from "svc/platform/home.ts";

const bytes = (text: string) => new TextEncoder().encode(text).length;

Deno.test("folders that are named after a repo fit into a file system, whatever the repo is called", () => {
  assert.equal(namedAfter("/srv/app"), "app");
  assert.equal(namedAfter("/"), "root");
  const home = { traces: "/t", worktrees: "/w" } as Home;
  for (const name of ["n".repeat(255), "ü".repeat(127), "🦀".repeat(63)]) {
    const repo = { root: `/srv/${name}`, id: "0123456789ab" };
    for (const path of [tracePath(home, repo, "job"), worktreesOf({ home }, repo)]) {
      const folder = path.split("/")[2]!;
      assert.ok(bytes(folder) <= 255 && bytes(folder) > 250, `${bytes(folder)} bytes`);
      assert.match(folder, /^(?:n|ü|🦀)+-0123456789ab$/u);
    }
  }
});

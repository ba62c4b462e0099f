import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { worktreePorts } from "tests/unit/platform/worktree_ports.ts";
import { evil, victim } from "./hostile_parts.ts";
import { HOSTILE } from "./hostile_repos.ts";

/** The whole life of a job's work tree, as far as the repo lets it come. */
async function live(repo: string, home: string): Promise<void> {
  using at = await worktreePorts(repo, home);
  const { worktrees, repo: place } = at;
  const work = { doing: "test", path: `${home}/job`, branch: "svc/work", start: "main" };
  const { path } = await worktrees.add(place, work);
  using folder = await openFolder(path);
  await folder.write("fresh", new TextEncoder().encode("fresh\n"));
  const plan = { doing: "test", message: "test", paths: ["fresh"] };
  await at.commits.commitPaths(await at.git.open(path), folder, plan);
  await worktrees.patch(place, "svc/work", "main");
  await worktrees.ahead(place, "svc/work", "main");
  const merge = { doing: "test", into: "main", from: "svc/work", message: "test" };
  assert.equal((await worktrees.merge(place, merge)).kind, "merged");
  await worktrees.remove(place, path);
  assert.equal(await worktrees.deleteMerged(place, "svc/work", "main"), true);
}

/** The others name programs for networks, pagers and editors, of which no verb of a work tree asks. */
const TOUCHED = /hook|filter|merge|submodule|fsmonitor|commit|lazy|worktree/;
/** Harmless with the hardening, so that the whole life must succeed. */
const LIVES = /hook|fsmonitor|commit/;

const hostile = HOSTILE.filter(({ name, refused }) => refused === undefined && TOUCHED.test(name));
for (const { name, plant } of hostile) {
  Deno.test(`a work tree of a hostile ${name} is made and merged without running any of it`, async () => {
    await using repo = await victim();
    await using program = await evil();
    await using home = await tempFolder();
    await plant(repo, program);
    await program.forget();
    const before = await repo.read(".git/config");
    try {
      await live(repo.path, home.path);
    } catch (thrown) {
      assert.ok(thrown instanceof Failure, String(thrown));
      assert.doesNotMatch(name, LIVES, String(thrown));
      assert.match(thrown.code, /^(environment|refused|conflict)$/, String(thrown));
    }
    assert.equal(await program.fired(), false);
    assert.equal(await repo.read(".git/config"), before);
  });
}

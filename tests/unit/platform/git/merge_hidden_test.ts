/** Merges into checkouts whose files git was told not to look at, or which have only a part of the files. */
import assert from "node:assert/strict";
import { yard } from "tests/unit/platform/worktree_ports.ts";

const PLAN = {
  doing: "merge T-0001",
  into: "main",
  from: "svc/work",
  message: "merge T-0001: one",
};

for (const flag of ["skip-worktree", "assume-unchanged"]) {
  Deno.test(`merge keeps its hands off an edited file that is ${flag}, and keeps the mark`, async () => {
    await using at = await yard({ files: { "config.yml": "a\n", "other.yml": "o\n", b: "b\n" } });
    await at.branch({ "config.yml": "A\n", "other.yml": "O\n" });
    await at.repo.git("update-index", `--${flag}`, "config.yml", "other.yml");
    await at.repo.write("config.yml", "my own settings\n");
    const marks = () => at.repo.git("ls-files", "-v", "config.yml", "other.yml");
    const [before, marked] = [await at.seen(), await marks()];
    const outcome = await at.worktrees.merge(at.place, PLAN);
    assert.deepEqual(outcome, { kind: "dirty", paths: ["config.yml"] });
    assert.deepEqual(await at.seen(), before);
    assert.equal(await at.repo.read("config.yml"), "my own settings\n");

    await at.repo.write("config.yml", "a\n");
    assert.equal((await at.worktrees.merge(at.place, PLAN)).kind, "merged");
    assert.equal(await at.repo.read("config.yml"), "A\n");
    assert.equal(await at.repo.read("other.yml"), "O\n");
    assert.equal(await marks(), marked);
  });
}

for (const cone of [true, false]) {
  Deno.test(`merge writes into a sparse checkout what git itself would, ${cone ? "by folders" : "by patterns"}`, async () => {
    const files = { "a/f": "1\n", "b/f": "1\n", "b/deep/f": "1\n", "b/gone": "1\n", r: "r\n" };
    const outcome = async (merge: (at: Awaited<ReturnType<typeof yard>>) => Promise<unknown>) => {
      await using at = await yard({ files });
      await at.branch({
        ...{ "a/f": "2\n", "a/new": "n\n", "b/f": "2\n", "b/gone": null, "b/new": "n\n" },
        ...{ "c/new": "n\n", "c/deep/new": "n\n", new: "n\n" },
      });
      await at.repo.git(
        ...["sparse-checkout", "set", cone ? "--cone" : "--no-cone"],
        ...(cone ? ["a"] : ["/a/", "/r", "/new", "/c/deep/"]),
      );
      await merge(at);
      const there = await Array.fromAsync(walk(at.repo.path));
      return { there: there.sort(), marks: await at.repo.git("ls-files", "-t") };
    };
    const ours = await outcome(async (at) => {
      assert.equal((await at.worktrees.merge(at.place, PLAN)).kind, "merged");
      assert.equal((await at.seen()).status, "");
    });
    const gits = await outcome((at) => at.repo.git("merge", "--quiet", "--no-ff", "svc/work"));
    assert.deepEqual(ours, gits);
  });
}

async function* walk(folder: string, below = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${below}`)) {
    if (name === ".git") continue;
    if (isDirectory) yield* walk(folder, `${below}${name}/`);
    else yield below + name;
  }
}

Deno.test("a merge that waits for another git process leaves no commit behind", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  await at.branch({ a: "A\n" });
  const objects = async () => {
    const out = await at.repo.git("cat-file", "--batch-check", "--batch-all-objects");
    return out.split("\n").filter((line) => line.includes(" commit ")).length;
  };
  const before = await objects();
  await at.repo.write(".git/index.lock", "");
  await assert.rejects(at.worktrees.merge(at.place, PLAN), /another git process holds/);
  assert.equal(await at.repo.read(".git/index.lock"), "");
  assert.equal(await objects(), before);
  await Deno.remove(`${at.repo.path}/.git/index.lock`);
  assert.equal((await at.worktrees.merge(at.place, PLAN)).kind, "merged");
});

import assert from "node:assert/strict";
import { jobDiff, VIEW_DIFF_CHARS } from "svc/runtime/views/job_diff.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { enginePorts } from "tests/unit/runtime/engine_place.ts";

const BRANCH = "svc/T-0001-do";

/** A repo in which `BRANCH` left `main` and has one commit. */
async function place() {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await tempRepo({ files: { "a.txt": "one\n" }, commit: true }));
  const ports = parts.use(await enginePorts(parts.use(await tempFolder()).path));
  const work = async (name: string, text: string) => {
    await repo.git("switch", "--quiet", BRANCH);
    const id = await repo.commit(`add ${name}`, { [name]: text });
    await repo.git("switch", "--quiet", "main");
    return id.trim();
  };
  await repo.git("branch", BRANCH);
  const head = await work("b.txt", "two\n");
  const merge = () =>
    repo.git("merge", "--quiet", "--no-ff", "-m", `merge(T-0001): ${BRANCH}`, BRANCH);
  const diff = (of: string | null) =>
    jobDiff(ports, { path: repo.path, branch: "main" }, { head: of, branch: BRANCH });
  return { repo, head, work, merge, diff, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

const added = (text = "") => [...text.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, path]) => path);

Deno.test("jobDiff compares with where the branch left, whatever happened there since", async () => {
  await using at = await place();
  await at.repo.commit("aside", { "c.txt": "three\n" });
  assert.deepEqual(added((await at.diff(at.head))?.text), ["b.txt"]);
  assert.deepEqual(added((await at.diff(null))?.text), ["b.txt"], "of a job that runs");
  await at.merge();
  await at.repo.commit("after", { "d.txt": "four\n" });
  assert.deepEqual(added((await at.diff(at.head))?.text), ["b.txt"], "merged by now");
});

Deno.test("jobDiff finds the merge that took the commit, of several of one branch", async () => {
  await using at = await place();
  await at.merge();
  const second = await at.work("e.txt", "five\n");
  await at.merge();
  assert.deepEqual(added((await at.diff(at.head))?.text), ["b.txt"]);
  assert.deepEqual(added((await at.diff(second))?.text), ["e.txt"]);
});

Deno.test("jobDiff has nothing to show for a branch without commits, and says what git lost", async () => {
  await using at = await place();
  const main = (await at.repo.git("rev-parse", "main")).trim();
  assert.equal(await at.diff(main), undefined);
  await assert.rejects(at.diff("0".repeat(40)), /Cannot compare/);
});

Deno.test("jobDiff cuts a long patch at the end of a line", async () => {
  await using at = await place();
  const long = await at.work("long.txt", `${"x".repeat(99)}\n`.repeat(VIEW_DIFF_CHARS / 50));
  const { text, cut } = (await at.diff(long))!;
  assert.ok(cut && text.endsWith("x\n") && text.length <= VIEW_DIFF_CHARS);
});

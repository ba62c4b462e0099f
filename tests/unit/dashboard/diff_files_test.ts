/** Names of files as pages show them, in diffs that git made. */
import assert from "node:assert/strict";
import { filesOf } from "svc/dashboard/state/diff_files.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";

Deno.test("filesOf names files as they are called, whatever git escapes", async () => {
  const names = ["a b/c.ts", 'say "hi".txt', "back\\slash", "tab\there", "über/été.md", "plain.ts"];
  const files = Object.fromEntries(names.map((name) => [name, "one\n"]));
  await using repo = await tempRepo({ files, commit: true });
  await repo.git("mv", "plain.ts", 'moved "b".ts');
  for (const name of names.slice(0, -1)) await repo.write(name, "two\n");
  await repo.git("add", "--all");
  for (const quoting of ["true", "false"]) {
    const diff = await repo.git("-c", `core.quotePath=${quoting}`, "diff", "--cached", "-M");
    const shown = filesOf(diff).map(({ name, added, removed }) => [name, added, removed]);
    const edited = names.slice(0, -1).map((name) => [name, 1, 1] as const);
    const wanted = [...edited, ['moved "b".ts', 0, 0] as const];
    assert.deepEqual(shown.toSorted(), wanted.toSorted());
  }
});

import assert from "node:assert/strict";
import { diffStat } from "svc/core/diff_stat.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";

Deno.test("diffStat names each file as it is called, whatever git has to quote", async () => {
  const names = [
    "plain.txt",
    "a b/c b/d.txt",
    "über/日本.md",
    'say "hi".txt',
    "back\\slash\ttab\nline",
    "😀.txt",
  ];
  const written = (lines: string) => Object.fromEntries(names.map((name) => [name, lines]));
  await using repo = await tempRepo({ files: written("one\ntwo\n"), commit: true });
  for (const [name, text] of Object.entries(written("one\n2\n3\n"))) await repo.write(name, text);
  const found = diffStat(await repo.git("diff", "--binary", "--src-prefix=a/", "--dst-prefix=b/"));
  assert.deepEqual(
    found.toSorted((a, b) => names.indexOf(a.path) - names.indexOf(b.path)),
    names.map((path) => ({ path, added: 2, removed: 1 })),
  );
});

Deno.test("diffStat calls a file that was renamed by its new name", async () => {
  await using repo = await tempRepo({ files: { "café.txt": "one\ntwo\nthree\n" }, commit: true });
  await repo.git("mv", "café.txt", "tea.txt");
  assert.deepEqual(diffStat(await repo.git("diff", "--cached", "-M")), [
    { path: "tea.txt", added: 0, removed: 0 },
  ]);
  await repo.git("mv", "tea.txt", "thé.txt");
  assert.deepEqual(diffStat(await repo.git("diff", "--cached", "-M")), [
    { path: "thé.txt", added: 0, removed: 0 },
  ]);
});

import assert from "node:assert/strict";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";

const git = gitOver(denoProcesses(), { PATH: "/usr/local/bin:/usr/bin:/bin" });

const plain = (counts: ReadonlyMap<string, ReadonlyMap<string, number>>) =>
  Object.fromEntries([...counts].map(([path, one]) => [path, Object.fromEntries(one)]));

Deno.test("wordCounts counts all words in one pass, in any case and within longer words", async () => {
  await using repo = await tempRepo({
    files: {
      "é b.ts": "priceOf(Price); prices\n",
      "c.ts": "meta-kms a.b a+b\n",
      ".gitignore": "ignored.ts\nkept.ts\n",
      "none.ts": "nothing\n",
    },
    commit: true,
  });
  await repo.write("kept.ts", "price\n");
  await repo.git("add", "--force", "kept.ts");
  await repo.write("new.ts", "price\n");
  await repo.write("ignored.ts", "price\n");
  await repo.write("binary.bin", new Uint8Array([0, 112, 114, 105, 99, 101]));
  const opened = await git.open(repo.path);
  const { counts, complete } = await opened.wordCounts(["price", "prices", "meta-kms", "a.b", ""]);
  assert.equal(complete, true);
  assert.deepEqual(plain(counts), {
    "é b.ts": { price: 3, prices: 1 },
    "c.ts": { "meta-kms": 1, "a.b": 1 },
    "kept.ts": { price: 1 },
    "new.ts": { price: 1 },
  });
});

Deno.test("wordCounts asks git for nothing without words, and takes signs of expressions as they are", async () => {
  await using repo = await tempRepo({ files: { "a.ts": "f(x) [y\n" }, commit: true });
  const opened = await git.open(repo.path);
  assert.deepEqual(await opened.wordCounts([]), { counts: new Map(), complete: true });
  const { counts } = await opened.wordCounts(["f(x)", "[y", "$", "(?<a", "a\nb"]);
  assert.deepEqual(plain(counts), { "a.ts": { "f(x)": 1, "[y": 1 } });
});

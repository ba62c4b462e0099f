/** Tables of the documents: one head each, since a second one is shown as rows. */
import assert from "node:assert/strict";
import { repoRoot } from "tests/kit/script.ts";

Deno.test("no table of a document has a second head", async () => {
  const twice: string[] = [];
  for await (const { name, isFile } of Deno.readDir(`${repoRoot}docs`)) {
    if (!isFile || !name.endsWith(".md")) continue;
    const text = await Deno.readTextFile(`${repoRoot}docs/${name}`);
    for (const table of text.match(/(?:^\|.*\n)+/gm) ?? []) {
      const heads = table.split("\n").filter((row) => /^\|(?:\s*:?-{3,}:?\s*\|)+$/.test(row));
      if (heads.length > 1) twice.push(`${name}: ${table.split("\n")[0]}`);
    }
  }
  assert.deepEqual(twice, []);
});

/** Breaks that `make breaks` can put: each stands in today's product, and cites promises that are proven. */
import assert from "node:assert/strict";
import { BREAKS } from "tests/breaks/all.ts";
import { readCitations } from "tools/requirements.ts";

const root = decodeURIComponent(new URL("../..", import.meta.url).pathname);

Deno.test("each break finds its text once, and changes it", async () => {
  const texts = new Map<string, Promise<string>>();
  const faults: string[] = [];
  for (const { file, find, put, ids } of BREAKS) {
    if (!texts.has(file)) texts.set(file, Deno.readTextFile(root + file).catch(() => ""));
    const times = (await texts.get(file)!).split(find).length - 1;
    if (times !== 1 || find === put) faults.push(`${ids[0]}: ${times} times in ${file}: ${find}`);
  }
  assert.equal(faults.length, 0, `change these in tests/breaks:\n${faults.join("\n")}`);
});

Deno.test("each break cites promises that a test proves", async () => {
  const { citations } = await readCitations(root);
  const proven = new Set(citations.filter(({ counts }) => counts).map(({ id }) => id));
  assert.deepEqual(BREAKS.flatMap(({ ids }) => ids).filter((id) => !proven.has(id)), []);
});

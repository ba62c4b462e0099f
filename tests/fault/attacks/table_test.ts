import assert from "node:assert/strict";
import { ATTACKS, PROMISES } from "./table.ts";

const TESTS = new URL("../../", import.meta.url);

/** The declaration of a test, from its name to the first that follows; undefined for one that is not there. */
function declaration(source: string, name: string): string | undefined {
  const at = [...source.matchAll(/["`]/g)].map(({ index }) => index + 1)
    .find((index) => source.startsWith(name, index));
  if (at === undefined) return undefined;
  const before = source.slice(Math.max(0, at - 60), at);
  return before + source.slice(at, at + name.length + 120);
}

Deno.test("every attack is made by tests that exist, and none of them is left out", async () => {
  const wrong: string[] = [];
  for (const { attack, proofs } of ATTACKS) {
    assert.ok(Object.keys(proofs).length > 0, attack);
    for (const [file, names] of Object.entries(proofs)) {
      const source = await Deno.readTextFile(new URL(file, TESTS)).catch(() => "");
      assert.ok(names.length > 0, file);
      for (const name of names) {
        const text = declaration(source, name);
        if (text === undefined) wrong.push(`${file} has no test "${name}"`);
        // On other systems some cannot be made.
        else if (/ignore: true|Deno\.test\.(?:ignore|only)/.test(text)) {
          wrong.push(`${file} leaves out "${name}"`);
        }
      }
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("each promise is tried, and no attack is there twice", () => {
  assert.deepEqual(
    new Set(ATTACKS.map(({ promise }) => promise)),
    new Set(Object.keys(PROMISES)),
  );
  assert.equal(new Set(ATTACKS.map(({ attack }) => attack)).size, ATTACKS.length);
});

Deno.test("docs/security.md cites tests that exist", async () => {
  const page = await Deno.readTextFile(new URL("../docs/security.md", TESTS));
  const cited = [...page.matchAll(/`((?:unit|contract|fault|program|browser)\/[\w/]+_test)\b/g)];
  const missing: string[] = [];
  for (const [, path] of cited) {
    const there = await Deno.stat(new URL(`${path}.ts`, TESTS)).then(() => true, () => false);
    if (!there) missing.push(path!);
  }
  assert.ok(cited.length > 10);
  assert.deepEqual(missing, []);
});

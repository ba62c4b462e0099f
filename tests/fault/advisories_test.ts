import assert from "node:assert/strict";
import { ADVISORIES } from "./advisories.ts";

const TESTS = new URL("../", import.meta.url);

Deno.test("every advisory names tests that exist", async () => {
  const missing: string[] = [];
  for (const { ids, proofs } of ADVISORIES) {
    assert.ok(Object.keys(proofs).length > 0, ids.join());
    for (const [file, names] of Object.entries(proofs)) {
      const source = await Deno.readTextFile(new URL(file, TESTS)).catch(() => "");
      assert.ok(names.length > 0, file);
      // As the start of a name in quotes, so that a comment that tells of it does not count.
      const absent = names.filter((name) => !/["`]/.test(source.charAt(source.indexOf(name) - 1)));
      for (const name of absent) missing.push(`${ids[0]}: ${file} has no test "${name}"`);
    }
  }
  assert.deepEqual(missing, []);
});

Deno.test("no advisory is there twice", () => {
  const ids = ADVISORIES.flatMap(({ ids }) => ids);
  assert.deepEqual(ids.filter((id, at) => ids.indexOf(id) !== at), []);
  assert.ok(ids.every((id) => /^(?:CVE-\d{4}-\d{4,6}|GHSA(?:-\w{4}){3}|SymJack|.+#\d+)$/.test(id)));
});

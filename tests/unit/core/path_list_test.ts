import assert from "node:assert/strict";
import fc from "fast-check";
import { pathList, pathsIn } from "svc/core/path_list.ts";

Deno.test("paths are read out of their list as they were, whatever is in their names", () => {
  assert.equal(pathList(["a.txt", "b, c.txt", "d e"]), 'a.txt, "b, c.txt", d e');
  const path = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.array(fc.constantFrom("a", " ", ",", '"', "\\", "\n", "ä"), { minLength: 1 })
      .map((parts) => parts.join("")),
  );
  fc.assert(fc.property(fc.array(path), (paths) => {
    assert.deepEqual(pathsIn(pathList(paths)), paths);
  }));
});

Deno.test("a list from before names were quoted, or that was cut off, is read as far as it goes", () => {
  assert.deepEqual(pathsIn("app.txt, b.txt"), ["app.txt", "b.txt"]);
  assert.deepEqual(pathsIn('a, "b, c'), ["a", '"b', "c"]);
  assert.deepEqual(pathsIn(""), []);
});

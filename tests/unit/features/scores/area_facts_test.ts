import assert from "node:assert/strict";
import fc from "fast-check";
import { areasOf, OTHER_AREA, QUALITY_AREAS } from "svc/features/scores/area_facts.ts";

const names = (paths: readonly string[]) => areasOf(paths).map(({ name }) => name);

Deno.test("areasOf takes folders, and splits one that holds most of it", () => {
  assert.deepEqual(names(["a/1.ts", "b/2.ts", "main.ts", "a/x/3.ts"]), [".", "a", "b"]);
  assert.deepEqual(names(["src/a/1.ts", "src/a/2.ts", "src/b/3.ts", "src/b/4.ts", "cli.ts"]), [
    ...[".", "src/a", "src/b"],
  ]);
  assert.deepEqual(names(["src/1.ts", "src/2.ts", "src/3.ts"]), ["src"]);
  assert.deepEqual(names(["src/app/core/x/1.ts", "src/app/core/y/2.ts"]), [
    ...["src/app/core/x", "src/app/core/y"],
  ]);
});

Deno.test("areasOf puts the smallest together", () => {
  const paths = Array.from(
    { length: 20 },
    (_, at) =>
      Array.from({ length: at + 1 }, (_, nth) => `area${String(at).padStart(2, "0")}/${nth}.ts`),
  )
    .flat();
  const areas = areasOf(paths);
  assert.equal(areas.length, QUALITY_AREAS);
  assert.equal(areas.at(-1)!.name, OTHER_AREA);
  assert.equal(areas[0]!.name, "area09");
});

Deno.test("areasOf puts each file into one area, whatever the order", () => {
  const path = fc.array(fc.constantFrom("a", "b", "src", "lib"), { minLength: 1, maxLength: 5 })
    .map((parts) => `${parts.join("/")}.ts`);
  fc.assert(fc.property(fc.uniqueArray(path, { maxLength: 60 }), (paths) => {
    const areas = areasOf(paths);
    assert.deepEqual(areas.flatMap((area) => area.paths).sort(), paths.toSorted());
    assert.ok(areas.length <= QUALITY_AREAS);
    assert.deepEqual(areasOf(paths.toReversed()), areas);
  }));
});

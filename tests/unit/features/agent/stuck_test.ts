import assert from "node:assert/strict";
import fc from "fast-check";
import { canonicalArgs, CircleWatch, stepOf } from "svc/features/agent/stuck.ts";

const step = (name: string, hash = "h") => stepOf({ name, args: "{}" }, hash);
/** Verdicts of calls made one a turn. */
function verdicts(names: string): string {
  const watch = new CircleWatch();
  return [...names].map((name) => watch.see([step(name)])?.verdict[0] ?? ".").join("");
}

Deno.test("CircleWatch tells repeats and rounds", () => {
  assert.equal(verdicts("aaaaaa"), "..n.ss");
  assert.equal(verdicts("aabaabaa"), "........");
  assert.equal(verdicts("abababab"), ".....n.s");
  assert.equal(verdicts("abcabcabcabc"), "........n..s");
  assert.equal(verdicts("abcdeabcdeabcdeabcde"), "..............n....s");
  assert.equal(verdicts("abcdefabcdefabcdefabcdef"), ".".repeat(24), "a round of six is none");
  assert.equal(verdicts("xyzababab"), "........n");
  assert.equal(verdicts("baaabaaabaaabaaa").at(-1), "s", "a round may hold repeats");
});

Deno.test("CircleWatch counts what one turn asks twice once", () => {
  const watch = new CircleWatch();
  const turn = () => watch.see(Array.from({ length: 8 }, () => step("a")))?.verdict;
  assert.deepEqual([turn(), turn(), turn(), turn(), turn()], [
    undefined,
    undefined,
    "nudge",
    undefined,
    "stop",
  ]);
});

Deno.test("CircleWatch never fires while results differ", () => {
  const names = fc.array(fc.array(fc.constantFrom("a", "b"), { maxLength: 4 }), { maxLength: 40 });
  fc.assert(fc.property(names, (turns) => {
    const watch = new CircleWatch();
    let count = 0;
    for (const turn of turns) {
      assert.equal(watch.see(turn.map((name) => step(name, `${count++}`))), undefined);
    }
  }));
});

Deno.test("CircleWatch fires exactly when the end is a repeated round", () => {
  const name = fc.constantFrom("a", "b", "c");
  // Rounds with a little noise: chance alone makes none of length four.
  const calls = fc.array(
    fc.tuple(fc.array(name, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 6 })),
    { maxLength: 4 },
  ).map((parts) => parts.flatMap(([round, times]) => Array(times).fill(round).flat() as string[]));
  fc.assert(
    fc.property(calls, (all) => {
      const stops = (list: readonly string[]) =>
        [1, 2, 3, 4, 5].some((size) => {
          const length = size * (size === 1 ? 5 : 4);
          const end = list.slice(-length);
          return end.length === length &&
            end.every((one, at) => at < size || one === end[at - size]);
        });
      const watch = new CircleWatch();
      for (const [index, name] of all.entries()) {
        const stopped = watch.see([step(name)])?.verdict === "stop";
        assert.equal(stopped, stops(all.slice(0, index + 1)));
      }
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("canonicalArgs knows the same arguments in any order and spacing", () => {
  assert.equal(
    canonicalArgs('{"b": [1, {"d":2,"c":3}], "a":1}'),
    canonicalArgs('{"a":1,"b":[1,{"c":3,"d":2}]}'),
  );
  assert.notEqual(canonicalArgs('{"a":[1,2]}'), canonicalArgs('{"a":[2,1]}'));
  assert.notEqual(canonicalArgs('{"__proto__":{"a":1}}'), canonicalArgs("{}"));
  assert.equal(canonicalArgs("{broken"), "{broken");
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    assert.deepEqual(
      JSON.parse(canonicalArgs(JSON.stringify(value))),
      JSON.parse(JSON.stringify(value)),
    );
  }));
});

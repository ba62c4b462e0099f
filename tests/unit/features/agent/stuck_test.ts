import assert from "node:assert/strict";
import fc from "fast-check";
import { canonicalArgs, CircleWatch, MissWatch, stepOf } from "svc/features/agent/stuck.ts";

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

const searched = (
  name: string,
  args: unknown,
  facts: Record<string, unknown>,
  status: "ok" | "failed" = "ok",
) => ({
  call: { id: "c", name, args: JSON.stringify(args) },
  outcome: { tool: name, status, text: "", facts, hash: "h", durationMs: 1 },
});
const miss = (at: number) => searched("grep", { pattern: `word${at}` }, { matches: 0 });

Deno.test("MissWatch tells of ten different searches without a hit, and ends the run at twenty", () => {
  const watch = new MissWatch();
  const verdicts = Array.from({ length: 20 }, (_, at) => watch.see([miss(at)])?.verdict);
  assert.deepEqual(verdicts.flatMap((verdict, at) => verdict ? [`${at + 1} ${verdict}`] : []), [
    "10 nudge",
    "20 stop",
  ]);
});

Deno.test("MissWatch counts a search once, begins anew at a hit, and tells before it stops", () => {
  const watch = new MissWatch();
  for (let again = 0; again < 40; again++) assert.equal(watch.see([miss(1)]), undefined);
  for (let at = 0; at < 60; at++) {
    const hit = searched("grep", { pattern: "found" }, { matches: 2 });
    assert.equal(watch.see(at % 9 === 8 ? [hit] : [miss(at)]), undefined);
  }
  // All at once: the model has seen none of the results.
  const turn = (from: number) => Array.from({ length: 30 }, (_, at) => miss(from + at));
  const fresh = new MissWatch();
  assert.equal(fresh.see(turn(0))?.verdict, "nudge");
  assert.equal(fresh.see(turn(0))?.verdict, "stop");
});

Deno.test("MissWatch knows every way to search, and takes no red check for one", () => {
  const count = (of: (at: number) => ReturnType<typeof searched>) => {
    const watch = new MissWatch();
    return Array.from({ length: 20 }, (_, at) => watch.see([of(at)])).at(-1)?.verdict;
  };
  const run = (argv: (at: number) => string[], exit_code: number) => (at: number) =>
    searched("command_run", { argv: argv(at) }, { exit_code }, exit_code === 0 ? "ok" : "failed");
  assert.equal(count((at) => searched("glob", { pattern: `*${at}` }, { files: 0 })), "stop");
  assert.equal(
    count((at) => searched("code_references", { name: `n${at}` }, { lines: 0 })),
    "stop",
  );
  assert.equal(
    count((at) => searched("code_symbols", { name: `n${at}` }, { definitions: 0 })),
    "stop",
  );
  assert.equal(count((at) => searched("file_read", { path: `a${at}` }, {}, "failed")), "stop");
  assert.equal(count(run((at) => ["rg", `x${at}`], 1)), "stop");
  assert.equal(count(run((at) => ["git", "grep", `x${at}`], 1)), "stop");
  assert.equal(count(run((at) => ["npm", "test", `${at}`], 1)), undefined);
  assert.equal(count(run((at) => ["grep", `x${at}`], 0)), undefined);
  assert.equal(count((at) => searched("file_edit", { path: `a${at}` }, {}, "failed")), undefined);
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

import assert from "node:assert/strict";
import {
  emptyBoards,
  fuse,
  type FusionWeights,
  placesOf,
  RANK_SOURCES,
  type RankSource,
} from "svc/features/code_intel/fusion.ts";
import { LEARNED_WEIGHTS } from "svc/features/code_intel/weights.ts";

const weights = (of: Partial<Record<RankSource, number>>, k = 10): FusionWeights => ({
  k,
  of: Object.fromEntries(RANK_SOURCES.map((one) => [one, of[one] ?? 0])) as FusionWeights["of"],
});

Deno.test("fuse adds weight / (k + place) of each source, whatever its scores are", () => {
  const boards = emptyBoards();
  boards.text.add("a.ts", 1000, 'has "x"');
  boards.text.add("b.ts", 1, 'has "x"');
  boards.tests.add("b.ts", 0.001, "tests a.ts");
  const [best, next] = fuse(boards, weights({ text: 1, tests: 0.5 })).ranked();
  assert.deepEqual([best!.path, next!.path], ["b.ts", "a.ts"]);
  assert.ok(Math.abs(best!.score - (1 / 12 + 0.5 / 11)) < 1e-12);
  assert.ok(Math.abs(next!.score - 1 / 11) < 1e-12);
  assert.equal(best!.why, 'tests a.ts; has "x"', "the reason that tells most is first");
});

Deno.test("a source of weight 0 neither ranks a file nor gives a reason", () => {
  const boards = emptyBoards();
  boards.often.add("a.ts", 1, "changed often of late");
  boards.text.add("b.ts", 1, 'has "x"');
  assert.deepEqual(fuse(boards, weights({ text: 1 })).ranked().map(({ path }) => path), ["b.ts"]);
});

Deno.test("files with one score share the mean of their places, so that the alphabet decides nothing", () => {
  const ranked = [["a", 9], ["b", 5], ["c", 5], ["d", 5], ["e", 1]] as const;
  const places = placesOf(ranked.map(([path, score]) => ({ path, score })));
  assert.deepEqual([...places.values()], [1, 3, 3, 3, 5]);
});

Deno.test("the learned weights cover each source, and a path that the task names is above all else", () => {
  const { k, of } = LEARNED_WEIGHTS;
  assert.deepEqual(Object.keys(of).sort(), [...RANK_SOURCES].sort());
  const others = RANK_SOURCES.filter((one) => one !== "named")
    .reduce((sum, one) => sum + of[one], 0);
  assert.ok(of.named / (k + 1) > others / (k + 1));
});

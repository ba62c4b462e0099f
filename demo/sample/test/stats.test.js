import assert from "node:assert/strict";
import test from "node:test";
import { mean, median } from "../src/stats.js";

test("mean is the sum over the count", () => {
  assert.equal(mean([1, 2, 6]), 3);
  assert.equal(mean([]), null);
});

test("median is the number in the middle", () => {
  assert.equal(median([10, 9, 1]), 9);
  assert.equal(median([4, 1, 3, 2]), 2.5);
});

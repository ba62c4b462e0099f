import assert from "node:assert/strict";
import fc from "fast-check";
import { didYouMean, editDistance, nearest } from "svc/core/nearest.ts";

Deno.test("editDistance counts inserts, deletes, replacements and swaps", () => {
  assert.equal(editDistance("scan", "scan"), 0);
  assert.equal(editDistance("scna", "scan"), 1);
  assert.equal(editDistance("san", "scan"), 1);
  assert.equal(editDistance("", "abc"), 3);
});

Deno.test("editDistance is symmetric and zero only for equals", () => {
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => {
    assert.equal(editDistance(a, b), editDistance(b, a));
    assert.equal(editDistance(a, b) === 0, a === b);
  }));
});

Deno.test("nearest finds mistyped and shortened names, best first", () => {
  const known = ["scan", "scores", "start", "serve", "secret-scan"];
  assert.deepEqual(nearest("scna", known), ["scan"]);
  assert.deepEqual(nearest("sco", known)[0], "scores");
  assert.deepEqual(nearest("xyzzy", known), []);
});

Deno.test("didYouMean is a question or nothing", () => {
  assert.equal(didYouMean("versoin", ["version"]), 'Did you mean "version"?');
  assert.equal(didYouMean("qqq", ["version"]), "");
});

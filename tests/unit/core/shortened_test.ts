import assert from "node:assert/strict";
import { shortened, shortenedStart } from "svc/core/shortened.ts";

Deno.test("shortened cuts at the end, between characters", () => {
  assert.equal(shortened("plain", 5), "plain");
  assert.equal(shortened("plainer", 5), "plain…");
  assert.equal(shortened("plainer", 5, " …"), "plain …");
  assert.equal(shortened("abc😀d", 4), "abc…");
  assert.equal(shortened("abc😀d", 5), "abc😀…");
  assert.equal(shortened("ab✔\ufe0fc", 3), "ab…", "a variation stays with its base");
  assert.equal(shortened("abe\u0301c", 3), "ab…", "a mark with its letter");
  assert.equal(shortened("ab👍🏽c", 4), "ab…", "a skin tone with its hand");
  assert.equal(shortened("ab👩\u200d🚀c", 5), "ab…", "what is joined together");
  assert.equal(shortened("a\ud83d and more", 5).isWellFormed(), true);
});

Deno.test("shortenedStart keeps the end, from a whole character on", () => {
  assert.equal(shortenedStart("plain", 5), "plain");
  assert.equal(shortenedStart("plainer", 5), "…ainer");
  assert.equal(shortenedStart("a😀bcd", 4), "…bcd");
  assert.equal(shortenedStart("ae\u0301bc", 3), "…bc");
});

Deno.test("a letter with marks without end is cut amid them, in no more time, and never in a pair", () => {
  const marks = `a${"\u0301".repeat(1_000)}`;
  assert.equal(shortened(marks, 500).length, 501);
  assert.equal(shortenedStart(marks, 500).length, 501);
  const tones = `a${"🏽".repeat(1_000)}`;
  for (const chars of [500, 501]) {
    assert.ok(shortened(tones, chars).isWellFormed());
    assert.doesNotMatch(shortened(tones, chars), /\ufffd/);
    assert.doesNotMatch(shortenedStart(tones, chars), /\ufffd/);
  }
});

import assert from "node:assert/strict";
import { ago, amount, counted, matches, span } from "svc/dashboard/state/words.ts";

Deno.test("span says a length of time in two parts at most", () => {
  assert.deepEqual([0, 59, 61, 600, 3_600, 11_520, 93_600].map(span), [
    "0 s",
    "59 s",
    "1 min 1 s",
    "10 min",
    "1 h",
    "3 h 12 min",
    "1 d 2 h",
  ]);
});

Deno.test("ago says how far a moment is, on both sides of now", () => {
  const now = 1_700_000_000_000;
  const said = (secs: number) => ago(now - secs * 1_000, now);
  assert.deepEqual([1, 40, 90, 7_300, 200_000, -720].map(said), [
    "now",
    "40 s ago",
    "1 min ago",
    "2 h ago",
    "2 d ago",
    "in 12 min",
  ]);
});

Deno.test("amount and counted keep numbers short", () => {
  assert.deepEqual([7, 950, 1_234, 31_400, 999_499, 999_600, 1_980_000].map(amount), [
    "7",
    "950",
    "1.2 k",
    "31 k",
    "999 k",
    "1.0 M",
    "2.0 M",
  ]);
  assert.equal(counted(1, "job"), "1 job");
  assert.equal(counted(2, "thing needs you", "things need you"), "2 things need you");
});

Deno.test("matches wants every word, in any of the texts", () => {
  assert.ok(matches("qa HARBOR", "qa", null, "harbor"));
  assert.ok(matches("", "anything"));
  assert.ok(!matches("qa ledger", "qa", undefined, "harbor"));
});

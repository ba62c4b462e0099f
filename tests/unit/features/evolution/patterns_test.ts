import assert from "node:assert/strict";
import fc from "fast-check";
import { FAILURE_CATEGORIES } from "svc/core/disposition.ts";
import {
  ADVICE,
  type FailedJob,
  failuresByDay,
  failuresOf,
  joined,
  patternsOf,
  recurring,
  signatureOf,
} from "svc/features/evolution/patterns.ts";
import { outcomesOf, VERDICTS } from "svc/features/scores/outcome.ts";
import { homeOf } from "svc/platform/home.ts";
import { ends } from "tests/unit/features/scores/sample_end.ts";

const SAME: readonly (readonly [string, string])[] = [
  ["attempt 2 of 3 gave no result", "attempt 3 of 3 gave no result"],
  ["branch svc/T-0001-x moved on", "branch svc/T-0012-x moved on"],
  ["commit 1a2b3c4d5e is gone", "commit ffee00112233 is gone"],
  [
    "job 01987654-3210-7abc-8def-0123456789ab fell",
    "job 01987654-0000-7000-8000-000000000000 fell",
  ],
  ["at 2026-06-01T12:00:00Z", "at 2026-07-02T01:02:03.456Z"],
  ["no answer\nwithin 5 s", "no  answer within 30 s"],
];

for (const [one, other] of SAME) {
  Deno.test(`signatureOf is the same for ${JSON.stringify(one)} and its like`, () => {
    assert.equal(signatureOf(one), signatureOf(other));
  });
}

Deno.test("signatureOf keeps words apart, bounds them, and is its own signature", () => {
  assert.notEqual(signatureOf("the checks failed: lint"), signatureOf("the checks failed: test"));
  const whole = "x".repeat(160);
  assert.deepEqual([` ${whole}\n`, `${whole}y`].map(signatureOf), [whole, `${whole}…`]);
  fc.assert(fc.property(fc.string({ maxLength: 2000 }), (reason) => {
    const signature = signatureOf(reason);
    assert.ok(signature.length <= 161);
    assert.doesNotMatch(signature, /\p{Cc}/u);
    if (!signature.endsWith("…")) assert.equal(signatureOf(signature), signature);
  }));
});

Deno.test("there is advice on every cause, a sentence a person can act on", () => {
  for (const cause of [...FAILURE_CATEGORIES, ...VERDICTS]) {
    assert.match(ADVICE[cause], /^\p{Lu}.{20,}[^.]$/u, cause);
  }
  const { logs } = homeOf({ get: (name) => name === "HOME" ? "/ada" : undefined });
  assert.ok(ADVICE.internal.includes(` ${logs.replace("/ada", "~")};`), ADVICE.internal);
});

const failed = (at: number, more: Partial<FailedJob> = {}): FailedJob => ({
  ...{ repoId: "0123456789ab", role: "engineer", cause: "stuck", why: `walked ${at} times` },
  ...{ at, job: `j${at}`, ...more },
});

Deno.test("patternsOf groups what is alike, most first, and tells the newest", () => {
  const once = failed(9, { cause: "timeout" });
  const rework = [3, 4].map((at) => failed(at, { role: "qa", cause: "rework" }));
  const patterns = patternsOf([failed(1), failed(7), failed(5), once, ...rework]);
  assert.deepEqual(patterns.map(({ role, cause, count }) => [role, cause, count]), [
    ["engineer", "stuck", 3],
    ["qa", "rework", 2],
  ]);
  const [first] = patterns;
  assert.deepEqual([first!.firstAt, first!.lastAt, first!.lastJob], [1, 7, "j7"]);
  assert.equal(first!.signature, "walked <n> times");
  assert.equal(new Set(patterns.map(({ key }) => key)).size, 2);
});

Deno.test("patternsOf tells the newest of those that come as often, and fifty at most", () => {
  const twice = (at: number, role: string) => [failed(at - 1, { role }), failed(at, { role })];
  const told = (failures: readonly FailedJob[]) => patternsOf(failures).map(({ role }) => role);
  const often = [...twice(3, "ceo"), failed(2, { role: "ceo" })];
  const as = [...twice(5, "qa"), ...twice(9, "architect"), ...often, ...twice(5, "engineer")];
  assert.deepEqual(told(as), ["ceo", "architect", "engineer", "qa"]);
  const many = Array.from({ length: 51 }, (_, at) => twice(100 - at, `role-${at}`));
  assert.deepEqual(told(many.flat()), many.slice(0, 50).map((_, at) => `role-${at}`));
});

Deno.test("failuresOf takes verdicts of others, and faults that no role is to blame for", () => {
  const jobs = ends([
    { role: "engineer", disposition: "submitted" },
    { role: "qa", disposition: "changes_requested", reason: "no test" },
    {
      ...{ role: "ceo", disposition: "model_error", category: "model_unreachable" },
      reason: "refused",
    },
    { role: "ceo", disposition: "stuck", category: "stuck", decision: { applied: false } },
    { role: "gardener", disposition: "internal_error", category: "internal" },
  ]);
  const failures = failuresOf("0123456789ab", jobs, outcomesOf(jobs));
  assert.deepEqual(failures.map(({ role, cause, why }) => [role, cause, why]), [
    ["engineer", "rework", "no test"],
    ["ceo", "model_unreachable", "refused"],
    ["gardener", "internal", "internal"],
  ]);
});

Deno.test("what was counted of each repo joins to what all of them would give", () => {
  const of = (repoId: string) =>
    Array.from(
      { length: 60 },
      (_, nth) =>
        failed(nth * 40_000_000, {
          repoId,
          why: `reason ${"abcdefghijklmnopqrstuvwxyz"[nth % 13]}`,
          cause: nth % 2 ? "stuck" : "turns",
        }),
    );
  const [north, south] = [of("north"), of("south")];
  assert.deepEqual(joined([recurring(north), recurring(south)]), recurring([...north, ...south]));
});

Deno.test("failuresByDay counts by day in UTC, oldest first", () => {
  const on = (time: string, cause: FailedJob["cause"] = "stuck") =>
    failed(Date.parse(time), { cause });
  const days = failuresByDay([
    ...[on("2026-06-02T00:00:00Z"), on("2026-06-01T23:59:59Z"), on("2026-06-01T00:00:00Z")],
    on("2026-06-01T01:00:00Z", "timeout"),
  ]);
  assert.deepEqual(days.map(({ day, category, count }) => `${day} ${category} ${count}`), [
    "2026-06-01 stuck 2",
    "2026-06-01 timeout 1",
    "2026-06-02 stuck 1",
  ]);
});

import assert from "node:assert/strict";
import fc from "fast-check";
import type { JobOutcome } from "svc/features/scores/outcome.ts";
import { median, roleScores } from "svc/features/scores/role_scores.ts";
import { ends, NOON } from "./sample_end.ts";

const DAY_MS = 86_400_000;
const GOOD: JobOutcome = { kind: "success", by: "qa" };
const BAD: JobOutcome = { kind: "failure", cause: "rework", why: "no test" };

interface One {
  readonly daysAgo: number;
  readonly outcome: JobOutcome;
  readonly role?: string;
  readonly ticket?: string;
  readonly evidence?: "fixture";
}

function scored(all: readonly One[], { days = 30, roles = ["engineer"] } = {}) {
  const jobs = ends(all.map(({ daysAgo, role = "engineer", ticket = null, evidence }) => ({
    ...{ role, ticket, disposition: "submitted" as const, finishedAt: NOON - daysAgo * DAY_MS },
    ...(evidence && { evidence }),
  })));
  const outcomes = new Map(all.map(({ outcome }, at) => [String(at), outcome]));
  return roleScores(jobs, outcomes, { roles, window: { until: NOON + 1, days } });
}

const many = (count: number, outcome: JobOutcome, daysAgo = 1): One[] =>
  Array.from({ length: count }, () => ({ daysAgo, outcome }));

Deno.test("roleScores gives no number below five outcomes, and the interval from then on", () => {
  const [few] = scored(many(4, GOOD));
  assert.deepEqual([few!.score, few!.upper, few!.samples, few!.trend], [null, null, 4, null]);
  const [enough] = scored(many(5, GOOD));
  assert.deepEqual([enough!.score, enough!.upper], [56.6, 100]);
});

Deno.test("roleScores counts what was not judged, and what says nothing, apart", () => {
  const all = [...many(5, GOOD), ...many(2, { kind: "open" }), ...many(3, { kind: "none" })];
  const [score] = scored(all);
  assert.deepEqual([score!.samples, score!.open, score!.score], [5, 2, 56.6]);
  assert.equal(score!.tokens, 1000);
});

Deno.test("roleScores compares with the window before, and looks no further back", () => {
  const open = many(5, { kind: "open" }, 42);
  const before = [...many(8, GOOD, 40), ...many(2, BAD, 41), ...open];
  const [score] = scored([...many(10, GOOD), ...before, ...many(50, BAD, 61)]);
  assert.deepEqual([score!.score, score!.samples], [72.2, 10]);
  assert.equal(score!.trend, Math.round((72.2 - 49) * 10) / 10);
  const [alone] = scored([...many(10, GOOD), ...many(4, GOOD, 40)]);
  assert.equal(alone!.trend, null);
});

Deno.test("roleScores takes the window to the millisecond", () => {
  // `until` is a millisecond behind noon, so that noon counts.
  const samples = (daysAgo: number) => scored(many(1, GOOD, daysAgo))[0]!.samples;
  assert.deepEqual([samples(30 - 1 / DAY_MS), samples(30)], [1, 0]);
  assert.deepEqual([samples(0), samples(-1 / DAY_MS)], [1, 0]);
});

Deno.test("roleScores names causes by number, with their newest tickets", () => {
  const stuck: JobOutcome = { kind: "failure", cause: "stuck", why: "circles" };
  const [score] = scored([
    ...[4, 3, 2, 1].map((daysAgo) => ({ daysAgo, outcome: BAD, ticket: `T-000${daysAgo}` })),
    { daysAgo: 1, outcome: stuck, ticket: "T-0009" },
  ]);
  assert.deepEqual(score!.categories, [
    { category: "rework", count: 4, tickets: ["T-0001", "T-0002", "T-0003"] },
    { category: "stuck", count: 1, tickets: ["T-0009"] },
  ]);
});

Deno.test("roleScores lists the manifest's roles first, and those that it no longer names", () => {
  const all: One[] = [{ daysAgo: 1, outcome: GOOD, role: "zoo" }, { daysAgo: 1, outcome: GOOD }];
  const names = scored(all, { roles: ["qa", "engineer"] }).map(({ role }) => role);
  assert.deepEqual(names, ["qa", "engineer", "zoo"]);
});

Deno.test("roleScores counts fixture evidence, and says how much of it there is", () => {
  const played = many(3, GOOD).map((one) => ({ ...one, evidence: "fixture" as const }));
  const [score] = scored([...played, ...many(4, BAD)]);
  assert.deepEqual([score!.samples, score!.fixture], [7, 3]);
});

Deno.test("roleScores adds up for any outcomes", () => {
  const outcome = fc.constantFrom<JobOutcome>(GOOD, BAD, { kind: "open" }, { kind: "none" });
  const one = fc.record({
    ...{ daysAgo: fc.nat(70), outcome, role: fc.constantFrom("engineer", "qa") },
  });
  fc.assert(fc.property(fc.array(one, { maxLength: 60 }), (all) => {
    const scores = scored(all);
    for (const { samples, successes, failures, categories, score, upper } of scores) {
      assert.equal(samples, successes + failures);
      assert.equal(categories.reduce((sum, { count }) => sum + count, 0), failures);
      assert.equal(score === null, samples < 5);
      if (score !== null) assert.ok(score <= successes / samples * 100 && upper! <= 100);
    }
    const counted = all.filter(({ daysAgo, outcome }) =>
      daysAgo < 30 && (outcome === GOOD || outcome === BAD)
    );
    assert.equal(scores.reduce((sum, { samples }) => sum + samples, 0), counted.length);
  }));
});

Deno.test("median takes the middle, or the middle of the two", () => {
  assert.deepEqual([median([]), median([3]), median([9, 1]), median([5, 1, 100])], [
    ...[null, 3, 5, 5],
  ]);
});

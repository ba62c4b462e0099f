/** Who judges what, as a table; and that nobody judges itself. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { DISPOSITIONS, FAILURE_CATEGORIES } from "svc/core/disposition.ts";
import { outcomesOf } from "svc/features/scores/outcome.ts";
import { ends, type Sample } from "./sample_end.ts";

const submitted: Sample = { role: "engineer", disposition: "submitted" };
const approved: Sample = { role: "qa", disposition: "approved", settlement: {} };
const requested: Sample = { role: "qa", disposition: "changes_requested", reason: "no test" };
const noTicket = { ticket: null };

/** In words, for the job with the id "0", then the jobs that came after it. */
const TABLE: readonly (readonly [what: string, outcome: string, jobs: readonly Sample[]])[] = [
  ["work that nobody judged", "open", [submitted]],
  ["work that was approved and merged", "success by qa", [submitted, approved]],
  ["work that was sent back", "failure rework: no test", [submitted, requested]],
  ["work whose approval waits for a merge", "open", [
    ...[submitted, { ...approved, settlement: { state: "pending" } } as const],
  ]],
  ["work whose merge conflicts", "none", [
    ...[submitted, { ...approved, settlement: { to: "blocked", merges: false } }],
  ]],
  ["work whose merge conflicts, mended by its own role", "none", [
    ...[submitted, { ...approved, settlement: { to: "blocked", merges: false } }, submitted],
  ]],
  ["work whose branch moved on behind the approval", "none", [
    ...[submitted, { ...approved, settlement: { state: "superseded" } } as const],
  ]],
  ["work that checks of its pull request sent back", "failure rework: it was approved, and", [
    ...[submitted, { ...approved, settlement: { state: "superseded" } } as const, submitted],
  ]],
  ["work that is mended while its pull request waits", "failure rework: it was approved, and", [
    ...[submitted, { ...approved, settlement: { state: "pending" } } as const, submitted],
  ]],
  ["work whose pull request a person closed", "failure rejected: pr_closed: #7", [
    submitted,
    { ...approved, settlement: { to: "blocked", merges: false, reason: "pr_closed: #7" } },
  ]],
  ["work that its own role handed in again", "none", [submitted, submitted, approved]],
  ["work that its own role approves", "open", [submitted, { ...approved, role: "engineer" }]],
  ["work whose first judge got stuck", "success by qa", [
    ...[submitted, { role: "qa", disposition: "stuck", category: "stuck" } as const, approved],
  ]],
  ["work that a judge let down by a moved branch sent back", "none", [
    submitted,
    { ...requested, decision: { reported: "approved", sameCommit: false } },
  ]],
  ["work whose approval svc's checks refuted", "failure rework: no test", [
    submitted,
    { ...requested, decision: { reported: "approved", sameCommit: true } },
  ]],
  ["work that was sent back while its branch moved on", "failure rework: no test", [
    submitted,
    { ...requested, decision: { sameCommit: false } },
  ]],
  ["work that was approved, without a word on what became of it", "success by qa", [
    submitted,
    { role: "qa", disposition: "approved" },
  ]],
  ["work behind which another role handed in more", "none", [
    ...[submitted, { ...approved, settlement: { state: "superseded" } } as const],
    { ...submitted, role: "gardener" },
  ]],
  ["work behind which its role got stuck", "none", [
    ...[submitted, { ...approved, settlement: { state: "superseded" } } as const],
    { role: "engineer", disposition: "stuck" },
  ]],
  ["work whose approval moved nothing and merged nothing", "none", [
    submitted,
    { ...approved, settlement: { to: null, merges: false } },
  ]],
  ["work without a ticket, judged by the job that it led to", "success by qa", [
    { ...submitted, ...noTicket, decision: { nextJob: "1", nextBegan: true } },
    { ...approved, ...noTicket, settlement: { to: null } },
  ]],
  ["work without a ticket, beside the judgement of other work", "open", [
    ...[{ ...submitted, ...noTicket }, { ...approved, ...noTicket }],
  ]],
  ["nothing to do, which nobody looked at", "none", [
    { role: "engineer", disposition: "no_work" },
  ]],
  ["nothing to do, and that was right", "success by qa", [
    ...[{ role: "engineer", disposition: "no_work" } as const, approved],
  ]],
  ["nothing to do, and that was wrong", "failure rework: no test", [
    ...[{ role: "engineer", disposition: "no_work" } as const, requested],
  ]],
  ["nothing to do, without a decision, and that was right", "success by qa", [
    ...[{ role: "engineer", disposition: "no_work", decision: null } as const, approved],
  ]],
  ["a report of work that svc did not find", "failure unproven", [
    { role: "engineer", disposition: "no_work", decision: { reported: "submitted" } },
  ]],
  ["an approval that was merged", "success by svc", [approved]],
  ["an approval that waits", "open", [{ ...approved, settlement: { state: "pending" } }]],
  ["an approval without a word on what became of it", "none", [
    { role: "qa", disposition: "approved" },
  ]],
  ["an approval of what was worked on again", "failure overturned", [approved, submitted]],
  ["an approval that checks of the pull request refute", "failure overturned", [
    ...[{ ...approved, settlement: { state: "superseded" } } as const, submitted],
  ]],
  ["an approval whose branch moved on", "none", [
    { ...approved, settlement: { state: "superseded" } },
  ]],
  ["an approval whose merge conflicts, mended by the other role", "none", [
    ...[{ ...approved, settlement: { to: "blocked", merges: false } }, submitted],
  ]],
  ["an approval whose pull request a person closed", "failure rejected: pr_closed: #7", [
    { ...approved, settlement: { to: "blocked", merges: false, reason: "pr_closed: #7" } },
  ]],
  ["an approval behind which its own role handed in work", "success by svc", [
    ...[approved, { ...submitted, role: "qa" }],
  ]],
  ["an approval behind which another role got stuck", "success by svc", [
    ...[approved, { role: "engineer", disposition: "stuck" } as const],
  ]],
  ["a request that was followed", "success by engineer", [requested, submitted]],
  ["a request that is being followed", "open", [
    requested,
    { role: "engineer", disposition: "timed_out", category: "timeout" },
  ]],
  ["a request that the other role disputes", "none", [
    ...[requested, { role: "engineer", disposition: "no_work" } as const],
  ]],
  ["a request behind which its own role found nothing to do", "open", [
    ...[requested, { role: "qa", disposition: "no_work" } as const],
  ]],
  ["an approval that came too late", "none", [
    { ...requested, decision: { reported: "approved", sameCommit: false } },
  ]],
  ["an approval that the checks refute", "failure checks_failed", [
    { ...requested, decision: { reported: "approved" } },
  ]],
  ["a plan whose job began", "success by svc", [
    { role: "ceo", disposition: "planned", decision: { nextJob: "9", nextBegan: true } },
  ]],
  ["a plan whose job waits", "open", [
    { role: "ceo", disposition: "planned", decision: { nextJob: "9" } },
  ]],
  ["a route that a person follows", "none", [
    { role: "orchestrator", disposition: "routed", decision: { stop: "dispatch.mode is manual" } },
  ]],
  ["a route to no ticket", "failure unproven: no ticket can be started", [
    {
      ...{ role: "orchestrator", disposition: "routed" },
      decision: { stop: "no ticket can be started" },
    },
  ]],
  ["a ticket that svc itself chose", "none", [
    { role: "orchestrator", disposition: "routed", evidence: null, decision: { nextJob: "9" } },
  ]],
  ["a question to a person", "none", [{ role: "engineer", disposition: "blocked" }]],
  ["checks that failed", "failure checks_failed", [
    { role: "engineer", disposition: "checks_failed" },
  ]],
  ["a role that walks in circles", "failure stuck", [
    { role: "engineer", disposition: "stuck", category: "stuck" },
  ]],
  ["a model that cannot be read", "failure model_protocol", [
    { role: "engineer", disposition: "model_error", category: "model_protocol" },
  ]],
  ["a model that is not there", "none", [
    { role: "engineer", disposition: "model_error", category: "model_unreachable" },
  ]],
  ["a model's error of no kind", "none", [{ role: "engineer", disposition: "model_error" }]],
  ["a worker that vanished", "none", [
    { role: "engineer", disposition: "internal_error", category: "lease_expired" },
  ]],
  ["a job that was cancelled", "none", [
    { role: "engineer", disposition: "cancelled", decision: null },
  ]],
  ["a rehearsal", "none", [
    { role: "engineer", disposition: "stuck", category: "stuck", decision: { applied: false } },
  ]],
];

function said(jobs: readonly Sample[]): string {
  const outcome = outcomesOf(ends(jobs)).get("0")!;
  if (outcome.kind === "success") return `success by ${outcome.by}`;
  return outcome.kind === "failure" ? `failure ${outcome.cause}: ${outcome.why}` : outcome.kind;
}

for (const [what, wanted, jobs] of TABLE) {
  Deno.test(`outcome of ${what}: ${wanted}`, () => {
    const outcome = said(jobs);
    assert.ok(
      outcome === wanted || outcome.startsWith(`${wanted}: `) ||
        (wanted.includes(":") && outcome.startsWith(wanted)),
      outcome,
    );
  });
}

const sample: fc.Arbitrary<Sample> = fc.record({
  role: fc.constantFrom("engineer", "qa", "ceo"),
  disposition: fc.constantFrom(...DISPOSITIONS),
  category: fc.option(fc.constantFrom(...FAILURE_CATEGORIES), { nil: null }),
  ticket: fc.constantFrom("T-0001", "T-0002", null),
  decision: fc.option(
    fc.record({
      applied: fc.boolean(),
      reported: fc.constantFrom(...DISPOSITIONS),
      sameCommit: fc.boolean(),
      nextJob: fc.option(fc.nat(12).map(String), { nil: null }),
      nextBegan: fc.boolean(),
    }),
    { nil: null },
  ),
});

Deno.test("no role is ever praised by itself, and the order of the rows does not matter", () => {
  fc.assert(fc.property(fc.array(sample, { maxLength: 12 }), fc.nat(), (samples, seed) => {
    const jobs = ends(samples);
    const outcomes = outcomesOf(jobs);
    assert.equal(outcomes.size, jobs.length);
    for (const { id, role, disposition } of jobs) {
      const outcome = outcomes.get(id)!;
      if (outcome.kind !== "success") continue;
      assert.notEqual(outcome.by, role);
      // What svc says is of git and of the queue, never of the work itself.
      if (outcome.by === "svc") {
        assert.ok(["approved", "planned", "routed", "reported"].includes(disposition));
      }
    }
    const turned = jobs.map((job, at) => ({ job, key: (at * 31 + seed) % 17 }))
      .sort((a, b) => a.key - b.key).map(({ job }) => job);
    for (const { id } of jobs) assert.deepEqual(outcomesOf(turned).get(id), outcomes.get(id));
  }));
});

Deno.test("jobs of one role alone have no success but by svc", () => {
  fc.assert(fc.property(fc.array(sample, { maxLength: 12 }), (samples) => {
    const jobs = ends(samples.map((one) => ({ ...one, role: "engineer" })));
    for (const outcome of outcomesOf(jobs).values()) {
      assert.ok(outcome.kind !== "success" || outcome.by === "svc");
    }
  }));
});

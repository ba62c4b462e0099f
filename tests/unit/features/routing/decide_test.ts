/** What follows a job: routes, gates and blocks, as a table. */
import assert from "node:assert/strict";
import { decided } from "./decided.ts";

const QUESTION = { asked: "Which?", choices: [], why: "" };

Deno.test("decide hands a pull request of others to no role, whatever was said of it, and merges nothing", () => {
  const looked = { role: "qa", ticket: null, committed: false, checks: "not_run" } as const;
  const stop = "pull request #7 was only looked at: it is its author's to change";
  for (const disposition of ["approved", "changes_requested"] as const) {
    for (const profile of ["host", "observer"] as const) {
      assert.deepEqual(
        decided({ ...looked, disposition, profile, pull: 7 }),
        { disposition, rule: "default.foreign_pull", stop, refused: [] },
      );
    }
  }
  // That its role could not say anything is told as of any job.
  const stuck = decided({ ...looked, disposition: "stuck", pull: 7 });
  assert.deepEqual([stuck.disposition, stuck.rule], ["stuck", "default.no_ticket"]);
});

Deno.test("decide sends proven work to review", () => {
  const { rule, move, next, refused } = decided({});
  assert.equal(rule, "roles.engineer.routes.submitted");
  assert.deepEqual([move?.from, move?.to], ["in-progress", "review"]);
  assert.deepEqual(next, { role: "qa", ticket: "T-0001" });
  assert.deepEqual(refused, []);
});

Deno.test("decide has the ticket name the checks that judged nothing, and say where that is all of them", () => {
  const red = { checks: "red_before", redBefore: ["lint"] } as const;
  assert.match(decided(red).move!.reason, /done it\. svc saw red before and after: lint$/);
  assert.match(
    decided({ ...red, checks: "unjudged" }).move!.reason,
    /red before and after: lint; no green check has judged the work$/,
  );
});

Deno.test("decide lets a question wait in its ticket, whatever the manifest's route", () => {
  const asks = { disposition: "blocked", evidence: "asks: Which?", question: QUESTION } as const;
  const { disposition, rule, move, next, stop } = decided(asks);
  assert.deepEqual([disposition, rule, next], [
    "blocked",
    "roles.engineer.routes.blocked",
    undefined,
  ]);
  assert.deepEqual([move?.from, move?.to, move?.question], ["in-progress", "blocked", QUESTION]);
  assert.equal(move?.unblock?.action, 'svc tickets answer T-0001 "…"');
  assert.equal(stop, "the route names no next role");
  // Its route only stops.
  const gardener = decided({ ...asks, role: "gardener", ticket: { state: "review" } });
  assert.deepEqual([gardener.move?.from, gardener.move?.question], ["review", QUESTION]);
  const unknown = decided({ ...asks, role: "poet" });
  assert.deepEqual([unknown.rule, unknown.move?.to], ["default.question", "blocked"]);
  for (const ticket of [null, { state: "backlog" }] as const) {
    const nowhere = decided({ ...asks, ticket });
    assert.deepEqual([nowhere.disposition, nowhere.move], ["blocked", undefined]);
  }
});

Deno.test("decide takes no role's word: no commit, red checks and unrun checks are not submitted", () => {
  const nothing = decided({ committed: false });
  assert.equal(nothing.disposition, "no_work");
  assert.match(nothing.refused[0]!.why, /no commit/);

  const red = decided({ checks: "failed", failedChecks: ["test"] });
  assert.equal(red.disposition, "checks_failed");
  assert.equal(red.move, undefined);
  assert.equal(red.rule, "default.try_again");
  assert.deepEqual(red.next, { role: "engineer", ticket: "T-0001" });
  assert.equal(red.refused[0]!.why, "checks failed: test");
  assert.equal(red.refused[1]!.why, "the manifest has no such route");
  const shown = decided({ checks: "failed", failedChecks: ["test"], checkOutput: "2 wrong" });
  assert.match(shown.attempt!, /: checks failed: test\. 2 wrong$/);

  assert.equal(decided({ checks: "not_run" }).disposition, "checks_failed");
  assert.equal(decided({ checks: "none" }).disposition, "submitted");
});

Deno.test("decide takes nothing for submitted that is not wholly committed, or must not go on", () => {
  const left = decided({ uncommitted: ["a", "b"] });
  assert.equal(left.disposition, "checks_failed");
  assert.match(left.attempt!, /gave no result: checks_failed: not committed, .*: a, b$/);
  const five = ["a", "b", "c", "d", "e"];
  assert.match(decided({ uncommitted: five }).attempt!, /: a, b, c, d, e$/);
  assert.match(decided({ uncommitted: [...five, "f"] }).attempt!, /: a, b, c, d, e and 1 more$/);

  const bad = decided({ objections: ["secrets in its commits: x"] });
  assert.equal(bad.disposition, "checks_failed");
  assert.deepEqual(bad.next, { role: "engineer", ticket: "T-0001" });
  assert.match(bad.attempt!, /: secrets in its commits: x$/);

  const foreign = decided({ foreign: ["commits of nobody: x"], objections: ["y"] });
  assert.deepEqual([foreign.disposition, foreign.next], ["blocked", undefined]);
  assert.equal(foreign.move?.unblock?.action, "commits of nobody: x");
});

Deno.test("decide takes a submission without a commit for a run without a result", () => {
  const { rule, next } = decided({ committed: false });
  assert.equal(rule, "default.try_again");
  assert.deepEqual(next, { role: "engineer", ticket: "T-0001" });
  const last = decided({ committed: false, ticket: { attempts: 2 } });
  assert.equal(last.move?.to, "blocked");
  const said = decided({ disposition: "no_work", committed: false });
  assert.deepEqual([said.rule, said.move?.to], ["roles.engineer.routes.no_work", "blocked"]);
});

Deno.test("decide takes nothing for approved but a commit with green checks, or one merged already", () => {
  const review = { state: "review" } as const;
  const qa = { role: "qa", disposition: "approved", ticket: review } as const;
  const none = { committed: false, checks: "not_run" } as const;
  for (
    const [seen, why] of [
      [none, /no commit to approve/],
      [{ ...none, checks: "passed" }, /no commit to approve/],
      [{ checks: "not_run" }, /the checks were not run/],
      [{ objections: ["protected files: x"] }, /protected files: x/],
    ] as const
  ) {
    const { disposition, merge, move } = decided({ ...qa, ...seen });
    assert.deepEqual([disposition, merge], ["changes_requested", undefined]);
    assert.match(move!.reason, why);
  }
  assert.equal(decided({ ...qa, foreign: ["x"] }).move?.to, "blocked");
  assert.equal(decided({ ...qa, checks: "none" }).merge, "svc/T-0001-x");
  assert.equal(decided({ ...qa, committed: false, merged: true }).move?.to, "done");
});

Deno.test("decide hands on no work whose ticket was taken back or away", () => {
  const back = decided({ ticket: { state: "backlog" } });
  assert.deepEqual([back.next, back.stop], [undefined, "T-0001 is backlog by now"]);
  const { next, merge, rule, stop } = decided({
    ...{ role: "qa", disposition: "approved", ticket: null, lost: "T-0001" },
  });
  assert.deepEqual([next, merge, rule], [undefined, undefined, "default.ticket_lost"]);
  assert.equal(stop, "T-0001 is gone from the checkout, or cannot be read");
});

Deno.test("decide takes a plan for one only when there is a ticket to start", () => {
  const plan = { role: "ceo", disposition: "planned", ticket: null } as const;
  assert.deepEqual(decided(plan).next, { role: "orchestrator" });
  const empty = decided({ ...plan, planned: false });
  assert.equal(empty.disposition, "no_work");
  assert.equal(empty.next, undefined);
  assert.equal(decided({ disposition: "stuck", planned: false }).disposition, "stuck");
});

Deno.test("decide merges what qa approved on the very commit, and nothing else", () => {
  const review = { state: "review" } as const;
  const good = decided({ role: "qa", disposition: "approved", ticket: review });
  assert.equal(good.merge, "svc/T-0001-x");
  assert.equal(good.move?.to, "done");
  assert.deepEqual(good.next, { role: "orchestrator" });

  const moved = decided({
    role: "qa",
    disposition: "approved",
    sameCommit: false,
    ticket: review,
  });
  assert.equal(moved.disposition, "changes_requested");
  assert.equal(moved.merge, undefined);
  assert.equal(moved.move?.to, "in-progress");

  // As often as it was sent back before.
  const late = { state: "review", rework: 3 } as const;
  const long = decided({ role: "qa", disposition: "approved", ticket: late });
  assert.deepEqual([long.merge, long.move?.to], ["svc/T-0001-x", "done"]);

  const red = decided({ role: "qa", disposition: "approved", checks: "failed", ticket: review });
  assert.equal(red.disposition, "changes_requested");

  const early = decided({ role: "qa", disposition: "approved", ticket: { state: "backlog" } });
  assert.deepEqual([early.disposition, early.move, early.merge], [
    "approved",
    undefined,
    undefined,
  ]);
  assert.deepEqual(early.refused, [{ rule: "ticket: done", why: "T-0001 is backlog" }]);
});

Deno.test("decide tells whoever judges the work which checks were red before it", () => {
  assert.equal(decided({}).move?.reason, "engineer: done it");
  const { reason } = decided({ redBefore: ["lint"] }).move!;
  assert.equal(reason, "engineer: done it. svc saw red before and after: lint");
});

Deno.test("decide blocks a ticket its role calls blocked, with the role's words as the action", () => {
  const { move, stop, next } = decided({ disposition: "blocked", evidence: "Ada: which API?" });
  assert.deepEqual(move?.unblock, { owner: "maintainer", action: "Ada: which API?" });
  assert.equal(next, undefined);
  assert.ok(stop);
  const silent = decided({ disposition: "blocked", evidence: "", goesOn: true });
  assert.equal(silent.move?.unblock?.action, "Say what to do");
  assert.equal(silent.stop, "the route names no next role");
});

Deno.test("decide starts the ticket an orchestrator chose, or the best one that can be started", () => {
  const routed = { role: "orchestrator", disposition: "routed", ticket: null } as const;
  assert.deepEqual(decided({ ...routed, chosen: "T-0003" }).next, {
    role: "engineer",
    ticket: "T-0003",
  });
  const wrong = decided({ ...routed, chosen: "T-0099" });
  assert.deepEqual(wrong.next, { role: "engineer", ticket: "T-0002" });
  assert.match(wrong.refused[0]!.why, /T-0099 cannot be started now/);
  const none = decided({ ...routed, startable: [] });
  assert.deepEqual([none.next, none.stop], [undefined, "no ticket can be started"]);
  assert.equal(none.refused[0]!.why, "it named none");
});

Deno.test("decide carries work without a ticket by its branch, until it is merged", () => {
  const sent = decided({ role: "gardener", ticket: null });
  assert.deepEqual(sent.next, { role: "qa", branch: "svc/T-0001-x" });
  assert.equal(sent.merge, undefined);
  const merged = decided({ role: "qa", disposition: "approved", ticket: null });
  assert.equal(merged.merge, "svc/T-0001-x");
  assert.deepEqual(merged.next, { role: "orchestrator" });
});

Deno.test("decide starts nobody in manual mode, after a cancel, or where no route leads on", () => {
  const manual = decided({ mode: "manual" });
  assert.equal(manual.move?.to, "review");
  assert.equal(manual.next, undefined);
  assert.match(manual.stop!, /manual/);
  assert.equal(manual.refused[0]?.why, "dispatch.mode is manual");

  const cancelled = decided({ disposition: "cancelled", evidence: "by Ada" });
  assert.deepEqual([cancelled.move, cancelled.next, cancelled.stop], [
    undefined,
    undefined,
    "by Ada",
  ]);
  const none = decided({ role: "ceo", disposition: "reported", ticket: null });
  assert.equal(none.rule, "default.no_route");
  assert.ok(none.stop);
});

Deno.test("decide in observer profile rehearses without proof", () => {
  const { move, disposition } = decided({
    profile: "observer",
    committed: false,
    checks: "not_run",
  });
  assert.equal(disposition, "submitted");
  assert.equal(move?.to, "review");
});

Deno.test("decide names no stop for a role without work where the work goes on", () => {
  const idle = { role: "ceo", disposition: "no_work", ticket: null } as const;
  assert.equal(decided(idle).stop, "no work");
  const { stop, next } = decided({ ...idle, goesOn: true });
  assert.deepEqual([stop, next], [undefined, undefined]);
});

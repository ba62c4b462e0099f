/** What follows work that is sent back, or fails again: bounds, owners and actions. */
import assert from "node:assert/strict";
import { decided, manifest } from "./decided.ts";

Deno.test("decide counts rework whose route names no state: two roles that disagree have a bound", () => {
  const { routes } = manifest.roles.qa!;
  const roles = {
    ...manifest.roles,
    qa: {
      ...manifest.roles.qa!,
      routes: { ...routes, changes_requested: { next: "engineer" } },
    },
  };
  const sent = (rework: number, next = "engineer") =>
    decided({
      ...{ role: "qa", disposition: "changes_requested", ticket: { state: "review", rework } },
      roles: next === "engineer" ? roles : {
        ...roles,
        qa: { ...roles.qa, routes: { ...routes, changes_requested: { next } } },
      },
    });
  const first = sent(0);
  assert.deepEqual([first.move?.to, first.next?.role], ["in-progress", "engineer"]);
  const last = sent(manifest.dispatch.max_rework);
  assert.deepEqual([last.rule, last.move?.to, last.next], [
    ...["dispatch.max_rework", "blocked", undefined],
  ]);
  // A second judge looks at the same work.
  assert.deepEqual([sent(0, "qa").move, sent(0, "qa").next?.role], [undefined, "qa"]);
});

Deno.test("decide sends what is red in review back to whoever made it, as often as the manifest lets it", () => {
  const red = { role: "qa", disposition: "checks_failed", evidence: "test is red" } as const;
  const back = decided({ ...red, ticket: { state: "review", rework: 2 } });
  assert.deepEqual([back.rule, back.move?.to], ["default.rework", "in-progress"]);
  assert.deepEqual(back.next, { role: "engineer", ticket: "T-0001" });
  const last = decided({ ...red, ticket: { state: "review", rework: 3 } });
  assert.deepEqual([last.rule, last.move?.to], ["dispatch.max_rework", "blocked"]);
  assert.deepEqual([last.next, last.stop], [undefined, "sent back 4 times: test is red"]);
  assert.equal(last.refused.at(-1)?.why, "rework would be over 3");
  // What keeps its judge from judging says nothing of the work.
  const late = decided({ role: "qa", disposition: "timed_out", ticket: { state: "review" } });
  assert.deepEqual([late.rule, late.move], ["default.try_again", undefined]);
  assert.deepEqual(late.next, { role: "qa", ticket: "T-0001" });
  // A person has moved it meanwhile.
  const there = decided({ role: "qa", disposition: "changes_requested" });
  assert.deepEqual([there.move, there.refused], [undefined, []]);
  assert.deepEqual(there.next, { role: "engineer", ticket: "T-0001" });
});

Deno.test("decide sends red work back to the role that made it, and to no judge of it", () => {
  const { engineer, qa } = manifest.roles;
  const red = { disposition: "checks_failed", ticket: { state: "review" } } as const;
  const own = decided({ ...red, role: "gardener", roles: { ...manifest.roles } });
  assert.deepEqual([own.rule, own.next?.role], ["default.rework", "gardener"]);
  const roles = { engineer: { ...engineer!, routes: {} }, qa: qa! };
  const none = decided({ ...red, role: "qa", roles });
  assert.deepEqual([none.rule, none.move], ["default.try_again", undefined]);
  const last = decided({ ...red, role: "qa", roles, ticket: { state: "review", attempts: 2 } });
  assert.deepEqual([last.rule, last.move?.to], ["default.attempts_exhausted", "blocked"]);
});

Deno.test("decide names the roles of this manifest that disagree", () => {
  const { engineer, qa } = manifest.roles;
  const judged = (next?: string) => {
    const changes_requested = { ticket: "in-progress", ...(next && { next }) } as const;
    const reviewer = { ...qa!, routes: { ...qa!.routes, changes_requested } };
    return decided({
      ...{ role: "reviewer", disposition: "changes_requested", evidence: "no test" },
      ticket: { state: "review", rework: 3 },
      roles: { dev: engineer!, reviewer },
    }).move?.unblock?.action;
  };
  assert.equal(judged("dev"), "Settle what dev and reviewer disagree on, then unblock it");
  assert.equal(judged(), "Settle what reviewer asks for, then unblock it");
});

Deno.test("decide blocks with an owner and an action when rework or attempts are used up", () => {
  const rework = decided({
    role: "qa",
    disposition: "changes_requested",
    evidence: "no test",
    ticket: { state: "review", rework: 3 },
  });
  assert.equal(rework.rule, "dispatch.max_rework");
  assert.equal(rework.move?.to, "blocked");
  assert.equal(
    rework.move?.unblock?.action,
    "Settle what engineer and qa disagree on, then unblock it",
  );
  assert.equal(rework.next, undefined);
  assert.ok(rework.stop);

  for (const disposition of ["stuck", "timed_out", "budget_exhausted", "internal_error"] as const) {
    const again = decided({ disposition, ticket: { attempts: 1 } });
    assert.equal(again.rule, "default.try_again", disposition);
    assert.equal(again.attempt, `attempt 2 of 3 gave no result: ${disposition}`);
    const last = decided({ disposition, ticket: { attempts: 2 } });
    assert.equal(last.rule, "default.attempts_exhausted", disposition);
    assert.equal(last.move?.to, "blocked");
    assert.equal(last.next, undefined);
  }
});

Deno.test("attempts that end before the ticket left the backlog owe no move that the machine lacks", () => {
  const ticket = { state: "backlog", attempts: 2 } as const;
  const { rule, move, stop, refused } = decided({ disposition: "model_error", ticket });
  assert.deepEqual([rule, move], ["default.attempts_exhausted", undefined]);
  assert.match(stop!, /^model_error in attempt 3 of 3/);
  assert.deepEqual(refused.at(-1), { rule: "ticket: blocked", why: "T-0001 is backlog" });
  const taken = decided({
    disposition: "model_error",
    ticket: { ...ticket, state: "in-progress" },
  });
  assert.equal(taken.move?.to, "blocked");
});

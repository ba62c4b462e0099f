import assert from "node:assert/strict";
import type { StartFacts } from "svc/runtime/start/facts.ts";
import { planStart, type StartAction, type StartRule } from "svc/runtime/start/plan.ts";
import {
  decision,
  FACTS,
  ID,
  job,
  NOW,
  ROLES,
  settlement,
  ticket,
} from "tests/unit/runtime/start_kit.ts";
import { manifestOf } from "tests/unit/runtime/trigger_kit.ts";

const flags = (more: Partial<StartFacts["flags"]>) => ({ ...FACTS.flags, ...more });
const fresh = flags({ newLifecycle: true });
const force = flags({ force: true });
const STALE = { updated: "2026-11-19T09:00:00Z" };
const RING = { tickets: [ticket("backlog", { depends_on: ["T-0001"] })], cycles: [["T-0001"]] };

interface Wanted {
  readonly rule: StartRule;
  readonly action: StartAction;
  /** "role ticket" each. */
  readonly jobs?: string[];
  readonly moves?: string[];
  readonly cancels?: string[];
  readonly refusal?: RegExp;
  readonly remedy?: RegExp;
  readonly saw?: RegExp;
}

const TABLE: [string, Partial<StartFacts>, Wanted][] = [
  ["an empty repo", {}, { rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] }],
  ["an observer in an empty repo", { profile: "observer" }, {
    ...{ rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] },
  }],
  ["a backlog that nobody works on", { tickets: [ticket("backlog")] }, {
    ...{ rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] },
    saw: /^1 ticket in the backlog, 1 can be started$/,
  }],
  ["only blocked tickets", { tickets: [ticket("blocked")] }, {
    ...{ rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] },
    saw: /^T-0001 is blocked until ada has done: say which$/,
  }],
  ["a manifest without a bootstrap role", {
    manifest: manifestOf("qa: { prompt: p.md }"),
  }, {
    ...{ rule: "bootstrap", action: "refuse", refusal: /no role .* has a trigger bootstrap$/ },
    remedy: /on: bootstrap/,
  }],

  ["another start", { otherStart: "process 7", flags: fresh }, {
    ...{ rule: "other_start", action: "refuse", refusal: /worked on already, by process 7$/ },
  }],
  ["no manifest", { manifest: undefined, problem: "line 3 is wrong", flags: fresh }, {
    ...{ rule: "no_manifest", action: "refuse", refusal: /: line 3 is wrong$/ },
    remedy: /^svc doctor --repo \/shop$/,
  }],
  ["a rebase that goes on", {
    checkout: { ...FACTS.checkout, operation: "rebase" },
    flags: fresh,
  }, {
    ...{ rule: "git_operation", action: "refuse", refusal: /a rebase is going on$/ },
    remedy: /rebase --abort$/,
  }],
  ["a rebase that goes on beside an observer", {
    checkout: { ...FACTS.checkout, operation: "rebase" },
    profile: "observer",
  }, { rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"], saw: /^a rebase is going on$/ }],
  ["another branch", { checkout: { ...FACTS.checkout, branch: "mine" } }, {
    ...{ rule: "other_branch", action: "refuse", refusal: /to "main", and "mine" is checked out$/ },
    remedy: /^git -C \/shop switch main; or .*: svc register --repo \/shop --branch mine --db /,
  }],
  ["a registered branch that was renamed", {
    checkout: { ...FACTS.checkout, branch: "trunk", gone: true },
  }, {
    ...{
      rule: "other_branch",
      action: "refuse",
      refusal: /goes to "main", which is gone, and "trunk" is checked out$/,
    },
    remedy:
      /^svc register --repo \/shop --branch trunk --db \/home\/ada\/\.svc\/db\/shop\/svc\.db$/,
  }],
  ["no branch, and the registered one is gone", {
    checkout: { ...FACTS.checkout, branch: undefined, gone: true },
  }, {
    ...{ rule: "other_branch", action: "refuse", refusal: /is gone, and HEAD is on no branch$/ },
    remedy: /^svc register --repo \/shop --branch <branch> --db /,
  }],
  ["svc's own branch", { checkout: { ...FACTS.checkout, branch: "svc/T-1" } }, {
    ...{ rule: "other_branch", action: "refuse", remedy: /^git -C \/shop switch main$/ },
  }],
  ["no branch", { checkout: { ...FACTS.checkout, branch: undefined } }, {
    ...{ rule: "other_branch", action: "refuse", refusal: /HEAD is on no branch$/ },
  }],

  ["a ticket that cannot be read", {
    broken: [{ path: "a.md", reason: 'Cannot read "a.md": x', remedy: "Edit a.md" }],
  }, {
    ...{ rule: "unreadable_tickets", action: "refuse", refusal: /: Cannot read "a.md": x$/ },
    remedy: /^Edit a\.md; or start over: svc start --repo \/shop --new-lifecycle$/,
  }],
  ["two roles that claim one ticket", {
    tickets: [ticket("in-progress")],
    jobs: [job(), job({ id: "job-2", role: "qa" })],
  }, {
    ...{
      rule: "two_claims",
      action: "refuse",
      refusal: /job-1 .* and job-2 .* both claim T-0001$/,
    },
    remedy: /; end one of them: svc jobs cancel job-2 --repo \/shop\b.*; or start over/,
  }],
  ["a second job that a trigger asked for", {
    tickets: [ticket("in-progress")],
    jobs: [job(), job({ id: "job-2", role: "qa", trigger: "ticket" })],
  }, { rule: "resume", action: "resume" }],
  ["a job for a ticket that is not there", { jobs: [job()] }, {
    ...{
      rule: "lost_ticket",
      action: "refuse",
      refusal: /job job-1 is for T-0001, and .* no such/,
    },
    remedy:
      /; if it is not wanted any more: svc jobs cancel job-1 --repo \/shop\b.*; or start over/,
  }],
  ["such a job in the hands of another process", {
    jobs: [job({ status: "running", owner: "alive" })],
  }, { rule: "resume", action: "resume" }],
  ["a ticket in progress whose branch is gone", {
    tickets: [ticket("in-progress")],
    lost: [{ ticket: "T-0001", branch: "svc/T-0001;id", commit: "abc" }],
  }, {
    ...{
      rule: "lost_work",
      action: "refuse",
      refusal: /T-0001 is in-progress, .*"svc\/T-0001;id" is/,
    },
    remedy: /^Bring it back: git -C \/shop branch 'svc\/T-0001;id' abc; or start over/,
  }],
  ["tickets that only wait for each other", RING, {
    ...{ rule: "only_rings", action: "refuse", refusal: /T-0001 → T-0001$/ },
    remedy: /depends_on/,
  }],
  ["a ring beside a ticket that can be started", {
    ...RING,
    tickets: [...RING.tickets, ticket("backlog", { id: "T-0002" })],
  }, { rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"], saw: /^tickets wait for each/ }],

  ["a job in the queue", { jobs: [job({ ticket_id: null })] }, {
    ...{ rule: "resume", action: "resume", saw: /^1 job in the queue$/ },
  }],
  ["a job of a process that died", {
    tickets: [ticket("in-progress")],
    jobs: [job({ status: "running", owner: "dead" })],
  }, { rule: "resume", action: "resume", saw: /^1 job of a process that died$/ }],
  ["a job in another process", { jobs: [job({ ticket_id: null, owner: "alive" })] }, {
    ...{ rule: "resume", action: "resume", saw: /^1 job that runs in another process$/ },
  }],
  ["a merge that is owed", {
    tickets: [ticket("review")],
    settlements: [settlement({ to_state: "done", merge_from: "svc/T-0001" })],
  }, { rule: "resume", action: "resume" }],
  ["a ticket in progress without a job", { tickets: [ticket("in-progress")] }, {
    ...{ rule: "resume", action: "reconcile", jobs: ["engineer T-0001"] },
    saw: /^T-0001 is in-progress, without a job$/,
  }],
  ["a ticket in rework without a job", { tickets: [ticket("in-progress", { rework: 2 })] }, {
    ...{ rule: "resume", action: "reconcile", jobs: ["engineer T-0001"] },
  }],
  ["a ticket in review without a job", { tickets: [ticket("review", STALE)] }, {
    ...{ rule: "resume", action: "reconcile", jobs: ["qa T-0001"] },
  }],
  ["a ticket in progress that went stale", { tickets: [ticket("in-progress", STALE)] }, {
    ...{ rule: "resume", action: "reconcile", moves: ["T-0001"], jobs: ["orchestrator -"] },
  }],
  ["a stale ticket whose job ended an hour ago", {
    tickets: [ticket("in-progress", STALE)],
    lastJobAt: new Map([["T-0001", NOW - 3_600_000]]),
  }, { rule: "resume", action: "reconcile", jobs: ["engineer T-0001"] }],
  ["an old ticket that a person has moved to in-progress an hour ago", {
    tickets: [ticket("in-progress", STALE)],
    committedAt: new Map([["T-0001", NOW - 3_600_000]]),
  }, { rule: "resume", action: "reconcile", jobs: ["engineer T-0001"] }],
  ["a stale one, observer", { tickets: [ticket("in-progress", STALE)], profile: "observer" }, {
    ...{ rule: "resume", action: "reconcile", jobs: ["engineer T-0001"] },
  }],
  ["a ticket of a role that is gone", { tickets: [ticket("in-progress", { role: "boss" })] }, {
    ...{ rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] },
  }],
  ["a ticket without a job where a person dispatches", {
    manifest: manifestOf(ROLES, "dispatch: { mode: manual }\n"),
    tickets: [ticket("in-progress")],
  }, { rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] }],

  ["a decision that nobody followed", {
    tickets: [ticket("review")],
    unfollowed: [decision()],
  }, {
    ...{ rule: "resume", action: "reconcile", jobs: ["qa T-0001"] },
    saw: /^"engineer" ended with submitted on T-0001, and "qa" was not queued$/,
  }],
  ["a decision whose move is owed still", {
    tickets: [ticket("in-progress")],
    settlements: [settlement()],
    unfollowed: [decision()],
  }, { rule: "resume", action: "reconcile", jobs: ["qa T-0001"] }],
  ["a decision that a person's move has overtaken", {
    tickets: [ticket("backlog")],
    unfollowed: [decision()],
  }, { rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] }],
  ["a decision after which a person sent the ticket back", {
    tickets: [ticket("in-progress")],
    unfollowed: [decision()],
  }, { rule: "resume", action: "reconcile", jobs: ["engineer T-0001"] }],
  ["a decision after which a person was done with the ticket", {
    tickets: [ticket("done")],
    unfollowed: [decision()],
  }, { rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] }],
  ["a ticket that was approved", {
    tickets: [ticket("done")],
    unfollowed: [
      decision({ role: "qa", disposition: "approved", to: "done", next_role: "orchestrator" }),
    ],
  }, { rule: "resume", action: "reconcile", jobs: ["orchestrator -"] }],
  ["a run without result that was to be tried again", {
    tickets: [ticket("in-progress")],
    unfollowed: [decision({ disposition: "stuck", next_role: "engineer", to: undefined })],
  }, { rule: "resume", action: "reconcile", jobs: ["engineer T-0001"] }],
  ["the choice of an orchestrator", {
    tickets: [ticket("backlog"), ticket("backlog", { id: "T-0002" })],
    unfollowed: [decision({
      ...{ role: "orchestrator", disposition: "routed", to: undefined, ticket_id: null },
      ...{ chosen: "T-0002", next_role: "engineer" },
    })],
  }, { rule: "resume", action: "reconcile", jobs: ["engineer T-0002"] }],
  ["the choice of a ticket that cannot be started any more", {
    tickets: [ticket("done")],
    unfollowed: [decision({
      ...{ role: "orchestrator", disposition: "routed", to: undefined, ticket_id: null },
      ...{ chosen: "T-0001", next_role: "engineer" },
    })],
  }, { rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] }],
  ["work without a ticket that waits for its judge", {
    unfollowed: [decision({ ticket_id: null, to: undefined, branch: "svc/engineer-1" })],
  }, { rule: "resume", action: "reconcile", jobs: ["qa -"] }],
  ["a rehearsal that was not gone on with", {
    profile: "observer",
    tickets: [ticket("backlog")],
    unfollowed: [decision({ rehearsal: true })],
  }, { rule: "resume", action: "reconcile", jobs: ["qa T-0001"] }],
  ["a decision and a job for the same ticket", {
    tickets: [ticket("review")],
    jobs: [job({ role: "qa" })],
    unfollowed: [decision()],
  }, { rule: "resume", action: "resume" }],

  ["a job for a ticket that is done", { tickets: [ticket("done")], jobs: [job()] }, {
    ...{ rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"], cancels: ["job-1"] },
  }],
  ["a job for a blocked ticket beside other work", {
    tickets: [ticket("blocked"), ticket("in-progress", { id: "T-0002" })],
    jobs: [job()],
  }, { rule: "resume", action: "reconcile", jobs: ["engineer T-0002"], cancels: ["job-1"] }],
  ["a job for a ticket that is done by what is owed", {
    ...{ tickets: [ticket("done")], jobs: [job()] },
    settlements: [settlement({ to_state: "done" })],
  }, { rule: "resume", action: "resume" }],

  ["a ticket that the machine blocked", {
    ...{ tickets: [ticket("blocked")], mendable: new Set(["T-0001"]) },
  }, { rule: "resume", action: "reconcile", moves: ["T-0001"], jobs: ["orchestrator -"] }],
  ["a ticket that a role blocked beside it", {
    tickets: [ticket("blocked"), ticket("blocked", { id: "T-0002" })],
    mendable: new Set(["T-0001"]),
  }, {
    ...{ rule: "resume", action: "reconcile", moves: ["T-0001"], jobs: ["orchestrator -"] },
    saw:
      /^once that is done: svc tickets move T-0002 backlog --force --repo \/shop; svc start --force/,
  }],
  ["a ticket that the machine blocked, by an observer", {
    ...{ tickets: [ticket("blocked")], mendable: new Set(["T-0001"]), profile: "observer" },
  }, { rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] }],
  ["a manifest without checks", {}, {
    ...{ rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] },
    saw:
      /names no check: approved work waits for your word .*: svc checks waive --repo \/shop --db/,
  }],
  ["a manifest without checks, and a person's word", { waived: true }, {
    ...{ rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] },
    saw: /names no check: approved work is merged unchecked, as a person allowed$/,
  }],
  ["--force with blocked tickets", { tickets: [ticket("blocked")], flags: force }, {
    ...{ rule: "resume", action: "reconcile", moves: ["T-0001"], jobs: ["orchestrator -"] },
  }],
  ["--force where an orchestrator waits already", {
    tickets: [ticket("blocked")],
    flags: force,
    jobs: [job({ role: "orchestrator", ticket_id: null })],
  }, { rule: "resume", action: "reconcile", moves: ["T-0001"] }],
  ["--force keeps the job of the ticket it unblocks", {
    tickets: [ticket("blocked")],
    flags: force,
    jobs: [job()],
  }, { rule: "resume", action: "reconcile", moves: ["T-0001"] }],
  ["--force by an observer", {
    tickets: [ticket("blocked")],
    flags: force,
    profile: "observer",
  }, {
    ...{ rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] },
    saw: /^an observer unblocks nothing$/,
  }],
  ["a paused queue", { paused: "looking" }, {
    ...{ rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] },
    saw:
      /^no job is claimed until somebody resumes: looking; svc jobs resume --repo \S+( --db \S+)?$/,
  }],
  ["--force with nothing blocked", { flags: force }, {
    ...{ rule: "bootstrap", action: "bootstrap", jobs: ["ceo -"] },
  }],

  ["--new-lifecycle in an empty repo", { flags: fresh }, {
    ...{ rule: "new_lifecycle", action: "new_lifecycle", jobs: ["ceo -"] },
  }],
  ["--new-lifecycle over state that cannot be resumed", {
    flags: fresh,
    tickets: [
      ticket("in-progress"),
      ticket("review", { id: "T-0002" }),
      ticket("done", { id: "T-0003" }),
    ],
    broken: [{ path: "a.md", reason: "x", remedy: "y" }],
    lost: [{ ticket: "T-0001", branch: "svc/T-0001", commit: undefined }],
    jobs: [job(), job({ id: "job-2", ticket_id: "T-0009", trigger: "manual" })],
  }, {
    ...{ rule: "new_lifecycle", action: "new_lifecycle", jobs: ["ceo -"] },
    ...{ moves: ["T-0001", "T-0002"], cancels: ["job-1", "job-2"] },
  }],
  ["--new-lifecycle leaves what is owed, what others run, and what was asked for from outside", {
    flags: fresh,
    tickets: [
      ...["T-0001", "T-0002", "T-0003", "T-0004"].map((id) => ticket("in-progress", { id })),
      ticket("blocked", { id: "T-0005" }),
    ],
    settlements: [settlement()],
    jobs: [
      job({ id: "job-2", ticket_id: "T-0002", status: "running", owner: "alive" }),
      job({ id: "job-3", ticket_id: "T-0003", trigger: "webhook" }),
      job({ id: "job-4", ticket_id: null, trigger: "cron" }),
    ],
  }, {
    ...{ rule: "new_lifecycle", action: "new_lifecycle", jobs: ["ceo -"], moves: ["T-0004"] },
  }],
  ["--new-lifecycle --force", {
    flags: { newLifecycle: true, force: true },
    tickets: [ticket("blocked")],
  }, { rule: "new_lifecycle", action: "new_lifecycle", jobs: ["ceo -"], moves: ["T-0001"] }],
  ["--new-lifecycle by an observer", {
    ...{ flags: fresh, profile: "observer", tickets: [ticket("in-progress")], jobs: [job()] },
  }, { rule: "new_lifecycle", action: "new_lifecycle", jobs: ["ceo -"], cancels: ["job-1"] }],
];

for (const [what, facts, wanted] of TABLE) {
  Deno.test(`planStart with ${what}: ${wanted.action} by ${wanted.rule}`, () => {
    const plan = planStart({ ...FACTS, ...facts });
    assert.deepEqual([plan.rule, plan.action], [wanted.rule, wanted.action]);
    const jobs = plan.jobs.map(({ role, ticket_id }) => `${role} ${ticket_id ?? "-"}`);
    assert.deepEqual(jobs, wanted.jobs ?? []);
    assert.deepEqual(plan.moves.map(({ ticket }) => ticket), wanted.moves ?? []);
    assert.deepEqual(plan.cancels.map(({ job }) => job), wanted.cancels ?? []);
    assert.equal(plan.refusal !== undefined, wanted.action === "refuse");
    if (wanted.action !== "refuse") assert.notEqual(plan.does.length, 0);
    if (wanted.refusal) assert.match(plan.refusal!.message, wanted.refusal);
    if (wanted.remedy) assert.match(plan.refusal!.remedy, wanted.remedy);
    if (wanted.saw) assert.ok(plan.saw.some((said) => wanted.saw!.test(said)), plan.saw.join("\n"));
  });
}

Deno.test("planStart gives each job what its kind has in a lifecycle that was never interrupted", () => {
  const branch = "svc/engineer-1";
  const plan = planStart({
    ...FACTS,
    tickets: [ticket("review", { source: "webhook:github" })],
    unfollowed: [decision({ ticket_id: null, to: undefined, branch, source_trust: "observer" })],
  });
  assert.deepEqual(plan.jobs, [
    {
      ...{ repo_id: ID, role: "qa", trigger: "route", source_trust: "observer", parallel: false },
      ...{ unique_key: `${ID}:qa:${branch}`, payload: { branch }, caused_by: "decision-1" },
    },
    {
      ...{ repo_id: ID, role: "qa", trigger: "ticket", source_trust: "observer", parallel: false },
      ...{ unique_key: `${ID}:qa:T-0001`, ticket_id: "T-0001", priority: 1 },
    },
  ]);
});

import assert from "node:assert/strict";
import { waitsFor } from "svc/cli/service/waits.ts";
import type { RunningJob } from "svc/runtime/engine/engine_plan.ts";
import { busy, repoStatus } from "tests/kit/service_statuses.ts";

const JOB = { role: "engineer", ticket: "T-0001", turn: 3, step: "asks the model", ageMs: 25_400 };

function idle(more: object = {}) {
  const status = busy();
  const jobs = { ...status.jobs, pending: 0, running: 0 };
  const quiet = {
    running: [],
    heldBack: [],
    holds: [],
    overBudget: [],
    claims: "claiming" as const,
    jobs,
    waits: [],
  };
  return { ...status, ...quiet, repos: [repoStatus("shop", { next: [] })], ...more };
}

Deno.test("waitsFor says which jobs are at work, at what and for how long", () => {
  const running = [JOB, { ...JOB, role: "ceo", ticket: null, turn: 0, step: "" }, JOB, JOB, JOB];
  assert.equal(
    waitsFor(idle({ running: running as unknown as RunningJob[] })),
    "at work: engineer T-0001 (turn 3, asks the model, 25.0 s); ceo (25.0 s); " +
      "engineer T-0001 (turn 3, asks the model, 25.0 s); and 2 more",
  );
});

Deno.test("waitsFor says why jobs that are there do not run", () => {
  const jobs = { ...busy().jobs, pending: 1 };
  assert.equal(waitsFor(idle({ jobs })), "1 job waits");
  const heldBack = [{ kind: "model", key: "gpt at http://x", reason: "it answers 401" }];
  assert.equal(
    waitsFor(idle({ jobs: { ...jobs, pending: 2 }, heldBack })),
    "2 jobs wait: model gpt at http://x is held back: it answers 401",
  );
  const role = { kind: "role", key: "id-of-shop/qa", reason: "3 failed" } as const;
  assert.equal(
    waitsFor(idle({ jobs, heldBack: [role], repos: [repoStatus("shop", {})] })),
    "1 job waits: role shop/qa is held back: 3 failed",
  );
  assert.equal(
    waitsFor(idle({ jobs, putOff: [{ reason: "its model is away" }] })),
    "1 job waits: its model is away",
  );
  assert.equal(
    waitsFor(idle({ jobs, full: ["role:engineer 0"] })),
    "1 job waits; the limit role:engineer 0 leaves no room: svc jobs limit",
  );
  assert.equal(
    waitsFor(idle({ jobs, claims: "paused", reason: "p was pressed" })),
    "no job starts: p was pressed",
  );
});

Deno.test("waitsFor says that a job is another process's, which may have died", () => {
  const jobs = { ...busy().jobs, pending: 0, running: 1 };
  assert.equal(
    waitsFor(idle({ jobs })),
    "1 job is another process's: it goes on there, or here within two minutes after it died",
  );
  assert.match(waitsFor(idle({ jobs: { ...jobs, running: 2 } }))!, /^2 jobs are .*: they go on /);
});

Deno.test("waitsFor says what comes next where no job is", () => {
  const none = "no job runs and none waits; ";
  const tickets = { backlog: 0, "in-progress": 0, review: 0, done: 2, blocked: 0 };
  const at = Date.UTC(2026, 0, 1, 10, 20, 30);
  const next = [{ role: "qa", at: undefined, why: "" }, { role: "ceo", at, why: "schedule" }];
  assert.equal(
    waitsFor(idle({ repos: [repoStatus("shop", { tickets, next: [] })] })),
    `${none}waits for events and people`,
  );
  assert.equal(
    waitsFor(idle({ repos: [repoStatus("shop", { tickets: { ...tickets, blocked: 1 }, next })] })),
    `${none}next: ceo at 2026-01-01T10:20:30Z (schedule); ` +
      "1 blocked ticket for a person: svc tickets list --state blocked",
  );
  const wait = { repo: "/a", id: "1", why: "your word: no check looked at it" };
  assert.equal(
    waitsFor(idle({ repos: [repoStatus("shop", { tickets, next: [] })], waits: [wait] })),
    `${none}waits for events and people; what was decided waits for ${wait.why}`,
  );
  assert.equal(waitsFor(idle({ condition: "stopping" })), undefined);
});

import assert from "node:assert/strict";
import { type Happening, jobsFor, rolesTriggered } from "svc/features/jobs/job_triggers.ts";
import { viewOf } from "tests/unit/runtime/trigger_kit.ts";

const ROLES = `
ceo: { prompt: p.md, triggers: [{ on: bootstrap }, { on: cron, schedule: "0 6 * * 1" }] }
qa: { prompt: p.md, triggers: [{ on: ticket, state: review }, { on: webhook, event: github.pull_request.opened }] }
docs: { prompt: p.md, parallel: true, triggers: [{ on: scan_complete }, { on: ticket, state: review }] }
push: { prompt: p.md, triggers: [{ on: webhook, event: github.push }] }`;
const VIEW = viewOf(ROLES);
const ID = VIEW.id;

const TICKET = { id: "T-0007", state: "review", priority: "p1", source: "human" } as const;
const STRANGERS = { ...TICKET, source: "webhook:github" };

const TABLE: [string, Happening, [role: string, trust: string, key: string][]][] = [
  ["bootstrap", { kind: "bootstrap" }, [["ceo", "contributor", `${ID}:ceo:-`]]],
  ["ticket", { kind: "ticket", ticket: TICKET }, [
    ["qa", "contributor", `${ID}:qa:T-0007`],
    ["docs", "contributor", `${ID}:docs:T-0007`],
  ]],
  ["ticket of a stranger", { kind: "ticket", ticket: STRANGERS }, [
    ["qa", "observer", `${ID}:qa:T-0007`],
    ["docs", "observer", `${ID}:docs:T-0007`],
  ]],
  [
    "ticket in a state nobody waits for",
    { kind: "ticket", ticket: { ...TICKET, state: "done" } },
    [],
  ],
  ["scan", { kind: "scan_complete", scan: "s1", created: 2, deduplicated: 1 }, [
    ["docs", "contributor", `scan_complete:${ID}:docs:s1`],
  ]],
  ["manual, whatever the triggers", { kind: "manual", role: "qa", request: "r1", task: "look" }, [
    ["qa", "contributor", `manual:${ID}:qa:r1`],
  ]],
  ["manual for a ticket", { kind: "manual", role: "qa", request: "r1", ticket: STRANGERS }, [
    ["qa", "observer", `${ID}:qa:T-0007`],
  ]],
  ["manual for a role that is not there", { kind: "manual", role: "boss", request: "r1" }, []],
  ["cron", { kind: "cron", role: "ceo", schedule: "0 6 * * 1", tick: 7, missed: false }, [
    ["ceo", "contributor", `cron:${ID}:ceo:0 6 * * 1:7`],
  ]],
];

for (const [what, happening, wanted] of TABLE) {
  Deno.test(`jobsFor ${what}`, () => {
    const jobs = jobsFor(happening, VIEW);
    assert.deepEqual(jobs.map((job) => [job.role, job.source_trust, job.unique_key]), wanted);
    for (const job of jobs) {
      assert.equal(job.trigger, happening.kind);
      assert.equal(job.parallel, job.role === "docs");
    }
  });
}

Deno.test("jobsFor gives the ticket and its priority, and what the trigger says", () => {
  const [qa] = jobsFor({ kind: "ticket", ticket: TICKET }, VIEW);
  assert.deepEqual([qa!.ticket_id, qa!.priority], ["T-0007", 1]);
  const [ceo] = jobsFor({ kind: "cron", role: "ceo", schedule: "x", tick: 7, missed: true }, VIEW);
  assert.deepEqual(ceo!.payload, { schedule: "x", tick: 7, missed: true });
});

Deno.test("jobsFor asks for nothing without a manifest, nor for tickets where a person dispatches", () => {
  assert.deepEqual(jobsFor({ kind: "bootstrap" }, { id: ID, manifest: undefined }), []);
  const manual = viewOf(ROLES, "dispatch: { mode: manual }\n");
  assert.deepEqual(jobsFor({ kind: "ticket", ticket: TICKET }, manual), []);
  assert.equal(jobsFor({ kind: "bootstrap" }, manual).length, 1);
});

Deno.test("a webhook trigger names one event, whole", () => {
  const roles = (event: string) => rolesTriggered(VIEW.manifest, { kind: "webhook", event });
  assert.deepEqual(roles("github.pull_request.opened"), ["qa"]);
  assert.deepEqual(roles("github.push"), ["push"]);
  assert.deepEqual(roles("github.pull_request"), []);
  assert.deepEqual(roles("github.pull_request.opened.again"), []);
  assert.deepEqual(roles("github.pull_request_review.submitted"), []);
});

Deno.test("a job takes along what its role needs of a node", () => {
  const view = viewOf(`
ceo: { prompt: p.md, needs: ["tag:gpu", "model:qwen3-coder"], triggers: [{ on: bootstrap }] }
qa: { prompt: p.md, triggers: [{ on: bootstrap }] }`);
  assert.deepEqual(jobsFor({ kind: "bootstrap" }, view).map(({ role, needs }) => [role, needs]), [
    ["ceo", '["tag:gpu","model:qwen3-coder"]'],
    ["qa", undefined],
  ]);
});

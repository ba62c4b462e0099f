import assert from "node:assert/strict";
import { DebugLines, lineOf } from "svc/cli/service/lines.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { JobReport } from "svc/runtime/job/job_plan.ts";
import type { ServiceEvent } from "svc/runtime/service/plan.ts";

const job = { id: "0000-12345678", repo_id: "r1", role: "engineer", ticket_id: "T-0001" } as Job;
const nowhere = () => "";

Deno.test("lineOf says what happened, with the repo where there are several", () => {
  const claimed = { kind: "claimed", job } as const;
  assert.equal(lineOf(claimed, nowhere)?.text, "engineer T-0001 begins, job 12345678");
  assert.match(lineOf(claimed, () => "shop")!.text, /^shop: engineer/);
  const problem: ServiceEvent = { kind: "repo", repo: "/work/shop", problem: "it is gone" };
  assert.equal(lineOf(problem, nowhere)?.text, "shop cannot be worked on: it is gone");
  assert.equal(lineOf({ kind: "step", job, text: "looks" }, nowhere), undefined);
});

Deno.test("lineOf says once why a role stopped", () => {
  const evidence = `Cannot ask the model: ${"it answered 500, ".repeat(15)}`.trim();
  const ended = (decision: object): ServiceEvent => ({
    ...{ kind: "ended", job },
    report: { concluded: { kind: "decided", decision }, evidence } as unknown as JobReport,
  });
  const stop = `model_error: ${evidence}`;
  assert.equal(
    lineOf(ended({ disposition: "model_error", stop }), nowhere)!.text,
    `engineer T-0001: model_error; stop: ${evidence}`,
  );
  assert.equal(
    lineOf(ended({ disposition: "blocked", next: { role: "qa" } }), nowhere)!.text,
    `engineer T-0001: blocked (${evidence}); then qa`,
  );
});

Deno.test("a move that is only rehearsed is not told as one that was made", () => {
  const move = { ticket: "T-0001", from: "in-progress", to: "review" };
  const decision = { disposition: "submitted", move, next: { role: "qa" } };
  const report = { concluded: { kind: "decided", decision }, evidence: "" } as unknown as JobReport;
  const told = (profile: Job["profile"]) =>
    lineOf({ kind: "ended", job: { ...job, profile }, report }, nowhere)?.text;
  const said = "engineer T-0001: submitted; T-0001: in-progress → review";
  assert.equal(told("host"), `${said}; then qa`);
  assert.equal(told("observer"), `${said} (rehearsed); then qa`);
});

Deno.test("DebugLines shows whole lines of each job's model", () => {
  const lines = new DebugLines(nowhere);
  const text = (delta: string) => lines.of({ kind: "text", job, delta });
  assert.deepEqual(text("I look "), []);
  assert.deepEqual(text("first.\nThen"), ["engineer T-0001 > I look first."]);
  assert.deepEqual(lines.of({ kind: "step", job, text: "asks" }), ["engineer T-0001 | asks"]);
});

Deno.test("lineOf says when a limit of the day holds jobs back, and when it does no longer", () => {
  const hold = { repo_id: "r1", says: 'role "qa" is held until 00:00 UTC', raise: "Raise it" };
  const held = { kind: "held", holds: [hold] } as unknown as ServiceEvent;
  const said = lineOf(held, () => "shop");
  assert.equal(said?.text, 'begins no new job: shop: role "qa" is held until 00:00 UTC. Raise it');
  assert.equal(
    lineOf({ kind: "held", holds: [] }, nowhere)?.text,
    "the limits of the day let jobs begin again",
  );
});

import assert from "node:assert/strict";
import { leftOf, serviceExit, ServiceTally } from "svc/cli/service/report.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { ServiceEvent, ServiceStatus } from "svc/runtime/service/plan.ts";

const job = { id: "0000-12345678", repo_id: "r1", role: "engineer", ticket_id: "T-0001" } as Job;

Deno.test("ServiceTally counts decisions by what they came to", () => {
  const tally = new ServiceTally();
  const ended = (concluded: unknown) =>
    tally.hear({ kind: "ended", job, report: { concluded } } as ServiceEvent);
  ended({ kind: "decided", decision: { disposition: "submitted" } });
  ended({ kind: "decided", decision: { disposition: "stuck" } });
  ended({ kind: "again", at: 0, reason: "busy" });
  tally.hear({ kind: "given_back", job, reason: "svc stops" });
  assert.deepEqual(tally.jobs, { done: 1, failed: 1, given_back: 2 });
  assert.deepEqual([serviceExit({ hurried: false }), serviceExit({ hurried: true })], [0, 130]);
});

Deno.test("leftOf names blocked tickets and repos that cannot be worked on", () => {
  const repo = { basename: "shop", problem: "it is gone", tickets: { blocked: 2 } };
  const holds = [{ says: "held until 00:00 UTC", raise: "Raise it" }];
  const status = { holds, waits: [{ repo: "/shop", id: "1", why: "a person" }], repos: [repo] };
  const left = leftOf(status as unknown as ServiceStatus);
  assert.deepEqual(left.waits, [
    "the next day: held until 00:00 UTC. Raise it",
    ...["a person", "shop: 2 blocked tickets for a person"],
  ]);
  assert.deepEqual(left.problems, ["shop: it is gone"]);
});

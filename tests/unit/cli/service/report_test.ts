import assert from "node:assert/strict";
import { page } from "svc/cli/page/page.ts";
import { leftOf, serviceExit, ServiceTally, showService } from "svc/cli/service/report.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { ServiceEvent, ServiceStatus } from "svc/runtime/service/plan.ts";

const job = { id: "0000-12345678", repo_id: "r1", role: "engineer", ticket_id: "T-0001" } as Job;

Deno.test("ServiceTally counts decisions by what they came to", () => {
  const tally = new ServiceTally();
  const ended = (concluded: unknown) =>
    tally.hear({ kind: "ended", job, report: { concluded } } as ServiceEvent);
  ended({ kind: "decided", decision: { disposition: "submitted" } });
  ended({ kind: "decided", decision: { disposition: "stuck" } });
  // As a job that another svc's work made needless.
  ended({ kind: "decided", decision: { disposition: "cancelled" } });
  ended({ kind: "again", at: 0, reason: "busy" });
  tally.hear({ kind: "given_back", job, reason: "svc stops" });
  assert.deepEqual(tally.jobs, { done: 1, failed: 1, cancelled: 1, given_back: 2 });
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
  const paused = { reason: "emergency stop", resume: "svc jobs resume --repo /shop" };
  assert.equal(
    leftOf(status as unknown as ServiceStatus, paused).waits[0],
    "somebody who resumes, before any job begins (emergency stop): svc jobs resume --repo /shop",
  );
});

Deno.test("showService keeps the sum of a long day on the screen", () => {
  const shown = (moves: number) => {
    const moved = Array.from({ length: moves }, (_, at) => ({
      ...{ repo: "shop", ticket: `T-${1000 + at}`, from: "review", to: "done" },
    }));
    const jobs = { done: 400, failed: 3, cancelled: 0, given_back: 0 };
    const report = { shape: "serve", hurried: false, uptime_ms: 1, repos: ["/shop"], jobs, moved };
    let text = "";
    showService(
      { ...report, waits: [], problems: [], next: "svc serve" } as unknown as Parameters<
        typeof showService
      >[0],
      page((part) => text += part, { styled: false, redact: (whole) => whole }),
    );
    return text.trimEnd().split("\n");
  };
  const many = shown(900);
  assert.ok(many.length < 20, `${many.length}`);
  assert.deepEqual([many[1], many[2], many.at(-2)], [
    "jobs: 400 done, 3 failed",
    "  888 moves of tickets before these",
    "  T-1899: review → done",
  ]);
  assert.equal(shown(12).filter((line) => line.startsWith("  T-")).length, 12);
  assert.equal(shown(12).some((line) => line.includes("before these")), false);
});

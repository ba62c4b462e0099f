/** One job with its turns and diff, and one ticket. */
import type { JobPage } from "svc/runtime/views/job_view.ts";
import type { TicketPage } from "svc/runtime/views/ticket_view.ts";
import { before, decision, decisions, HARBOR, job, jobs } from "tests/kit/browser_facts.ts";

export const DIFF = `diff --git a/src/upload.ts b/src/upload.ts
index 6b1f0c2..9d41e8a 100644
--- a/src/upload.ts
+++ b/src/upload.ts
@@ -18,9 +18,16 @@ export async function upload(berth: Berth, file: File) {
-  const answer = await gate.send(file);
-  if (!answer.ok) throw new Error("turned away");
-  return answer;
+  for (let attempt = 1; ; attempt++) {
+    const answer = await gate.send(file);
+    if (answer.ok || attempt === ATTEMPTS) return answer;
+    await pause(answer.retryAfter ?? attempt * STEP_MS);
+  }
 }
diff --git a/tests/upload_test.ts b/tests/upload_test.ts
index 0c1d2e3..4f5a6b7 100644
--- a/tests/upload_test.ts
+++ b/tests/upload_test.ts
@@ -40,3 +40,9 @@ Deno.test("upload sends the file once", async () => {
+
+Deno.test("upload tries three times, then gives the answer", async () => {
+  const gate = new Gate([503, 503, 503]);
+  assert.equal((await upload(BERTH, FILE, gate)).status, 503);
+  assert.equal(gate.asked, 3);
+});
`;

export function jobPage(now: number, given: Partial<JobPage> = {}): JobPage {
  return {
    job: job(now),
    ...{ task: null, branch: "svc/T-0042", decisions: [decision(now)] },
    denials: [{
      ...{ at: before(now, 9), tool: "command_run", part: "guardrails" },
      reason: '"rm -rf dist" is not of the allowed commands; use check_run',
    }],
    checks: [
      {
        name: "deno task test",
        outcome: "passed",
        at: before(now, 5),
        duration_secs: 48,
        reason: null,
      },
      {
        name: "deno lint",
        outcome: "failed",
        at: before(now, 7),
        duration_secs: 3,
        reason: "exit status 1",
      },
    ],
    turns: [
      {
        ...{ turn: 1, at: before(now, 15), tokens: 9_100 },
        text: "I read the ticket and look for the place where uploads are sent.",
        calls: [
          {
            tool: "grep",
            args: '{"pattern":"gate\\\\.send"}',
            status: "ok",
            result: "src/upload.ts:21: const answer = await gate.send(file);",
          },
          {
            tool: "file_read",
            args: '{"path":"src/upload.ts"}',
            status: "ok",
            result: '1  /** Sends files to a berth. */\n2  import { gate } from "./gate.ts";',
          },
        ],
      },
      {
        ...{ turn: 2, at: before(now, 12), tokens: 12_700 },
        text:
          "The gate answers 503 with Retry-After. Three attempts at most, then the last answer is given on.",
        calls: [
          {
            tool: "file_edit",
            args: '{"path":"src/upload.ts","edits":1}',
            status: "ok",
            result: "edited 1 place",
          },
          {
            tool: "command_run",
            args: '{"command":"rm -rf dist"}',
            status: "denied",
            result: "guardrails: not an allowed command",
          },
          {
            tool: "check_run",
            args: '{"name":"test"}',
            status: "ok",
            result: "214 passed, 0 failed",
          },
        ],
      },
    ],
    ...{ diff: DIFF, diff_cut: false, missing: [] },
    ...given,
  };
}

const BODY =
  "## What happens\n\nAt high water the gate answers 503 for some seconds, and uploads are lost.\n\n## What should happen\n\nThey are sent again.";

export function ticketPage(now: number, given: Partial<TicketPage["ticket"]> = {}): TicketPage {
  return {
    ticket: {
      ...{ id: "T-0042", ...HARBOR, title: "Retry uploads that the harbour gate turned away" },
      ...{ state: "in-progress", type: "bug", priority: "p1", role: null, source: "issue #318" },
      path: "docs/tickets/in-progress/T-0042-retry-uploads.md",
      ...{
        depends_on: ["T-0038"],
        rework: 1,
        attempts: 2,
        branch: "svc/T-0042",
        unblock: null,
        question: null,
      },
      acceptance: [
        "An upload that is answered with 503 is sent again, three times at most",
        "The wait of Retry-After is kept",
        "A test fails without the change",
      ],
      ...{ cost_basis: "price", cost_usd: 1.234, cost_unknown: 1 },
      ...{ created: "2026-11-20T09:00:00Z", updated: "2026-11-21T09:00:00Z" },
      external_url: "https://example.com/harbor/issues/318",
      body: BODY,
      text: `---\nid: T-0042\ntitle: Retry uploads\n---\n\n${BODY}\n`,
      ...{ version: "a".repeat(64), text_fault: null, moves: ["review", "blocked", "backlog"] },
      waits_for: [{ id: "T-0038", title: "Name the gates", state: "review" }],
      awaited_by: [{ id: "T-0050", title: "Count lost uploads", state: "backlog" }],
      ...given,
    },
    jobs: jobs(now, 12).filter(({ repo, status }) => repo === "harbor" && status === "completed")
      .slice(0, 5),
    decisions: decisions(now).slice(0, 3),
  };
}

import assert from "node:assert/strict";
import { attemptSummary } from "svc/features/agent/attempt_summary.ts";
import type { TraceRecord } from "svc/features/agent/trace.ts";

const emoji = "🛠".repeat(2_000);

/** A run that read one file, with so long a name, output and last words. */
function run(before: string): readonly TraceRecord[] {
  const args = JSON.stringify({ path: `${before}${emoji}` });
  const call = { id: "1", name: "file_read", args };
  const at = "2026-11-28T10:00:00Z";
  return [
    { kind: "started", at },
    { kind: "reply", at, message: { role: "assistant", text: `${before}${emoji}`, calls: [call] } },
    {
      ...{ kind: "turn", at, outcomes: [{ status: "ok" }] },
      append: [{ role: "tool", callId: "1", name: "file_read", text: `${emoji}${before}` }],
    },
  ] as unknown as readonly TraceRecord[];
}

Deno.test("what an attempt said and saw is cut between characters: servers take half of one for bad JSON", () => {
  for (const before of ["", "x"]) {
    const summary = attemptSummary(run(before));
    assert.match(summary, /file_read.*🛠/u);
    assert.ok(summary.length < 5_000);
    assert.ok(summary.isWellFormed(), before);
  }
});

/** What came of one tool call that a reply asked for. */
import type { ToolCall } from "svc/features/models/client/model.ts";
import type { ToolOutcome } from "svc/features/tools/tool.ts";

export interface CallResult {
  readonly call: ToolCall;
  readonly outcome: ToolOutcome;
  readonly ran: boolean;
}

export const FINISH = "finish";

export function finishIn(results: readonly CallResult[]): CallResult | undefined {
  return results.find(({ call, outcome, ran }) =>
    ran && call.name === FINISH && outcome.status === "ok"
  );
}

/** One whose end svc judged and did not take. */
export function refusedFinish(results: readonly CallResult[]): CallResult | undefined {
  return results.find(({ call, outcome, ran }) =>
    ran && call.name === FINISH && outcome.facts["refused"] !== undefined
  );
}

export function notRun(call: ToolCall, text: string): CallResult {
  const nothing = { facts: {}, hash: "", durationMs: 0 };
  return { call, outcome: { tool: call.name, status: "failed", text, ...nothing }, ran: false };
}

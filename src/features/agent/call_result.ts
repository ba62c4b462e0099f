/** The result of one tool call that a reply asked for. */
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
    ran && call.name === FINISH && shownStatus(outcome) === "refused"
  );
}

/** As shown to a person: a `finish` that svc refused is not a failed tool. */
export function shownStatus({ status, facts = {} }: {
  readonly status: string;
  readonly facts?: ToolOutcome["facts"] | undefined;
}): string {
  return facts["refused"] === undefined ? status : "refused";
}

export function notRun(call: ToolCall, text: string): CallResult {
  const nothing = { facts: {}, hash: "", durationMs: 0 };
  return { call, outcome: { tool: call.name, status: "failed", text, ...nothing }, ran: false };
}

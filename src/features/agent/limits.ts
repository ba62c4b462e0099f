/** The limits of a run, asked before each request. */
import { AGENT_REPLY_TOKENS, AGENT_TOOL_CALLS } from "svc/core/bounds.ts";
import { affordableReply, AGENT_REPLY_MAX_TOKENS, canAffordGrace, overBudget } from "./budget.ts";
import { promptChars, type RunState } from "./run_state.ts";
import type { Stop } from "./stop.ts";

export interface Limit {
  readonly stop: Stop;
  readonly grace: boolean;
}

export function limitReached(run: RunState): Limit | undefined {
  const { plan: { limits }, tally } = run;
  const grace = canAffordGrace(run);
  if (run.time.signal.aborted) {
    const evidence = `the time of ${Math.round(limits.timeoutMs / 1000)} s is over`;
    return { grace, stop: { disposition: "timed_out", category: "timeout", evidence } };
  }
  const over = overBudget(run);
  if (over !== undefined) {
    const { says: evidence, raise } = over;
    const stop = { disposition: "budget_exhausted", category: "budget", evidence } as const;
    return { grace, stop: { ...stop, ...(raise !== undefined && { raise }) } };
  }
  const spent = tally.turns >= limits.maxTurns
    ? `all ${limits.maxTurns} turns are used`
    : tally.toolCalls >= AGENT_TOOL_CALLS
    ? `all ${AGENT_TOOL_CALLS} tool calls are used`
    : undefined;
  if (spent === undefined) return undefined;
  return { grace, stop: { disposition: "turns_exhausted", category: "turns", evidence: spent } };
}

/** What window and budgets leave; never less than a call needs. vLLM and others refuse more than fits. */
export function replyTokens(run: RunState): number {
  const left = Math.min(
    AGENT_REPLY_MAX_TOKENS,
    affordableReply(run),
    run.window - run.scale.atMost(promptChars(run)),
  );
  return Math.max(AGENT_REPLY_TOKENS, left);
}

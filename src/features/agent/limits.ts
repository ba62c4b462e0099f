/** The limits of a run, asked before each request. */
import { AGENT_REPLY_TOKENS, AGENT_TOOL_CALLS } from "svc/core/bounds.ts";
import { affordableReply, canAffordGrace, overBudget } from "./budget.ts";
import { promptChars, type RunState } from "./run_state.ts";
import type { Stop } from "./stop.ts";

/**
 * Tokens of a reply, at most. Always sent: mlx_lm stops at 512 otherwise, and a model in a loop never. OpenAI
 * advises to leave 25,000 for reasoning and output, and most models take 32,000 (gpt-4.1, Claude Opus 4).
 */
const AGENT_REPLY_MAX_TOKENS = 32_000;

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
  const evidence = overBudget(run);
  if (evidence !== undefined) {
    return { grace, stop: { disposition: "budget_exhausted", category: "budget", evidence } };
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

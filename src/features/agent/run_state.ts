/** What changes during one run, the ways it can stop, and how its prompt is measured. */
import type { Disposition, FailureCategory } from "svc/core/disposition.ts";
import { duration } from "svc/core/time.ts";
import type { Message, ModelFault, ModelReply, Usage } from "svc/features/models/client/model.ts";
import type { ToolDefinition } from "svc/features/tools/tool.ts";
import type { AgentEnd, AgentPlan, Tally } from "./agent.ts";
import { FIXED_MESSAGES, joined, TokenScale, totalChars } from "./conversation.ts";
import { TurnWatch } from "./turn_watch.ts";

/** How a run ends. */
export interface Stop {
  readonly disposition: Disposition;
  readonly evidence: string;
  readonly ticket?: string;
  readonly category?: FailureCategory;
  readonly fault?: ModelFault;
}

export interface RunState {
  readonly plan: AgentPlan;
  /** Aborted when the caller cancels or the run's time is over. */
  readonly signal: AbortSignal;
  /** Aborted when the run's time is over. */
  readonly timeOver: AbortSignal;
  messages: readonly Message[];
  /** The same array while the policy is the same: it is part of the prompt's start. */
  tools: readonly ToolDefinition[];
  toolText: string;
  /** Tokens; shrinks when the server turns out to take less than it was believed to. */
  window: number;
  readonly scale: TokenScale;
  readonly watch: TurnWatch;
  readonly tally: { -readonly [key in keyof Tally]: Tally[key] };
  /** Turn numbers at which a summary was made. */
  readonly summaries: number[];
  /** Set from an overflow until a reply comes after it. */
  overflow: { readonly fault: ModelFault; answered: boolean } | undefined;
}

export function startState(
  plan: AgentPlan,
  signals: Pick<RunState, "signal" | "timeOver">,
): RunState {
  const { messages, ...tally } = plan.resume ?? {
    messages: [{ role: "system", text: plan.system }, { role: "user", text: plan.task }] as const,
    turns: 0,
    tokensIn: 0,
    tokensOut: 0,
    estimated: false,
    toolCalls: 0,
    denials: 0,
  };
  return {
    plan,
    ...signals,
    messages,
    tools: [],
    toolText: "",
    window: plan.model.profile.contextWindow,
    scale: new TokenScale(),
    watch: new TurnWatch(),
    tally,
    summaries: [],
    overflow: undefined,
  };
}

/** Asks the policy anew; only where it has changed, the tools and with them the prompt's start do. */
export async function offerTools(run: RunState): Promise<void> {
  const offered = await run.plan.toolbox.offered();
  if (offered === run.tools) return;
  const text = JSON.stringify(offered);
  if (text === run.toolText) return;
  run.tools = offered;
  run.toolText = text;
}

export function say(run: RunState, added: readonly Message[]): void {
  run.messages = joined(run.messages, added);
}

/** Characters of the request that `messages` would make. */
export function promptChars(run: RunState, messages = run.messages): number {
  return totalChars(messages) + run.toolText.length;
}

/** Characters that the window has beside the tools, the system prompt and the task. */
export function roomChars(run: RunState): number {
  const fixed = promptChars(run, run.messages.slice(0, FIXED_MESSAGES));
  return Math.max(0, run.scale.chars(run.window) - fixed);
}

function countUsage(run: RunState, usage: Usage): void {
  run.tally.tokensIn += usage.tokensIn;
  run.tally.tokensOut += usage.tokensOut;
  run.tally.estimated ||= usage.estimated;
}

/** Counts a reply's tokens and learns from them how many characters a token has. */
export function countReply(run: RunState, reply: ModelReply, sentChars: number): void {
  countUsage(run, reply.usage);
  if (!reply.truncatedPrompt) run.scale.learn(sentChars, reply.usage);
}

export function endOf(run: RunState, stop: Stop): AgentEnd {
  return { ...stop, ...run.tally };
}

export const CANCELLED: Stop = { disposition: "cancelled", evidence: "The run was cancelled" };

/** Its evidence ends with the way out, and says how long the provider asked to wait. */
export function faultStop(fault: ModelFault): Stop {
  const { remedy, retryAfterMs } = fault.detail;
  const wait = retryAfterMs === undefined ? "" : ` (it asks to wait ${duration(retryAfterMs)})`;
  return {
    disposition: "model_error",
    evidence: `${fault.message}${wait}. ${remedy}`,
    category: fault.detail.category,
    fault,
  };
}

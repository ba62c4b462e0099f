/** What changes during one run, and how its prompt is measured. */
import type { Message, ModelFault, ModelReply } from "svc/features/models/client/model.ts";
import { withoutReasoning } from "svc/features/models/client/reasoning.ts";
import { asSent } from "svc/features/tools/definitions.ts";
import type { ToolDefinition } from "svc/features/tools/tool.ts";
import { type AgentPlan, NOTHING_USED, type SharedPart, type Tally } from "./agent.ts";
import { FIXED_MESSAGES, joined, TokenScale, totalChars } from "./conversation.ts";
import type { Deadline } from "./deadline.ts";
import { TurnWatch } from "./turn_watch.ts";

/** What is set aside for the run, of a budget that other jobs share. */
export interface SetAside extends SharedPart {
  /** What the run had used by then. */
  readonly from: number;
}

export interface RunState {
  readonly plan: AgentPlan;
  readonly signal: AbortSignal;
  readonly time: Deadline;
  /** No turn follows. */
  readonly last: boolean;
  messages: readonly Message[];
  /** The same array while the policy stays the same, since it is part of the prompt's start. */
  tools: readonly ToolDefinition[];
  toolText: string;
  /** As the toolbox offered them last. */
  offered: readonly ToolDefinition[] | undefined;
  /** Tokens; shrinks when the server turns out to take less. */
  window: number;
  readonly scale: TokenScale;
  readonly watch: TurnWatch;
  /** The messages of the last request that was answered. */
  sent: readonly Message[];
  /** Share of a prompt's unchanged start that the server had in its cache; undefined where it does not say. */
  cacheShare: number | undefined;
  readonly tally: { -readonly [key in keyof Tally]: Tally[key] };
  readonly summaries: number[];
  /** Notes of a person by their id: true once the model has answered a prompt that held them. */
  readonly heard: Map<string, boolean>;
  /** The text of these notes, which compaction never removes. */
  readonly told: string[];
  setAside: { readonly usd?: SetAside; readonly tokens?: SetAside };
  overflow: { readonly fault: ModelFault; answered: boolean } | undefined;
  /** The server had no room for the reply that was asked for, since the last one. */
  replyCut: boolean;
}

/** Another vendor refuses signed reasoning, and another model is only confused by it. */
function isOwn({ resume, model: { route, profile } }: AgentPlan): boolean {
  const wrote = resume?.model;
  return wrote === undefined ||
    (wrote.provider === route.provider && wrote.model === profile.model);
}

export function startState(
  plan: AgentPlan,
  bounds: Pick<RunState, "signal" | "time">,
): RunState {
  const { messages, model: _, told = [], ...tally } = plan.resume ?? {
    messages: [{ role: "system", text: plan.system }, { role: "user", text: plan.task }] as const,
    model: undefined,
    told: undefined,
    ...NOTHING_USED,
  };
  return {
    plan,
    ...bounds,
    last: false,
    messages: isOwn(plan) ? messages : withoutReasoning(messages),
    tools: [],
    toolText: "",
    offered: undefined,
    window: plan.model.profile.contextWindow,
    scale: new TokenScale(),
    watch: new TurnWatch(),
    sent: [],
    cacheShare: undefined,
    tally,
    summaries: [],
    heard: new Map(),
    told: [...told],
    setAside: {},
    overflow: undefined,
    replyCut: false,
  };
}

export async function offerTools(run: RunState): Promise<void> {
  const offered = await run.plan.toolbox.offered();
  if (offered === run.offered) return;
  run.offered = offered;
  const tools = offered.map(asSent);
  const text = JSON.stringify(tools);
  if (text === run.toolText) return;
  run.tools = tools;
  run.toolText = text;
  // Definitions stand at a prompt's start: no cache has the rest.
  run.sent = [];
}

export function say(run: RunState, added: readonly Message[]): void {
  run.messages = joined(run.messages, added);
}

export function promptChars(run: RunState, messages = run.messages): number {
  return totalChars(messages) + run.toolText.length;
}

export function roomChars(run: RunState): number {
  const fixed = promptChars(run, run.messages.slice(0, FIXED_MESSAGES));
  return Math.max(0, run.scale.chars(run.window) - fixed);
}

/** Share from 0 to 1 of a prompt that the model has neither read nor written before in this run. */
function newShare(run: RunState, messages: readonly Message[]): number {
  const same = messages.findIndex((message, at) => message !== run.sent[at]);
  if (same === 0) return 1;
  const grown = same === run.sent.length;
  const added = same === -1 ? [] : messages.slice(same);
  // The model knows its own replies already, until something before them changes.
  const fresh = added.filter(({ role }) => role !== "assistant" || !grown);
  return totalChars(fresh) / promptChars(run, messages);
}

/** Tokens of a prompt, estimated, and those among them that have to be computed anew. */
export function nextUse(
  run: RunState,
  messages: readonly Message[] = run.messages,
): { readonly tokensIn: number; readonly freshIn: number } {
  const tokensIn = run.scale.tokens(promptChars(run, messages));
  const fresh = newShare(run, messages) * tokensIn;
  const missed = (1 - (run.cacheShare ?? 1)) * (tokensIn - fresh);
  return { tokensIn, freshIn: Math.ceil(fresh + missed) };
}

/** @param sent the messages that it answers */
export async function countReply(
  run: RunState,
  reply: ModelReply,
  sent: readonly Message[],
): Promise<void> {
  const { usage, truncatedPrompt } = reply;
  const { tokensIn, cachedIn } = usage;
  const fresh = newShare(run, sent) * tokensIn;
  run.tally.tokensIn += tokensIn;
  run.tally.cachedIn += cachedIn ?? 0;
  run.tally.freshIn += cachedIn === undefined ? Math.round(fresh) : tokensIn - cachedIn;
  if (usage.cacheWriteIn !== undefined) {
    run.tally.cacheWriteIn = (run.tally.cacheWriteIn ?? 0) + usage.cacheWriteIn;
  }
  run.tally.largestIn = Math.max(run.tally.largestIn ?? 0, tokensIn);
  run.tally.tokensOut += usage.tokensOut;
  run.tally.estimated ||= usage.estimated;
  if (cachedIn !== undefined) {
    run.cacheShare = fresh < tokensIn ? Math.min(1, cachedIn / (tokensIn - fresh)) : 0;
  }
  run.sent = sent;
  if (!truncatedPrompt) run.scale.learn(promptChars(run, sent), usage);
  await run.plan.ledger?.count(run.tally);
}

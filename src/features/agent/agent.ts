/** What an agent run takes and returns. */
import type { Message, ModelClient } from "svc/features/models/client/model.ts";
import type { Toolbox, ToolOutcome } from "svc/features/tools/tool.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Stop } from "./stop.ts";

export interface AgentLimits {
  readonly maxTurns: number;
  /** Uncached tokens, in and out, over all turns. Without this budget tokens limit nothing. */
  readonly budgetTokens?: number | undefined;
  /** US dollars; needs a `priceOf`. */
  readonly budgetUsd?: number | undefined;
  readonly timeoutMs: number;
}

export interface AgentPlan {
  /** Byte-stable through the run. */
  readonly system: string;
  readonly task: string;
  /** Hard rules, sent again word for word after a compaction. */
  readonly rules: string;
  readonly toolbox: Toolbox;
  readonly model: ModelClient;
  /** US dollars; undefined where a prompt is longer than the price holds for. */
  readonly priceOf?: ((use: UsedTokens) => number | undefined) | undefined;
  readonly limits: AgentLimits;
  readonly ledger?: UseLedger | undefined;
  readonly trace: Trace;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly resume?: Resumed;
  readonly notes?: PersonNotes;
  readonly onTurn?: (turn: Turn) => void;
  readonly onText?: (delta: string) => void;
  readonly onDoing?: (doing: Doing) => void;
}

/** Stores what a run uses, so that other jobs see it and it outlives the run. */
export interface UseLedger {
  /** Called with each reply, before anything is done with it. @param tally all of the run's */
  count(tally: Tally): Promise<void>;
  /**
   * Called before each turn. @returns how much of each unit was reserved; undefined if no shared budget limits
   * it
   */
  setAside(want: { readonly usd: number; readonly tokens: number }): Promise<{
    readonly usd?: SharedPart;
    readonly tokens?: SharedPart;
  }>;
}

/** A part of a budget that other jobs share, in US dollars or tokens. */
export interface SharedPart {
  readonly amount: number;
  /** For the evidence of a run that ends because of it. */
  readonly says: string;
  /** The way out. */
  readonly raise: string;
}

/** What a person says to the running job. */
export interface PersonNotes {
  waiting(): Promise<readonly { readonly id: string; readonly text: string }[]>;
  /** The model has answered a prompt that held them. */
  read(ids: readonly string[]): Promise<void>;
}

export type Doing =
  | { readonly kind: "asks"; readonly turn: number }
  | { readonly kind: "waits"; readonly turn: number; readonly why: string; readonly waitMs: number }
  | { readonly kind: "calls"; readonly turn: number; readonly tool: string };

export interface Resumed extends Tally {
  readonly messages: readonly Message[];
  /** What a person had said, as the messages have it. */
  readonly told?: readonly string[] | undefined;
  /** Who wrote the replies, where the trace says so. */
  readonly model?: { readonly provider: unknown; readonly model: unknown } | undefined;
}

export interface UsedTokens {
  readonly tokensIn: number;
  /** Those among `tokensIn` that the server had in its cache, as far as it says. */
  readonly cachedIn?: number;
  /** Those that the server took into its cache, as far as it says. */
  readonly cacheWriteIn?: number;
  /** Tokens of the longest prompt. */
  readonly largestIn?: number;
  readonly tokensOut: number;
}

export interface Tally extends UsedTokens {
  /** Replies that were acted on; the turn of grace counts. */
  readonly turns: number;
  readonly cachedIn: number;
  /** The part of `tokensIn` that came from no cache: as the server says, or else what was new in the prompt. */
  readonly freshIn: number;
  readonly estimated: boolean;
  readonly toolCalls: number;
  /** Ends that the role reported and svc did not take. */
  readonly refusals?: number;
  readonly denials: number;
}

export const NOTHING_USED: Tally = {
  turns: 0,
  tokensIn: 0,
  cachedIn: 0,
  freshIn: 0,
  tokensOut: 0,
  estimated: false,
  toolCalls: 0,
  denials: 0,
};

/** What was used since then, such as after what a resumed run had used before. */
export function usedSince(before: Tally, { turns, ...now }: Tally): Tally {
  const { cacheWriteIn } = now;
  return {
    ...now,
    turns: turns - before.turns,
    tokensIn: now.tokensIn - before.tokensIn,
    cachedIn: now.cachedIn - before.cachedIn,
    freshIn: now.freshIn - before.freshIn,
    tokensOut: now.tokensOut - before.tokensOut,
    toolCalls: now.toolCalls - before.toolCalls,
    denials: now.denials - before.denials,
    ...(cacheWriteIn !== undefined && { cacheWriteIn: cacheWriteIn - (before.cacheWriteIn ?? 0) }),
  };
}

export interface Turn {
  readonly turn: number;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: string }[];
  readonly outcomes: readonly ToolOutcome[];
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly elapsedMs: number;
}

/** An append-only, redacted record; a line is on disk before anything that follows from it is shown. */
export interface Trace {
  readonly path: string;
  write(kind: string, fields: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface AgentEnd extends Stop, Tally {}

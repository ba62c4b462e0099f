/** What one agent run is given and what it comes to. */
import type { Disposition, FailureCategory } from "svc/core/disposition.ts";
import type { Message, ModelClient, ModelFault } from "svc/features/models/client/model.ts";
import type { Toolbox, ToolOutcome } from "svc/features/tools/tool.ts";
import type { Clock } from "svc/platform/clock.ts";

export interface AgentLimits {
  readonly maxTurns: number;
  /** Tokens in and out, all turns together. */
  readonly budgetTokens: number;
  /** Wall clock of the run. */
  readonly timeoutMs: number;
}

export interface AgentPlan {
  /** Byte-stable through the run. */
  readonly system: string;
  /** First message of the user's side: the ticket and what is known of it. */
  readonly task: string;
  /** Hard rules, sent again word for word after a compaction. */
  readonly rules: string;
  readonly toolbox: Toolbox;
  readonly model: ModelClient;
  readonly limits: AgentLimits;
  readonly trace: Trace;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A run that was cut off goes on from here; `system` and `task` are then the trace's. */
  readonly resume?: Resumed;
  /** After each turn was saved. */
  readonly onTurn?: (turn: Turn) => void;
  readonly onText?: (delta: string) => void;
  readonly onDoing?: (doing: Doing) => void;
}

/** What a run is about to wait for; `turn` from 1, as in `Turn`. */
export type Doing =
  | { readonly kind: "asks"; readonly turn: number }
  /** The model could not be asked, and will be again after so long. */
  | { readonly kind: "waits"; readonly turn: number; readonly why: string; readonly waitMs: number }
  | { readonly kind: "calls"; readonly turn: number; readonly tool: string };

/** How far a run had come when its trace ends. */
export interface Resumed extends Tally {
  readonly messages: readonly Message[];
}

/** What a run has used. */
export interface Tally {
  /** Replies that were acted on; the turn of grace counts. */
  readonly turns: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Some of the tokens were estimated. */
  readonly estimated: boolean;
  readonly toolCalls: number;
  readonly denials: number;
}

/** One ask, act, observe. */
export interface Turn {
  /** From 1. */
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

export interface AgentEnd extends Tally {
  readonly disposition: Disposition;
  /** The role's own words, or why the run was ended. */
  readonly evidence: string;
  /** Ticket that an orchestrator chose. */
  readonly ticket?: string;
  /** Set exactly when something else than the role, or whoever cancelled, ended the run. */
  readonly category?: FailureCategory;
  /** The model's fault that ended it, when one did. */
  readonly fault?: ModelFault;
}

/** The shape of a probe: what a model is asked, and what is looked at in what it does. */
import type { AgentEnd } from "svc/features/agent/agent.ts";
import type { ModelReply, ModelRequest } from "svc/features/models/client/model.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";

export const PROBE_GROUPS = [
  "tool_call",
  "arguments",
  "edit",
  "refusal",
  "two_calls",
  "recall",
  "stop",
  "speed",
] as const;
export type ProbeGroup = typeof PROBE_GROUPS[number];

export interface ProbeCheck {
  readonly what: string;
  readonly ok: boolean;
  /** Its weight in the probe's score. */
  readonly points: number;
  /** What was seen, in a few words; may be the model's own. */
  readonly seen?: string;
}

/** Characters of what a model said that a check shows. */
const SEEN_CHARS = 160;

export function check(
  what: string,
  ok: boolean,
  { points = 1, seen }: { readonly points?: number; readonly seen?: string | undefined } = {},
): ProbeCheck {
  return { what, ok, points, ...(seen !== undefined && { seen: seen.slice(0, SEEN_CHARS) }) };
}

/** Ms; the first words are those that are no thinking. */
export interface TimedReply {
  readonly reply: ModelReply;
  readonly firstMs: number | undefined;
  readonly ms: number;
}

/** A call as the model wrote it, before anything was repaired. */
export interface WrittenCall {
  /** From 1: calls of one reply have the same. */
  readonly turn: number;
  readonly name: string;
  readonly args: string;
}

export interface ProbeAnswer {
  readonly status: "ok" | "failed" | "denied";
  readonly text: string;
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** A real declaration, and what it answers here: a probe changes nothing on this machine. */
export interface ProbeTool {
  readonly tool: AnyTool;
  // deno-lint-ignore no-explicit-any -- each has the arguments of its own declaration
  answer(args: any): ProbeAnswer;
}

export interface ProbeWork {
  readonly calls: readonly WrittenCall[];
  readonly end: AgentEnd;
}

export interface ProbeRoom {
  /** One request. @throws ModelFault */
  ask(request: ModelRequest): Promise<TimedReply>;
  /** A run of the agent's own loop. @throws ModelFault */
  work(task: {
    readonly task: string;
    readonly tools: readonly ProbeTool[];
    readonly maxTurns: number;
  }): Promise<ProbeWork>;
}

/** How fast it was, where a probe measures that. */
export interface Speed {
  /** Ms until the first words. */
  readonly first_ms: number;
  readonly tokens_per_second: number;
}

export interface ProbeSeen {
  readonly checks: readonly ProbeCheck[];
  readonly speed?: Speed;
}

export interface ModelProbe {
  readonly id: string;
  readonly group: ProbeGroup;
  readonly about: string;
  /** Prompts and replies together, estimated. */
  readonly tokens: number;
  run(room: ProbeRoom): Promise<ProbeSeen>;
}

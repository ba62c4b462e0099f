/** Detects a run that goes in circles: the same calls with the same results, or searches that find nothing. Pure. */
import type { ToolCall } from "svc/features/models/client/model.ts";
import type { ToolOutcome } from "svc/features/tools/tool.ts";
import type { CallResult } from "./call_result.ts";

/** Times in a row that a call comes with the same result: the model is told once, then the run ends. */
const AGENT_SAME_NUDGE = 3;
const AGENT_SAME_STOP = 5;

/** Repeats of a round of 2 to 5 calls with the same results: the model is told once, then the run ends. */
const AGENT_ROUND_CALLS = 5;
const AGENT_ROUND_NUDGE = 3;
const AGENT_ROUND_STOP = 4;

/** Different searches in a row without a hit: the model is told once, then the run ends. */
const AGENT_MISS_NUDGE = 10;
const AGENT_MISS_STOP = 20;

export function canonicalArgs(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args), (_, value) => isRecord(value) ? sorted(value) : value);
  } catch {
    return args;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  // Without a prototype, since the key "__proto__" would set one.
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(record).sort()) copy[key] = record[key];
  return copy;
}

export function callKey({ name, args }: Pick<ToolCall, "name" | "args">): string {
  return `${name} ${canonicalArgs(args)}`;
}

interface WatchedCall {
  readonly signature: string;
  readonly tool: string;
}

export function stepOf(call: Pick<ToolCall, "name" | "args">, resultHash: string): WatchedCall {
  return { signature: `${resultHash} ${callKey(call)}`, tool: call.name };
}

interface Circle {
  readonly tools: readonly string[];
  readonly times: number;
  readonly verdict: "nudge" | "stop";
}

const KEPT = AGENT_ROUND_CALLS * AGENT_ROUND_STOP;

export class CircleWatch {
  readonly #seen: WatchedCall[] = [];

  /** Steps that repeat within a turn count once: the model had not seen the first result. */
  see(steps: readonly WatchedCall[]): Circle | undefined {
    let found: Circle | undefined;
    for (const step of new Map(steps.map((one) => [one.signature, one])).values()) {
      this.#seen.push(step);
      if (this.#seen.length > KEPT) this.#seen.shift();
      const circle = circleAt(this.#seen);
      if (circle !== undefined && found?.verdict !== "stop") found = circle;
    }
    return found;
  }
}

function circleAt(seen: readonly WatchedCall[]): Circle | undefined {
  let toMention: Circle | undefined;
  for (let calls = 1; calls <= AGENT_ROUND_CALLS; calls++) {
    const [nudge, stop] = calls === 1
      ? [AGENT_SAME_NUDGE, AGENT_SAME_STOP]
      : [AGENT_ROUND_NUDGE, AGENT_ROUND_STOP];
    const repeated = repeatedAt(seen, calls);
    const circle = {
      tools: seen.slice(-calls).map(({ tool }) => tool),
      times: Math.floor(repeated / calls),
    };
    if (circle.times >= stop) return { ...circle, verdict: "stop" };
    if (repeated === nudge * calls) toMention ??= { ...circle, verdict: "nudge" };
  }
  return toMention;
}

function repeatedAt(seen: readonly WatchedCall[], period: number): number {
  let length = Math.min(period, seen.length);
  while (length < seen.length) {
    const index = seen.length - 1 - length;
    if (seen[index]!.signature !== seen[index + period]!.signature) break;
    length++;
  }
  return length;
}

/** The fact in which a search tells how much it found. */
const FOUND: Readonly<Record<string, string>> = {
  grep: "matches",
  glob: "files",
  code_references: "lines",
  code_symbols: "definitions",
};

/** Where they fail, a path was guessed. */
const READS: ReadonlySet<string> = new Set(["file_read", "file_list", "code_related"]);

/** Programs that end with 1 where nothing matches (grep(1), rg(1), git-grep(1)). */
const SEARCH_PROGRAM = /^\W*(?:argv|command)\W+(?:[ef]?grep|rg|ag|ack|git\W+grep)\b/;
const NO_MATCH = 1;

function missed({ name, args }: ToolCall, { status, facts }: ToolOutcome): boolean {
  if (name === "command_run") return facts["exit_code"] === NO_MATCH && SEARCH_PROGRAM.test(args);
  const found = FOUND[name];
  if (found === undefined) return status === "failed" && READS.has(name);
  return status === "failed" || (status === "ok" && facts[found] === 0);
}

export interface Misses {
  readonly searches: number;
  readonly verdict: "nudge" | "stop";
}

export class MissWatch {
  readonly #searches = new Set<string>();
  #told = false;

  /** A hit or a change starts the count again; a run is told before it is ended. */
  see(results: readonly Pick<CallResult, "call" | "outcome">[]): Misses | undefined {
    for (const { call, outcome } of results) {
      if (missed(call, outcome)) this.#searches.add(callKey(call));
      else if (outcome.status === "ok") {
        this.#searches.clear();
        this.#told = false;
      }
    }
    const searches = this.#searches.size;
    if (this.#told) return searches < AGENT_MISS_STOP ? undefined : { searches, verdict: "stop" };
    if (searches < AGENT_MISS_NUDGE) return undefined;
    this.#told = true;
    return { searches, verdict: "nudge" };
  }
}

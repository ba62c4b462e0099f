/** A model that follows a script, tools that are functions, and a clock that is moved by hand. */
import assert from "node:assert/strict";
import type { AgentLimits, AgentPlan, Trace, Turn } from "svc/features/agent/agent.ts";
import type { TraceRecord } from "svc/features/agent/trace.ts";
import type {
  Message,
  ModelClient,
  ModelReply,
  ModelRequest,
  ToolCall,
  Usage,
} from "svc/features/models/client/model.ts";
import { ModelFault, type ModelFaultKind } from "svc/features/models/client/model.ts";
import type { CallContext, Toolbox, ToolOutcome } from "svc/features/tools/tool.ts";
import type { Clock } from "svc/platform/clock.ts";

export type Step =
  | Partial<ModelReply>
  | Error
  | ((
    request: ModelRequest,
    signal: AbortSignal,
  ) => Partial<ModelReply> | Promise<Partial<ModelReply>>);

export const estimatedUsage: Usage = { tokensIn: 100, tokensOut: 10, estimated: true };

let made = 0;
export function call(name: string, args: unknown = {}, id = `c${++made}`): ToolCall {
  return { id, name, args: typeof args === "string" ? args : JSON.stringify(args) };
}

export function calling(...calls: readonly ToolCall[]): Partial<ModelReply> {
  return { calls, end: "calls" };
}

export function finishing(disposition = "submitted", evidence = "done"): Partial<ModelReply> {
  return calling(call("finish", { disposition, evidence }));
}

export function fault(kind: ModelFaultKind): ModelFault {
  return new ModelFault(kind, `Cannot ask the model: ${kind}`, {
    category: kind === "context_overflow" ? "context_overflow" : "model_unreachable",
    transient: false,
    pausesLane: false,
    remedy: "try another",
  });
}

/** Fails the run on a request that the script does not foresee, and on a malformed conversation. */
export function scriptedModel(script: readonly Step[], window = 100_000): ModelClient & {
  readonly requests: ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  return {
    requests,
    route: { provider: "test", endpoint: "http://127.0.0.1:1/v1", model: "m", because: "test" },
    profile: {
      endpoint: "http://127.0.0.1:1/v1",
      model: "m",
      evidence: "fixture",
      tools: "native",
      contextWindow: window,
      usageReported: false,
      probedAt: 0,
    },
    async ask(request, { signal }) {
      if (signal.aborted) throw fault("cancelled");
      mustBeWhole(request.messages);
      requests.push(structuredClone(request));
      const step = script[requests.length - 1];
      assert.ok(step !== undefined, `request ${requests.length} is not in the script`);
      if (step instanceof Error) throw step;
      const reply = typeof step === "function" ? await step(request, signal) : step;
      return {
        text: "",
        calls: [],
        textCalls: false,
        usage: estimatedUsage,
        end: "stop",
        truncatedPrompt: false,
        ...reply,
      };
    },
  };
}

/** Sides alternate; each call has exactly one result, right behind it; ids are unique. */
export function mustBeWhole(messages: readonly Message[]): void {
  assert.equal(messages[0]?.role, "system");
  assert.equal(messages[1]?.role, "user");
  const ids = new Set<string>();
  let open: string[] = [];
  let before = "system";
  for (const message of messages.slice(1)) {
    if (message.role === "tool") {
      assert.equal(message.callId, open.shift(), "a result without its call before it");
    } else {
      assert.deepEqual(open, [], "a call without its result");
      assert.notEqual(message.role, before, "two of one side in a row");
    }
    if (message.role === "assistant") {
      assert.ok(message.text !== "" || message.calls.length > 0);
      for (const { id } of message.calls) {
        assert.ok(!ids.has(id), `id ${id} twice`);
        ids.add(id);
      }
      open = message.calls.map(({ id }) => id);
    }
    before = message.role;
  }
  assert.deepEqual(open, [], "a call without its result");
}

export type FakeTool = (
  args: string,
  context: CallContext,
) => Partial<ToolOutcome> | Promise<Partial<ToolOutcome>>;

export function fakeToolbox(
  tools: Readonly<Record<string, FakeTool>> = {},
  reads: readonly string[] = ["read"],
): Toolbox & { readonly called: string[] } {
  const called: string[] = [];
  const all: Record<string, FakeTool> = {
    finish: (args) => ({ facts: JSON.parse(args), text: "Finished" }),
    ...tools,
  };
  const definitions = Object.keys(all).map((name) => ({
    type: "function" as const,
    function: {
      name,
      description: `Does ${name}.`,
      parameters: { type: "object", properties: {} },
    },
  }));
  return {
    called,
    read: (name, args) => Promise.resolve({ name, args, repairs: [] }),
    offered: () => Promise.resolve(definitions),
    readsOnly: (name) => reads.includes(name),
    async call(name, args, context) {
      context.signal.throwIfAborted();
      called.push(`${name} ${args}`);
      const tool = all[name];
      const part = tool === undefined
        ? { status: "unknown" as const, text: `no tool ${name}` }
        : await tool(String(args), context);
      const text = part.text ?? "ok";
      const status = part.status ?? "ok";
      return {
        ...{ tool: name, facts: {}, durationMs: 1, ...part, text, status },
        hash: part.hash ?? `${status} ${text}`,
      };
    },
  };
}

export interface HandClock extends Clock {
  advance(ms: number): void;
  readonly pending: () => number;
}

export function handClock(): HandClock {
  let time = 1_000_000;
  const sleepers = new Set<{ readonly due: number; wake(): void }>();
  return {
    now: () => time,
    monotonic: () => time,
    processor: () => time,
    pending: () => sleepers.size,
    sleep(ms, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (signal?.aborted) return Promise.resolve();
      const sleeper = {
        due: time + ms,
        wake() {
          sleepers.delete(sleeper);
          resolve();
        },
      };
      sleepers.add(sleeper);
      signal?.addEventListener("abort", sleeper.wake);
      return promise;
    },
    advance(ms) {
      time += ms;
      for (const sleeper of [...sleepers]) if (sleeper.due <= time) sleeper.wake();
    },
  };
}

export interface Kept extends Trace {
  readonly records: TraceRecord[];
  readonly kinds: () => string[];
}

export function keptTrace(onWrite: (kind: string) => void = () => {}): Kept {
  const records: TraceRecord[] = [];
  return {
    path: "/home/traces/demo/job.jsonl",
    records,
    kinds: () => records.map(({ kind }) => kind),
    write(kind, fields) {
      onWrite(kind);
      records.push(structuredClone({ at: "", kind, ...fields }));
      return Promise.resolve();
    },
  };
}

export const LIMITS: AgentLimits = { maxTurns: 50, budgetTokens: 1_000_000, timeoutMs: 60_000 };

export interface Rig {
  readonly plan: AgentPlan;
  readonly model: ReturnType<typeof scriptedModel>;
  readonly toolbox: ReturnType<typeof fakeToolbox>;
  readonly trace: Kept;
  readonly clock: HandClock;
  readonly cancel: AbortController;
  readonly turns: Turn[];
}

export function rig(script: readonly Step[], more: {
  readonly tools?: Readonly<Record<string, FakeTool>>;
  readonly reads?: readonly string[];
  readonly limits?: Partial<AgentLimits>;
  readonly window?: number;
  readonly plan?: Partial<AgentPlan>;
} = {}): Rig {
  const model = scriptedModel(script, more.window);
  const toolbox = fakeToolbox(more.tools, more.reads);
  const trace = keptTrace();
  const clock = handClock();
  const cancel = new AbortController();
  const turns: Turn[] = [];
  const plan: AgentPlan = {
    system: "You are an engineer.",
    task: "Do T-0001.",
    rules: "1. Never lie.\n2. Finish.",
    ...{ model, toolbox, trace, clock },
    limits: { ...LIMITS, ...more.limits },
    signal: cancel.signal,
    onTurn: (turn) => void turns.push(turn),
    ...more.plan,
  };
  return { plan, model, toolbox, trace, clock, cancel, turns };
}

/** Each request starts with all of the one before, tools included. */
export function prefixesHold(requests: readonly ModelRequest[]): boolean[] {
  return requests.slice(1).map((request, index) => {
    const before = requests[index]!;
    return JSON.stringify(request.tools) === JSON.stringify(before.tools) &&
      before.messages.every((message, at) =>
        JSON.stringify(message) === JSON.stringify(request.messages[at])
      );
  });
}

/** Asks a model one probe in bounded time, and counts what that takes. */
import type { AgentEnd } from "svc/features/agent/agent.ts";
import { deadline } from "svc/features/agent/deadline.ts";
import type { runAgent } from "svc/features/agent/loop.ts";
import {
  type ModelClient,
  ModelFault,
  type ModelFaultKind,
} from "svc/features/models/client/model.ts";
import type { LoadMender } from "svc/features/tools/args/mend_json.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { ModelProbe, ProbeCheck, ProbeGroup, ProbeRoom, Speed } from "./probe.ts";
import { probeToolbox } from "./probe_toolbox.ts";

export const PROBE_STATUSES = [
  "passed",
  "partly",
  "failed",
  "timed_out",
  "fault",
  "skipped",
] as const;

export interface ProbeResult {
  readonly id: string;
  readonly group: ProbeGroup;
  readonly status: typeof PROBE_STATUSES[number];
  /** From 0 to 100. */
  readonly score: number;
  readonly checks: readonly ProbeCheck[];
  /** Why it could not be asked, or to its end. */
  readonly why: string | null;
  readonly requests: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly ms: number;
}

export interface AskingPorts {
  readonly client: ModelClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly runAgent: typeof runAgent;
  readonly mender: LoadMender;
}

export interface AskedProbe {
  readonly result: ProbeResult;
  readonly speed: Speed | undefined;
  /** The server dropped a part of some prompt without saying so. */
  readonly cut: boolean;
  readonly fault: ModelFaultKind | undefined;
}

const SYSTEM =
  "You are an agent that works through tools. Do exactly what is asked, and no more. " +
  "When it is done, or cannot be done, call finish.";

interface Used {
  requests: number;
  tokensIn: number;
  tokensOut: number;
  cut: boolean;
}

/** The same client, counted. */
function metered({ client }: AskingPorts, used: Used): ModelClient {
  return {
    ...client,
    async ask(request, options) {
      used.requests++;
      const reply = await client.ask(request, options);
      used.tokensIn += reply.usage.tokensIn;
      used.tokensOut += reply.usage.tokensOut;
      used.cut ||= reply.truncatedPrompt;
      return reply;
    },
  };
}

function mustHaveAnswered({ fault, disposition, evidence }: AgentEnd): void {
  if (fault !== undefined) throw fault;
  if (disposition === "internal_error") throw new Error(evidence);
}

function roomFor(ports: AskingPorts, used: Used, signal: AbortSignal): ProbeRoom {
  const { clock, runAgent, mender, timeoutMs } = ports;
  const model = metered(ports, used);
  return {
    async ask(request) {
      const began = clock.monotonic();
      let firstMs: number | undefined;
      const reply = await model.ask(request, {
        signal,
        onText: () => firstMs ??= clock.monotonic() - began,
      });
      return { reply, firstMs, ms: clock.monotonic() - began };
    },
    async work({ task, tools, maxTurns }) {
      let replies = 0;
      const toolbox = probeToolbox(tools, { turn: () => replies + 1, mender });
      const end = await runAgent({
        ...{ system: SYSTEM, task, rules: SYSTEM, toolbox, model, clock, signal },
        limits: { maxTurns, timeoutMs },
        trace: {
          path: "",
          write(kind) {
            if (kind === "reply") replies++;
            return Promise.resolve();
          },
        },
      });
      signal.throwIfAborted();
      mustHaveAnswered(end);
      return { calls: toolbox.written, end };
    },
  };
}

export function scoreOf(checks: readonly ProbeCheck[]): number {
  const all = checks.reduce((sum, { points }) => sum + points, 0);
  const got = checks.reduce((sum, { ok, points }) => sum + (ok ? points : 0), 0);
  return all === 0 ? 0 : Math.round(100 * got / all);
}

const statusOf = (score: number) =>
  score === 100 ? "passed" as const : score === 0 ? "failed" as const : "partly" as const;

export function skipped({ id, group }: ModelProbe, why: string): ProbeResult {
  const nothing = { requests: 0, tokens_in: 0, tokens_out: 0, ms: 0 };
  return { id, group, status: "skipped", score: 0, checks: [], why, ...nothing };
}

/** @throws the reason of `ports.signal`, and what is no fault of the model */
export async function runProbe(ports: AskingPorts, probe: ModelProbe): Promise<AskedProbe> {
  const { clock, timeoutMs } = ports;
  using time = deadline(clock, timeoutMs);
  const signal = AbortSignal.any([ports.signal, time.signal]);
  const used: Used = { requests: 0, tokensIn: 0, tokensOut: 0, cut: false };
  const began = clock.monotonic();
  const asked = (
    fields: Pick<ProbeResult, "checks" | "score" | "status" | "why">,
  ): ProbeResult => ({
    id: probe.id,
    group: probe.group,
    ...fields,
    requests: used.requests,
    tokens_in: used.tokensIn,
    tokens_out: used.tokensOut,
    ms: Math.round(clock.monotonic() - began),
  });
  const nothing = { checks: [], score: 0 };
  try {
    const { checks, speed } = await probe.run(roomFor(ports, used, signal));
    const score = scoreOf(checks);
    const result = asked({ checks, score, status: statusOf(score), why: null });
    return { result, speed, cut: used.cut, fault: undefined };
  } catch (thrown) {
    ports.signal.throwIfAborted();
    const late = { speed: undefined, cut: used.cut };
    if (time.signal.aborted) {
      const why = `it took longer than ${timeoutMs / 1000} s`;
      return { ...late, result: asked({ ...nothing, status: "timed_out", why }), fault: undefined };
    }
    if (!(thrown instanceof ModelFault)) throw thrown;
    const why = thrown.message;
    return { ...late, result: asked({ ...nothing, status: "fault", why }), fault: thrown.kind };
  }
}

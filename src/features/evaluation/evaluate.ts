/** Asks one model all probes, and says what it is fit for and what would help it. */
import type { Cost } from "svc/core/cost.ts";
import { runAgent } from "svc/features/agent/loop.ts";
import type {
  ModelClient,
  ModelFaultKind,
  ModelProfile,
} from "svc/features/models/client/model.ts";
import type { LoadMender } from "svc/features/tools/args/mend_json.ts";
import type { Clock } from "svc/platform/clock.ts";
import { adviceFor } from "./advice.ts";
import type { ModelProbe, Speed } from "./probe.ts";
import { recallProbes } from "./recall.ts";
import { REPLY_PROBES } from "./reply_probes.ts";
import { type ProbeResult, runProbe, skipped } from "./run_probe.ts";
import { type ModelScores, scoresOf } from "./scores.ts";
import { WORK_PROBES } from "./work_probes.ts";

/** In the order in which they are asked: the long prompts come last. @param window tokens */
export function probesFor(window: number): ModelProbe[] {
  const { toolCall, args, stop, speed } = REPLY_PROBES;
  const { edit, refusal, twoCalls } = WORK_PROBES;
  return [toolCall, args, stop, edit, refusal, twoCalls, speed, ...recallProbes(window)];
}

export interface EvaluationPorts {
  readonly client: ModelClient;
  readonly profile: ModelProfile;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly mender: LoadMender;
  readonly cost: (use: { readonly tokensIn: number; readonly tokensOut: number }) => Cost;
  onProbe(probe: ModelProbe, done: number, all: number): void;
}

export interface Evaluated extends ModelScores, Cost {
  readonly probes: readonly ProbeResult[];
  readonly speed: Speed | null;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly ms: number;
  /** What to change, the most important first. */
  readonly advice: readonly string[];
}

/** After these no other probe would fare better. */
const LASTING: readonly ModelFaultKind[] = ["auth", "quota", "not_found", "unreachable"];

/** @throws the reason of `ports.signal` */
export async function evaluate(ports: EvaluationPorts): Promise<Evaluated> {
  const { clock, profile } = ports;
  const began = clock.monotonic();
  const probes = probesFor(profile.contextWindow);
  const results: ProbeResult[] = [];
  let speed: Speed | null = null;
  let cut = false;
  let lost: string | undefined;
  for (const [at, probe] of probes.entries()) {
    const why = lost ?? shorterFailed(probe, results);
    if (why !== undefined) {
      results.push(skipped(probe, why));
      continue;
    }
    ports.onProbe(probe, at, probes.length);
    const asked = await runProbe({ ...ports, runAgent }, probe);
    results.push(asked.result);
    speed = asked.speed ?? speed;
    cut ||= asked.cut;
    if (asked.fault !== undefined && LASTING.includes(asked.fault)) lost = asked.result.why!;
  }
  const sum = (key: "tokens_in" | "tokens_out") =>
    results.reduce((all, result) => all + result[key], 0);
  const scores = scoresOf(results);
  const used = { tokensIn: sum("tokens_in"), tokensOut: sum("tokens_out") };
  return {
    ...scores,
    probes: results,
    speed,
    tokens_in: used.tokensIn,
    tokens_out: used.tokensOut,
    ms: Math.round(clock.monotonic() - began),
    ...ports.cost(used),
    advice: adviceFor({ ...scores, probes: results, profile, route: ports.client.route, cut }),
  };
}

/** A longer prompt would only take longer. */
function shorterFailed({ group }: ModelProbe, results: readonly ProbeResult[]): string | undefined {
  if (group !== "recall") return undefined;
  const ended = ["timed_out", "fault"];
  const before = results.find((result) =>
    result.group === "recall" && ended.includes(result.status)
  );
  return before && `a shorter prompt (${before.id}) was not answered`;
}

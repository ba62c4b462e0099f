/** What would help a model: from what its probes showed to a command or a setting. */
import type { ModelProfile, ModelRoute } from "svc/features/models/client/model.ts";
import { declareWindow } from "svc/features/models/local/declare_window.ts";
import type { ProbeGroup } from "./probe.ts";
import type { ProbeResult } from "./run_probe.ts";
import type { ModelScores } from "./scores.ts";

export interface AdviceFacts extends ModelScores {
  readonly probes: readonly ProbeResult[];
  readonly profile: ModelProfile;
  readonly route: Pick<ModelRoute, "endpoint" | "model" | "provider">;
  /** Some prompt was cut silently. */
  readonly cut: boolean;
}

const OTHER_MODEL =
  "take a model that is trained for tools, a larger one, or the same one less quantised " +
  "(svc models list)";

/** Said where a group has less than a good score. */
const HELPS: readonly (readonly [ProbeGroup, string])[] = [
  ["tool_call", `It does not call tools well: ${OTHER_MODEL}`],
  ["arguments", `It breaks what it writes into calls, and so would break files: ${OTHER_MODEL}`],
  ["edit", `It does not edit exactly: ${OTHER_MODEL}`],
  [
    "refusal",
    "It works against refusals: keep it in the observer profile, where it can only look",
  ],
  ["two_calls", "It makes one call at a time: it works, with more turns (--max-turns)"],
  ["stop", "It calls tools where none is needed: expect more turns (--max-turns)"],
  [
    "speed",
    "It is slow: put more of its layers on the GPU, take a smaller model, or give roles more time " +
    "(limits.timeout_minutes in .harness/manifest.yaml)",
  ],
];

const GOOD = 75;

/** Tokens that it was seen to read whole, of the sizes that were tried. */
function readWell(probes: readonly ProbeResult[]): number | undefined {
  const recall = probes.filter(({ group }) => group === "recall");
  const bad = recall.findIndex(({ score }) => score < GOOD);
  if (bad === -1) return undefined;
  return bad === 0 ? 0 : recall[bad - 1]!.tokens_in;
}

export function adviceFor({ groups, probes, profile, route, cut }: AdviceFacts): string[] {
  const advice: string[] = [];
  const fault = probes.find(({ status }) => status === "fault");
  if (fault !== undefined) advice.push(`${fault.id} could not be asked: ${fault.why}`);
  if (probes.some(({ status }) => status === "timed_out")) {
    advice.push("It took too long: allow more with --timeout, or take a smaller model");
  }
  if (profile.tools === "text") {
    advice.push(
      "Its server does not parse calls, so they are read from its text: start llama.cpp with " +
        "--jinja, vLLM with --enable-auto-tool-choice and --tool-call-parser",
    );
  }
  if (cut) {
    advice.push(
      "Its server cuts long prompts without saying so: raise the window (OLLAMA_CONTEXT_LENGTH, " +
        "llama-server -c), or declare less: svc models override … --context-window <tokens>",
    );
  }
  const well = readWell(probes);
  if (well !== undefined) {
    advice.push(
      well === 0
        ? "It did not find what stood in the shortest prompt: take a model with a longer window"
        : `It reads ${well} tokens well and not more: ${declareWindow(route, undefined, well)}`,
    );
  }
  const weak = HELPS.filter(([group]) =>
    groups[group] < GOOD && probes.some((probe) => probe.group === group && probe.checks.length > 0)
  );
  return [...advice, ...weak.map(([, text]) => text)];
}

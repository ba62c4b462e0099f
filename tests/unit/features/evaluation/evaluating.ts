/** Evaluates the model of an endpoint as `svc models evaluate` does, in this process and over real HTTP. */
import { evaluate, type Evaluated } from "svc/features/evaluation/evaluate.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import { openModel } from "svc/features/models/local/open_model.ts";
import { mendJson } from "svc/features/tools/args/mend_json.ts";
import { type Clock, systemClock } from "svc/platform/clock.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { type Answers, probedModel } from "tests/kit/probed_model.ts";

interface Evaluating {
  readonly route?: Partial<ModelRoute>;
  readonly key?: string;
  readonly clock?: Clock;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export async function evaluateAt(url: string, how: Evaluating = {}): Promise<Evaluated> {
  const { clock = systemClock, timeoutMs = 60_000, key, route } = how;
  const { signal = new AbortController().signal } = how;
  const redact = (text: string) => text;
  const { client, profile } = await openModel({
    ...{ clock: systemClock, redact, signal, ...(key !== undefined && { key }) },
    load: (module) => import(`svc/${module.replace("src/", "")}.ts`),
  }, { provider: "test", endpoint: url, model: "", because: "a test", ...route });
  return await evaluate({
    ...{ client, profile, clock, signal, timeoutMs },
    mender: () => Promise.resolve(mendJson),
    cost: () => ({ cost_basis: "fixture", cost_usd: null }),
    onProbe() {},
  });
}

/** @param window tokens that the endpoint states */
export async function evaluateScripted(
  worse: Readonly<Record<string, Answers>> = {},
  { window = 4_096, ...how }: Evaluating & { readonly window?: number } = {},
): Promise<Evaluated> {
  const models = [{ id: "scripted", context_length: window }];
  await using endpoint = modelEndpoint(probedModel(worse, { models }));
  return await evaluateAt(endpoint.url, how);
}

export function scoreIn({ probes }: Pick<Evaluated, "probes">, id: string): number {
  const found = probes.find((probe) => probe.id === id);
  if (found === undefined) throw new Error(`No probe ${id}`);
  return found.score;
}

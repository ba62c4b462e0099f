/** Evaluates each model that is asked for: opens it as a run does, asks the probes, and says what could not be opened. */
import { Failure } from "svc/core/failure.ts";
import type { Protocol } from "svc/core/model_protocol.ts";
import { type Redact, redactedJson, redactor } from "svc/core/redact.ts";
import type { EndpointRules } from "svc/features/models/choose/allowed_endpoint.ts";
import { keyOf } from "svc/features/models/choose/credentials.ts";
import { costFor, type OwnPrices } from "svc/features/models/choose/prices.ts";
import type { OwnSampling } from "svc/features/models/choose/sampling.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import { openModel } from "svc/features/models/local/open_model.ts";
import { ownServerKey, type ServerKeyPorts } from "svc/features/models/server/server_key.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { evaluate, type Evaluated } from "./evaluate.ts";

export interface EvaluationPlan {
  readonly routes: readonly ModelRoute[];
  readonly timeoutMs: number;
  readonly rules: EndpointRules;
  readonly sampling: OwnSampling;
  readonly prices: OwnPrices;
  /** The model server that svc runs. */
  readonly server: { readonly port: number } | undefined;
  /** Where keys may lie beside the environment. */
  readonly repo?: Pick<GitRepo, "trackingOf"> | undefined;
  readonly folder?: Pick<Folder, "read"> | undefined;
  tell(text: string): void;
}

type EvaluatingPorts = Pick<Entrance, "env" | "fetch" | "load"> & {
  readonly clock: Clock;
  readonly redact: Redact;
  readonly signal: AbortSignal;
} & ServerKeyPorts;

export interface EvaluatedModel extends Evaluated {
  readonly provider: string;
  readonly endpoint: string;
  readonly model: string;
  readonly protocol: Protocol;
  /** `fixture` where the endpoint itself says that it is scripted. */
  readonly evidence: "live" | "fixture";
  readonly tools: "native" | "text";
  readonly context_window: number;
  readonly notes: readonly string[];
}

interface UnopenedModel {
  readonly endpoint: string;
  readonly model: string;
  readonly why: string;
  readonly remedy: string;
}

export interface EvaluatedModels {
  readonly models: readonly EvaluatedModel[];
  readonly unopened: readonly UnopenedModel[];
}

async function evaluateOne(
  ports: EvaluatingPorts,
  plan: EvaluationPlan,
  asked: ModelRoute,
): Promise<EvaluatedModel> {
  const { clock, env, fetch, load, signal } = ports;
  const { repo, folder, rules } = plan;
  const found = await keyOf({ env, repo, folder }, asked, rules);
  const key = found?.value ?? await ownServerKey(ports, plan.server, asked);
  const redact = redactor(key === undefined ? [] : [key], ports.redact);
  const opened = await openModel(
    { clock, fetch, load, redact, signal, sampling: plan.sampling, ...(key && { key }) },
    asked,
  );
  const { route, profile, client, notes } = opened;
  const { mendJson } = await load("src/features/tools/args/mend_json");
  const evaluated = await evaluate({
    ...{ client, profile, clock, signal, timeoutMs: plan.timeoutMs },
    mender: () => Promise.resolve(mendJson),
    cost: (use) => costFor({ route, evidence: profile.evidence }, use, plan.prices),
    onProbe: ({ id }, done, all) => plan.tell(`${route.model}: ${id} (${done + 1} of ${all})`),
  });
  const result: EvaluatedModel = {
    provider: route.provider,
    endpoint: route.endpoint,
    model: route.model,
    protocol: route.protocol ?? "chat",
    evidence: profile.evidence,
    tools: profile.tools,
    context_window: profile.contextWindow,
    notes,
    ...evaluated,
  };
  // A server may repeat in its answers what it was sent.
  return JSON.parse(redactedJson(result, redact));
}

/** @throws Failure where the only model cannot be opened, and when interrupted */
export async function evaluateModels(
  ports: EvaluatingPorts,
  plan: EvaluationPlan,
): Promise<EvaluatedModels> {
  const models: EvaluatedModel[] = [];
  const unopened: UnopenedModel[] = [];
  for (const route of plan.routes) {
    try {
      models.push(await evaluateOne(ports, plan, route));
    } catch (thrown) {
      ports.signal.throwIfAborted();
      const failure = Failure.from(thrown);
      if (plan.routes.length === 1 || failure.code === "internal") throw thrown;
      const { message: why, remedy } = failure;
      unopened.push({ endpoint: route.endpoint, model: route.model, why, remedy });
    }
  }
  return { models, unopened };
}

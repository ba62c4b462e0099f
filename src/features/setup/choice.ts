/**
 * The possible default models of a machine: the choices that were found, and the one that is taken without
 * asking.
 */
import { Failure } from "svc/core/failure.ts";
import { ANY_MODEL, pullCommand } from "svc/features/models/client/faults.ts";
import type { ModelDefault } from "svc/features/settings/model_default.ts";
import type { FoundKey, FoundServer, Surroundings } from "./look_around.ts";
import { type Candidate, ranked } from "./suggest.ts";

export const INFERENCES = ["local", "cloud", "defer"] as const;
export type Inference = typeof INFERENCES[number];

export type ModelChoice =
  /** What the config says already, or what the person named. */
  | { readonly kind: "given"; readonly model: ModelDefault }
  | { readonly kind: "server"; readonly model: ModelDefault; readonly candidate: Candidate }
  /** Its provider is asked which models the key opens. */
  | { readonly kind: "cloud"; readonly key: FoundKey }
  | { readonly kind: "later" };

export interface ModelWish {
  readonly inference: Inference | undefined;
  /** From the config, as it is now. */
  readonly current: ModelDefault | undefined;
  readonly memoryBytes: number;
  /** `--skip-download`: the machine is prepared also where no model is there; that path asks for no answer. */
  readonly noneWillDo?: boolean;
}

/** Servers of one model each: a name would bind the choice to what they run today. */
const ONE_MODEL = ["llama.cpp", "vllm"];

function modelOf({ provider, endpoint, id }: Candidate, servers: readonly FoundServer[]) {
  const alone = servers.some((server) =>
    server.endpoint === endpoint && server.models.length === 1 && ONE_MODEL.includes(provider)
  );
  return { provider, endpoint, ...(!alone && { model: id }) };
}

function ofServers({ servers }: Surroundings, { memoryBytes }: ModelWish): ModelChoice[] {
  return ranked(servers, { memoryBytes }).map((candidate) => ({
    kind: "server",
    model: modelOf(candidate, servers),
    candidate,
  }));
}

const isSame = (choice: ModelChoice, model: ModelDefault): boolean =>
  choice.kind === "server" && choice.model.endpoint === model.endpoint &&
  choice.model.model === model.model;

/** All that a person can choose, the best first; the last is to decide later. */
export function choicesOf(found: Surroundings, wish: ModelWish): ModelChoice[] {
  const { inference, current } = wish;
  const local = inference === "cloud" ? [] : ofServers(found, wish);
  const clouds: ModelChoice[] = inference === "local"
    ? []
    : found.keys.map((key) => ({ kind: "cloud", key }));
  const kept: ModelChoice[] = current === undefined || inference !== undefined
    ? []
    : [{ kind: "given", model: current }];
  const others = local.filter((choice) =>
    current === undefined || kept.length === 0 || !isSame(choice, current)
  );
  return [...kept, ...others, ...clouds, { kind: "later" }];
}

interface Lack {
  readonly why: string;
  readonly way: string;
}

/** Why a model of this machine cannot be chosen, and what to do about it. */
export function localLack({ servers, strangers }: Omit<Surroundings, "keys">): Lack {
  const empty = servers.find(({ models }) => models.length === 0);
  if (empty !== undefined) {
    const { provider, endpoint } = empty;
    const pull = pullCommand({ provider, endpoint, model: ANY_MODEL });
    const way = pull === undefined ? "start it with a model that chats" : `get a model: ${pull}`;
    return { why: `${provider} at ${endpoint} has no model that chats`, way };
  }
  const others = strangers.map(({ endpoint, why }) => `${endpoint}: ${why}`).join("; ");
  return {
    why: `no model server answers here${others === "" ? "" : ` (passed over: ${others})`}`,
    way: "start a model server on this machine, such as: ollama serve",
  };
}

/**
 * The choice without asking: a model that was found on this machine, and a cloud only if it was asked for.
 * @throws Failure `answer_needed` where it is not clear, `environment` where what was asked for is not there
 */
export function unattendedChoice(found: Surroundings, wish: ModelWish): ModelChoice {
  const { inference } = wish;
  if (inference === "defer") return { kind: "later" };
  const [first] = choicesOf(found, wish);
  if (inference === "cloud") return soleCloud(found.keys);
  if (first?.kind === "given" || first?.kind === "server") return first;
  if (wish.noneWillDo) return { kind: "later" };
  const { why: lack, way } = localLack(found);
  if (inference === "local") {
    const own = "or add --download --yes, and svc runs a model itself";
    throw new Failure("environment", `Cannot set up a local model: ${lack}`, {
      remedy: `${way}; then run the same command again; ${own}`,
    });
  }
  const keys = found.keys.map(({ keyEnv }) => keyEnv);
  const why = keys.length > 0
    ? `${lack}, and ${keys.join(", ")} is not used unasked`
    : `${lack}, and no key of a provider is set`;
  const cloud = keys.length > 0 ? "--inference cloud, " : "";
  throw new Failure("answer_needed", `Cannot choose a model: ${why}`, {
    remedy: `Add ${cloud}--model-endpoint <url>#<model> or --inference defer; or ${way}`,
  });
}

function soleCloud(keys: readonly FoundKey[]): ModelChoice {
  const [key, ...others] = keys;
  if (key === undefined) {
    throw new Failure("environment", "Cannot set up a cloud model: no key of a provider is set", {
      remedy: "export OPENAI_API_KEY=…, or the variable of another provider: svc models list",
    });
  }
  if (others.length === 0) return { kind: "cloud", key };
  const names = keys.map(({ keyEnv }) => keyEnv).join(", ");
  throw new Failure("answer_needed", `Cannot choose a cloud: ${names} are set`, {
    remedy: keys.map(({ endpoint }) => `--model-endpoint ${endpoint}#<model>`).join(", or "),
  });
}

/** Which models a person wants evaluated: those of an endpoint, or of a provider that svc knows. */
import { Failure } from "svc/core/failure.ts";
import { isOwnNetwork } from "svc/core/loopback.ts";
import { type EndpointRules, refusalOf } from "svc/features/models/choose/allowed_endpoint.ts";
import { namedEndpoint } from "svc/features/models/choose/named_endpoint.ts";
import {
  ENV_NAME,
  knownEndpoint,
  MODEL_NAME,
  type Overrides,
  OVERRIDES_PATH,
  PROVIDER_NAME,
} from "svc/features/models/choose/override_shape.ts";
import { ELSEWHERE } from "svc/features/models/choose/prices.ts";
import { type Registry, registry } from "svc/features/models/choose/registry.ts";
import { overrideOffer } from "svc/features/models/choose/route.ts";
import { endpointOf } from "svc/features/models/client/endpoint.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";

export interface TargetRequest {
  /** As typed; `URL#name` names a model. */
  readonly endpoint: readonly string[];
  readonly model: readonly string[];
  readonly provider: string | undefined;
  readonly apiKeyEnv: string | undefined;
}

interface TargetFacts {
  readonly rules: EndpointRules;
  /** Those of the repo, which may declare a window. */
  readonly overrides: Overrides;
}

function refuse(message: string, remedy: string): never {
  throw new Failure("usage", `Cannot evaluate a model: ${message}`, { remedy });
}

/** Beyond the person's own machine and network; no cloud is reached over plain http. */
export function isCloud({ endpoint, model }: Pick<ModelRoute, "endpoint" | "model">): boolean {
  const { hostname, protocol } = new URL(endpoint);
  return ELSEWHERE.test(model) || (protocol === "https:" && !isOwnNetwork(hostname));
}

function mustBeWellFormed({ model, provider, apiKeyEnv }: TargetRequest): void {
  if (model.some((name) => !MODEL_NAME.test(name))) {
    refuse("--model is not the name of a model", "Give it as the provider spells it");
  }
  if (provider !== undefined && !PROVIDER_NAME.test(provider)) {
    refuse("--provider is not a short lower-case name", "Such as --provider openai");
  }
  if (apiKeyEnv !== undefined && !ENV_NAME.test(apiKeyEnv)) {
    // The value is left out: people paste keys where a variable's name belongs.
    refuse(
      "--api-key-env is not the name of an environment variable",
      "Give the name, never the key: --api-key-env OPENAI_API_KEY",
    );
  }
}

interface NamedModel {
  readonly endpoint: string;
  readonly model: string;
  readonly what: string;
}

function namedModels(asked: TargetRequest, known: Registry): NamedModel[] {
  const { endpoint, model, provider } = asked;
  if (endpoint.length === 0) {
    const own = knownEndpoint(provider!, known);
    if (own === undefined) {
      refuse(`svc does not know where provider "${provider}" is`, "Name it with --endpoint <url>");
    }
    const cloud = known.providers.some(({ id }) => id === provider);
    if (cloud && model.length === 0) {
      refuse(`provider "${provider}" serves many models`, "Name one with --model <model>");
    }
    return (model.length === 0 ? [""] : model)
      .map((name) => ({ endpoint: own, model: name, what: `--provider ${provider}` }));
  }
  const places = endpoint.map((typed) => namedEndpoint(typed, "--endpoint"));
  if (places.length > 1 && model.length > 0) {
    refuse("--model is given beside several endpoints", "Name each as --endpoint <url>#<model>");
  }
  return places.flatMap((place) => {
    if (place.model !== "" && model.length > 0) {
      refuse("a model is named twice", "Leave out --model, or what stands behind #");
    }
    const names = model.length === 0 ? [place.model] : model;
    return names.map((name) => ({
      endpoint: place.endpoint.href,
      model: name,
      what: "--endpoint",
    }));
  });
}

/** Tokens that the repo's overrides declare of this very endpoint and model. */
function declaredWindow(
  { endpoint, model }: NamedModel,
  { roles, tiers }: Overrides,
  known: Registry,
): number | undefined {
  const fits = [...Object.values(roles), ...Object.values(tiers)].filter((override) => {
    if (override.context_window === undefined) return false;
    const offer = overrideOffer(override, OVERRIDES_PATH, known);
    return offer.endpoint === endpoint && (offer.model === model || offer.model === "");
  });
  const windows = fits.flatMap(({ context_window }) => context_window ?? []);
  return windows.length === 0 ? undefined : Math.min(...windows);
}

/** @throws Failure `usage`; `refused` for a key that may not go there */
export function targetsFor(asked: TargetRequest, { rules, overrides }: TargetFacts): ModelRoute[] {
  mustBeWellFormed(asked);
  const known = registry();
  return namedModels(asked, known).map((named) => {
    const { endpoint, model, what } = named;
    const { provider, apiKeyEnv } = asked;
    const offer = overrideOffer(
      { provider: provider ?? "", endpoint, ...(apiKeyEnv && { api_key_env: apiKeyEnv }) },
      what,
      known,
    );
    const refusal = refusalOf(
      { endpoint: endpointOf(endpoint, what), keyEnv: offer.keyEnv, owner: "user", what },
      rules,
      known,
    );
    if (refusal !== undefined) throw refusal;
    const at = known.providers.find((each) =>
      new URL(each.endpoint).origin === new URL(endpoint).origin
    );
    const own = known.providers.find(({ id }) => id === provider);
    const protocol = offer.protocol ?? own?.protocol;
    const contextWindow = declaredWindow(named, overrides, known);
    return {
      provider: provider ?? at?.id ?? "openai-compatible",
      endpoint,
      model,
      ...(offer.keyEnv !== undefined && { apiKeyEnv: offer.keyEnv }),
      ...(protocol !== undefined && { protocol }),
      ...(contextWindow !== undefined && { contextWindow }),
      because: `flag ${what}`,
    };
  });
}

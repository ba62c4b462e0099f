/** Which model a role uses, and why: one list of rules, the first that applies wins. */
import { Failure } from "svc/core/failure.ts";
import { ROUTING_PATH } from "svc/features/harness/defaults.ts";
import { type Endpoint, endpointOf } from "svc/features/models/client/endpoint.ts";
import { type EndpointRules, refusalOf } from "./allowed_endpoint.ts";
import { ENDPOINT_FLAG, namedEndpoint } from "./named_endpoint.ts";
import type { Protocol } from "svc/core/model_protocol.ts";
import { isLocal } from "svc/features/models/client/faults.ts";
import type { ModelRoute, Sampling } from "svc/features/models/client/model.ts";
import { knownEndpoint, type Override, type Overrides, OVERRIDES_PATH } from "./override_shape.ts";
import { overrideAt, type OverrideScope } from "./overrides.ts";
import type { ModelDefault } from "svc/features/settings/model_default.ts";
import type { Provider, Registry, Tier } from "./registry.ts";
import type { RoutingFile } from "./routing_file.ts";
import { samplingFields } from "./sampling.ts";

export interface RouteInputs {
  readonly role: string;
  readonly tier: Tier;
  /** `--model-endpoint`, given by the user. `URL#name` asks for one of several models. */
  readonly modelEndpoint?: string | undefined;
  readonly overrides: Overrides;
  readonly routing: RoutingFile | undefined;
  /** `models.default` of the user's config. */
  readonly ownDefault?: ModelDefault | undefined;
  readonly registry: Registry;
  readonly rules: EndpointRules;
}

export interface ConsideredRule {
  readonly rule: string;
  readonly chosen: boolean;
  readonly why: string;
}

export interface RouteChoice {
  readonly route: ModelRoute;
  readonly considered: readonly ConsideredRule[];
}

interface RouteOffer {
  readonly provider: string;
  readonly endpoint: string;
  /** "" for whatever the endpoint serves. */
  readonly model: string;
  readonly keyEnv?: string | undefined;
  readonly contextWindow?: number | undefined;
  readonly protocol?: Protocol | undefined;
  readonly sampling?: Sampling | undefined;
  readonly owner: "user" | "repo";
  readonly what: string;
}

/** A rule with its offer, or a text why it has none, or a failure why the offer may not be used. */
interface JudgedRule {
  readonly rule: string;
  readonly offer: RouteOffer | Failure | string;
}

function providerAt({ origin }: Endpoint, { providers }: Registry): Provider | undefined {
  return providers.find(({ endpoint }) => new URL(endpoint).origin === origin);
}

const ofRole = ({ role }: RouteInputs): OverrideScope => ({ section: "roles", name: role });
const ofTier = ({ tier }: RouteInputs): OverrideScope => ({ section: "tiers", name: tier });

/** The window that an override declares of the very endpoint and model that a person names. */
function declaredWindow(
  inputs: RouteInputs,
  named: { readonly endpoint: Endpoint; readonly model: string },
): number | undefined {
  for (const scope of [ofRole(inputs), ofTier(inputs)]) {
    const override = overrideAt(inputs.overrides, scope);
    if (override?.context_window === undefined) continue;
    const { offer } = judged(inputs, "", () => overrideOffer(override, "", inputs.registry));
    if (typeof offer === "string" || offer instanceof Failure) continue;
    const fits = named.model === "" || offer.model === "" || offer.model === named.model;
    if (fits && offer.endpoint === named.endpoint.href) return offer.contextWindow;
  }
  return undefined;
}

function ofFlag(inputs: RouteInputs): RouteOffer | string {
  const { modelEndpoint, registry, rules } = inputs;
  if (modelEndpoint === undefined) return "it was not given";
  const named = namedEndpoint(modelEndpoint);
  const { endpoint, model } = named;
  const known = providerAt(endpoint, registry);
  const allowed = known !== undefined && rules.allowedKeyEnvs.includes(known.api_key_env);
  return {
    provider: known?.id ?? "openai-compatible",
    endpoint: endpoint.href,
    model,
    ...(allowed && { keyEnv: known.api_key_env }),
    contextWindow: declaredWindow(inputs, named),
    protocol: known?.protocol,
    owner: "user",
    what: ENDPOINT_FLAG,
  };
}

function saidSampling({ sampling, reasoning_effort }: Override): Sampling | undefined {
  if (sampling === undefined && reasoning_effort === undefined) return undefined;
  return samplingFields({ ...sampling, reasoning_effort });
}

/** The model that an override asks for. @throws Failure `refused` for a malformed endpoint */
export function overrideOffer(override: Override, what: string, registry: Registry): RouteOffer {
  const { provider, model = "" } = override;
  const text = override.endpoint ?? knownEndpoint(provider, registry) ?? "";
  const endpoint = endpointOf(text, what, "refused");
  const known = providerAt(endpoint, registry);
  return {
    provider,
    model,
    what,
    owner: "repo",
    endpoint: endpoint.href,
    // The origin decides whose key it is, not the provider name that the repo gives.
    keyEnv: override.api_key_env ?? known?.api_key_env,
    contextWindow: override.context_window,
    protocol: override.protocol ?? known?.protocol,
    sampling: saidSampling(override),
  };
}

function ofOverride(
  { overrides, registry }: RouteInputs,
  scope: OverrideScope,
): RouteOffer | string {
  const override = overrideAt(overrides, scope);
  const { section, name } = scope;
  if (override === undefined) return `${OVERRIDES_PATH} has no "${name}" under ${section}`;
  return overrideOffer(override, `${overrideRule(scope)} (${OVERRIDES_PATH})`, registry);
}

/** As a rule is named in answers. */
export const OWN_DEFAULT = "your default (models.default)";

const overrideRule = ({ section, name }: OverrideScope) =>
  `override ${section === "roles" ? "role" : "tier"} ${name}`;

function ofRouting(inputs: RouteInputs): RouteOffer | string {
  const { routing, tier, registry } = inputs;
  if (routing === undefined) return "there is no such file";
  const { mode, local, cloud } = routing;
  const what = `${ROUTING_PATH} (mode ${mode})`;
  if (mode === "cloud") return overrideOffer(cloud!, what, registry);
  if (mode === "defer") return "its mode is defer: nothing is chosen";
  if (hasLocalDefault(inputs)) return "its mode is local, as your default is";
  const bundle = registry.bundles.find(({ id }) => id === local?.bundle);
  return { ...ofRegistry({ tier, registry }), what, contextWindow: bundle?.context_window };
}

const hasLocalDefault = ({ ownDefault }: RouteInputs): boolean =>
  ownDefault !== undefined && isLocal(ownDefault);

function ofOwnDefault({ ownDefault, registry, rules }: RouteInputs): RouteOffer | string {
  if (ownDefault === undefined) return "it names none; svc setup does";
  const what = `models.default (${rules.configPath})`;
  return { ...overrideOffer(ownDefault, what, registry), owner: "user" };
}

function ofRegistry({ tier, registry }: Pick<RouteInputs, "tier" | "registry">): RouteOffer {
  const { runtime } = registry.defaults[tier];
  const { endpoint } = registry.runtimes.find(({ id }) => id === runtime)!;
  return { provider: runtime, endpoint, model: "", owner: "user", what: "the registry" };
}

const said = ({ provider, model, endpoint }: RouteOffer) =>
  `${provider} at ${endpoint}, ${model === "" ? "the model that it serves" : `model "${model}"`}`;

/** Keeps a refusal instead of throwing it: a later rule must not stop an earlier one. */
function judged(inputs: RouteInputs, rule: string, offerOf: () => RouteOffer | string): JudgedRule {
  try {
    const offer = offerOf();
    if (typeof offer === "string") return { rule, offer };
    const endpoint = endpointOf(offer.endpoint, offer.what);
    const refusal = refusalOf({ ...offer, endpoint }, inputs.rules, inputs.registry);
    return { rule, offer: refusal ?? offer };
  } catch (thrown) {
    if (thrown instanceof Failure) return { rule, offer: thrown };
    throw thrown;
  }
}

function explained(rules: readonly JudgedRule[], chosen: JudgedRule): ConsideredRule[] {
  return rules.map((each) => {
    const { rule, offer } = each;
    if (typeof offer === "string") return { rule, chosen: false, why: offer };
    if (offer instanceof Failure) {
      return { rule, chosen: false, why: `${chosen.rule} comes first; else: ${offer.message}` };
    }
    if (each === chosen) return { rule, chosen: true, why: said(offer) };
    return { rule, chosen: false, why: `${chosen.rule} comes first; else ${said(offer)}` };
  });
}

/** @throws Failure `usage` for a bad flag; `refused` for a rule that applies but may not be used: no other is tried */
export function routeFor(inputs: RouteInputs): RouteChoice {
  const rules = [
    judged(inputs, "flag --model-endpoint", () => ofFlag(inputs)),
    ...[ofRole(inputs), ofTier(inputs)].map((scope) =>
      judged(inputs, overrideRule(scope), () => ofOverride(inputs, scope))
    ),
    judged(inputs, ROUTING_PATH, () => ofRouting(inputs)),
    judged(inputs, OWN_DEFAULT, () => ofOwnDefault(inputs)),
    judged(inputs, `registry default for tier ${inputs.tier}`, () => ofRegistry(inputs)),
  ];
  const chosen = rules.find(({ offer }) => typeof offer !== "string")!;
  if (chosen.offer instanceof Failure) throw chosen.offer;
  const { provider, endpoint, model, keyEnv, contextWindow, protocol, sampling } = chosen
    .offer as RouteOffer;
  return {
    route: {
      provider,
      endpoint,
      model,
      ...(keyEnv !== undefined && { apiKeyEnv: keyEnv }),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(protocol !== undefined && { protocol }),
      ...(sampling !== undefined && { sampling }),
      because: chosen.rule,
    },
    considered: explained(rules, chosen),
  };
}

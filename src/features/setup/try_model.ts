/** Asks the chosen model to call one tool before it becomes the default, and a provider for its models. */
import { Failure } from "svc/core/failure.ts";
import type { Redact } from "svc/core/redact.ts";
import type { OwnModels } from "svc/features/models/choose/choose_model.ts";
import { NO_OVERRIDES } from "svc/features/models/choose/override_shape.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { routeFor } from "svc/features/models/choose/route.ts";
import { ErrorResponse, responseFault } from "svc/features/models/client/error_response.ts";
import { modelFault } from "svc/features/models/client/faults.ts";
import {
  ModelFault,
  type ModelProfile,
  type ModelRoute,
} from "svc/features/models/client/model.ts";
import { modelEntries, type ModelEntry } from "svc/features/models/local/model_list.ts";
import { openModel } from "svc/features/models/local/open_model.ts";
import { unusable } from "svc/features/models/local/preflight_failures.ts";
import { ownServerKey, type ServerKeyPorts } from "svc/features/models/server/server_key.ts";
import type { ModelDefault } from "svc/features/settings/model_default.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Entrance, Env } from "svc/platform/entrance.ts";
import type { FoundKey } from "./look_around.ts";

interface TryPorts extends ServerKeyPorts {
  readonly load: Entrance["load"];
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly env: Pick<Env, "get">;
  readonly redact: Redact;
  readonly signal: AbortSignal;
}

/** By the same rules as for a role of a repo that says nothing. @throws Failure `refused` */
export function routeOfDefault(model: ModelDefault, rules: OwnModels): ModelRoute {
  const { ownDefault: _, ...bare } = rules;
  return routeFor({
    role: "",
    tier: "standard",
    overrides: NO_OVERRIDES,
    routing: undefined,
    ownDefault: model,
    registry: registry(),
    rules: bare,
  }).route;
}

/** What `--model-endpoint` names, as it is kept in the config. @throws Failure `usage` */
export function defaultAt(modelEndpoint: string, rules: OwnModels): ModelDefault {
  const { ownDefault: _, ...bare } = rules;
  const { route } = routeFor({
    role: "",
    tier: "standard",
    modelEndpoint,
    overrides: NO_OVERRIDES,
    routing: undefined,
    registry: registry(),
    rules: bare,
  });
  const local = registry().runtimes.find(({ endpoint }) => endpoint === route.endpoint);
  return {
    provider: local?.id ?? route.provider,
    endpoint: route.endpoint,
    ...(route.model !== "" && { model: route.model }),
    ...(route.apiKeyEnv !== undefined && { api_key_env: route.apiKeyEnv }),
  };
}

function keyFor({ env }: TryPorts, { apiKeyEnv, provider }: ModelRoute): string | undefined {
  if (apiKeyEnv === undefined) return undefined;
  const value = env.get(apiKeyEnv)?.trim();
  if (value) return value;
  throw new Failure("environment", `Cannot use provider "${provider}": "${apiKeyEnv}" is not set`, {
    remedy: `export ${apiKeyEnv}=…; then run the same command again`,
  });
}

/** The other way out that a preflight names is this very command. */
function withoutSetup(thrown: unknown): unknown {
  const failure = Failure.from(thrown);
  if (failure.code !== "environment") return thrown;
  const remedy = failure.remedy
    .replace("; run svc setup, or give a real --model-endpoint", "; or choose another model")
    .replace("; give a real --model-endpoint", "; or choose another model");
  return new Failure("environment", failure.message, { ...failure.detail, remedy });
}

interface Tried {
  readonly profile: ModelProfile;
  readonly notes: readonly string[];
}

/** Sends one short request; a local server may have to load the model first, which can take a minute.
 * @throws Failure `environment` that names the way out */
export async function tryModel(
  tryPorts: TryPorts,
  model: ModelDefault,
  { rules, server }: {
    readonly rules: OwnModels;
    /** The one that svc runs. */
    readonly server: { readonly port: number } | undefined;
  },
): Promise<Tried> {
  const route = routeOfDefault(model, rules);
  const key = keyFor(tryPorts, route) ?? await ownServerKey(tryPorts, server, route);
  const { load, fetch, clock, redact, signal } = tryPorts;
  const ports = { load, fetch, clock, redact, signal, ...(key !== undefined && { key }) };
  const opened = await openModel(ports, route).catch((thrown) => {
    throw withoutSetup(thrown);
  });
  return { profile: opened.profile, notes: opened.notes };
}

/** The models that a key opens; the key goes to its provider alone. @throws Failure `environment` */
export async function cloudEntries(
  ports: TryPorts,
  { provider, endpoint, keyEnv }: FoundKey,
  rules: OwnModels,
): Promise<ModelEntry[]> {
  const route = routeOfDefault({ provider, endpoint, api_key_env: keyEnv }, rules);
  const { fetch, clock, redact, signal } = ports;
  const key = keyFor(ports, route);
  try {
    const entries = await modelEntries({ ports: { fetch, clock }, target: route, key, signal });
    if (entries !== undefined && entries.length > 0) return entries;
    throw modelFault(route, "not_found", "it lists no models");
  } catch (thrown) {
    const fault = thrown instanceof ErrorResponse
      ? responseFault(route, thrown, { redact, now: clock.now() })
      : thrown;
    throw withoutSetup(fault instanceof ModelFault ? unusable(route, fault) : fault);
  }
}

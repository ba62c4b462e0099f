/** Looks for models before anybody is asked: servers on this machine's usual ports, and keys in the environment by name. */
import { endpointOf } from "svc/features/models/client/endpoint.ts";
import { ErrorResponse } from "svc/features/models/client/error_response.ts";
import { ANY_MODEL, type ModelTarget } from "svc/features/models/client/faults.ts";
import { ModelFault } from "svc/features/models/client/model.ts";
import { MODEL_NAME } from "svc/features/models/choose/override_shape.ts";
import type { Registry } from "svc/features/models/choose/registry.ts";
import { entryWindow, smaller } from "svc/features/models/local/context_window.ts";
import {
  modelEntries,
  type ModelEntry,
  type ServerConnection,
} from "svc/features/models/local/model_list.ts";
import { saidWindow } from "svc/features/models/local/server_window.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Env } from "svc/platform/entrance.ts";

/** Models of one server that are asked about, each at one or two pages; all are listed. */
const ASKED_ABOUT = 24;

export interface FoundModel {
  readonly id: string;
  /** Tokens that the server gives it, as far as it says. */
  readonly contextWindow?: number;
  /** Whether the server says that it calls tools; undefined where it does not say. */
  readonly tools?: boolean;
}

export interface FoundServer {
  /** "ollama", "llama.cpp", …: by what it says of itself, else by its port. */
  readonly provider: string;
  readonly endpoint: string;
  readonly models: readonly FoundModel[];
}

/** Something answers there that is no model server, or one that cannot be used. */
interface Stranger {
  readonly endpoint: string;
  readonly why: string;
}

export interface FoundKey {
  readonly provider: string;
  readonly endpoint: string;
  readonly keyEnv: string;
}

export interface Surroundings {
  readonly servers: readonly FoundServer[];
  readonly strangers: readonly Stranger[];
  readonly keys: readonly FoundKey[];
}

interface LookPorts {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly env: Pick<Env, "get">;
  readonly signal: AbortSignal;
}

export const targetAt = (provider: string, endpoint: string): ModelTarget => ({
  provider,
  endpoint: endpointOf(endpoint, "the model endpoint").href,
  model: ANY_MODEL,
});

const PROVIDER_OF_KIND: Readonly<Record<string, string>> = {
  "llama.cpp": "llama.cpp",
  "llama-swap": "llama.cpp",
  ollama: "ollama",
  "lm-studio": "lm-studio",
};

async function about(
  server: ServerConnection,
  entry: ModelEntry,
): Promise<{ readonly kind: string | undefined; readonly model: FoundModel }> {
  const said = await saidWindow(server, entry, { stated: false });
  const stated = smaller(entryWindow(entry), said.running) ?? said.usual;
  return {
    kind: said.kind,
    model: {
      id: entry.id,
      ...(stated !== undefined && { contextWindow: stated }),
      ...(said.tools !== undefined && { tools: said.tools }),
    },
  };
}

/** Names that cannot be stored are passed over; so are models that do not chat. */
const isUsable = ({ id }: ModelEntry) => MODEL_NAME.test(id) && !/embed|rerank|whisper/i.test(id);

/** Undefined where nobody answers. @throws ModelFault `cancelled` */
async function lookAt(
  ports: LookPorts,
  { id, endpoint }: Registry["runtimes"][number],
): Promise<FoundServer | Stranger | undefined> {
  const { fetch, clock, signal } = ports;
  const target = targetAt(id, endpoint);
  const server: ServerConnection = { ports: { fetch, clock }, target, signal };
  try {
    const entries = await modelEntries(server);
    if (entries === undefined) return { endpoint, why: "it lists no models" };
    const usable = entries.filter(isUsable);
    const asked = await Promise.all(
      usable.slice(0, ASKED_ABOUT).map((entry) => about(server, entry)),
    );
    const kind = asked.find(({ kind }) => kind !== undefined)?.kind;
    const rest = usable.slice(ASKED_ABOUT).map(({ id }) => ({ id }));
    return {
      provider: PROVIDER_OF_KIND[kind ?? ""] ?? id,
      endpoint: target.endpoint,
      models: [...asked.map(({ model }) => model), ...rest],
    };
  } catch (thrown) {
    if (thrown instanceof ErrorResponse) {
      return { endpoint, why: `it answers ${thrown.status} to "/models"` };
    }
    if (!(thrown instanceof ModelFault) || thrown.kind === "cancelled") throw thrown;
    // Nothing listens there, as on most machines for most of these ports.
    if (thrown.kind === "unreachable") return undefined;
    return { endpoint, why: "it is no OpenAI-compatible server" };
  }
}

/** Providers whose key is set and may be read. The value is looked at here and kept nowhere. */
function keysIn(
  env: LookPorts["env"],
  { providers }: Registry,
  allowed: readonly string[],
): FoundKey[] {
  return providers
    .filter(({ api_key_env }) => allowed.includes(api_key_env) && env.get(api_key_env)?.trim())
    .map(({ id, endpoint, api_key_env }) => ({ provider: id, endpoint, keyEnv: api_key_env }));
}

/** Asks this machine alone; no key is sent. */
export async function lookAround(
  ports: LookPorts,
  registry: Registry,
  allowedKeyEnvs: readonly string[],
): Promise<Surroundings> {
  const found = (await Promise.all(registry.runtimes.map((runtime) => lookAt(ports, runtime))))
    .filter((each) => each !== undefined);
  return {
    servers: found.filter((each): each is FoundServer => "models" in each),
    strangers: found.filter((each): each is Stranger => "why" in each),
    keys: keysIn(ports.env, registry, allowedKeyEnvs),
  };
}

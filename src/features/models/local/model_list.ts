/** Asks a server which models it has, and reads what it says about one. */
import { MODEL_LIST_BYTES, MODEL_LIST_TIMEOUT_MS } from "svc/core/bounds.ts";
import { sha256 } from "svc/core/digest.ts";
import {
  exchange,
  EXCHANGE_LIMITS,
  type ExchangeLimits,
  type ExchangePorts,
  textOf,
} from "svc/features/models/client/exchange.ts";
import { ErrorResponse } from "svc/features/models/client/error_response.ts";
import { ANY_MODEL, modelFault, type ModelTarget } from "svc/features/models/client/faults.ts";

export type ModelEntry = Readonly<Record<string, unknown>> & { readonly id: string };

export interface ServerConnection {
  readonly ports: ExchangePorts;
  readonly target: ModelTarget;
  readonly key?: string | undefined;
  readonly signal: AbortSignal;
  readonly limits?: Partial<ExchangeLimits> | undefined;
}

const LIST_LIMITS: ExchangeLimits = {
  ...EXCHANGE_LIMITS,
  idleMs: MODEL_LIST_TIMEOUT_MS,
  totalMs: 2 * MODEL_LIST_TIMEOUT_MS,
  responseBytes: MODEL_LIST_BYTES,
};

/** @param sent makes it a POST. @throws ModelFault or ErrorResponse; `protocol` when the answer is no JSON */
export async function askJson(
  { ports, target, key, signal, limits }: ServerConnection,
  url: string,
  sent?: unknown,
): Promise<unknown> {
  const body = sent === undefined ? {} : { body: JSON.stringify(sent) };
  const asked = { target, url, key, accept: "application/json", ...body };
  await using answer = await exchange(ports, asked, { ...LIST_LIMITS, ...limits }, signal);
  const text = await textOf(answer);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw modelFault(target, "protocol", "it is no OpenAI-compatible server: it answers no JSON", {
      transient: false,
      pausesLane: true,
      cause,
    });
  }
}

/** What an answer to `GET /v1/models` lists; undefined where it is no list. */
export function listIn(answer: unknown): readonly unknown[] | undefined {
  // Together answers with a bare list.
  if (Array.isArray(answer)) return answer;
  const { object, data } = (answer ?? {}) as { readonly object?: unknown; readonly data?: unknown };
  if (Array.isArray(data)) return data;
  // Ollama before its first model is pulled (openai/openai.go: a nil slice).
  return object === "list" && data === null ? [] : undefined;
}

async function entriesAt(
  server: ServerConnection,
  query: string,
): Promise<ModelEntry[] | undefined> {
  const data = listIn(await askJson(server, `${server.target.endpoint}/models${query}`));
  return data?.filter((entry): entry is ModelEntry => {
    const id = (entry as { readonly id?: unknown } | null)?.id;
    return typeof id === "string" && id !== "";
  });
}

/** Anthropic lists twenty at a time unless asked for more, and never an alias such as "claude-haiku-4-5". */
async function anthropicEntries(server: ServerConnection): Promise<ModelEntry[] | undefined> {
  const { endpoint, model } = server.target;
  const listed = await entriesAt(server, "?limit=1000");
  if (listed === undefined || model === ANY_MODEL || entryOf(listed, model)) return listed;
  try {
    const url = `${endpoint}/models/${encodeURIComponent(model)}`;
    return [...listed, { ...await askJson(server, url) as object, id: model }];
  } catch (thrown) {
    if (thrown instanceof ErrorResponse && thrown.status === 404) return listed;
    throw thrown;
  }
}

/** Entries of `GET /v1/models`; undefined for an answer without a list. @throws ModelFault or ErrorResponse */
export function modelEntries(server: ServerConnection): Promise<ModelEntry[] | undefined> {
  return server.target.protocol === "messages" ? anthropicEntries(server) : entriesAt(server, "");
}

/** Finds a model under the names that servers give it: Ollama adds a tag, Gemini a prefix. */
export function entryOf(entries: readonly ModelEntry[], model: string): ModelEntry | undefined {
  const spellings = [model, `${model}:latest`, `models/${model}`];
  return spellings.map((id) => entries.find((entry) => entry.id === id)).find(Boolean);
}

/** The model that a server without a choice of the person's is asked for: loaded already, or the first that chats. */
export function usualEntry(entries: readonly ModelEntry[]): ModelEntry | undefined {
  const chats = entries.filter(({ id }) => !/embed|rerank/i.test(id));
  const loaded = ({ status }: ModelEntry) =>
    (status as { readonly value?: unknown } | undefined)?.value === "loaded"; // llama.cpp's router
  return chats.find(loaded) ?? chats[0] ?? entries[0];
}

/** Keys that stay the same as long as the model does; for most servers `created` is the current time. */
const LASTING = ["id", "owned_by", "root", "meta", "quantization"] as const;

export function fingerprintOf(entry: ModelEntry, window: number | undefined): Promise<string> {
  const lasting = LASTING.map((key) => entry[key] ?? null);
  // Ollama's `created` is the time when the model was pulled.
  const pulled = entry["owned_by"] === "library" ? entry["created"] ?? null : null;
  return sha256(new TextEncoder().encode(JSON.stringify([...lasting, pulled, window ?? null])));
}

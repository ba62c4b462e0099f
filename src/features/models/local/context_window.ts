/** How many tokens a model really reads: the smallest number that its server states. */
import { isLocal, type ModelTarget } from "svc/features/models/client/faults.ts";
import { ModelFault, type ModelRoute } from "svc/features/models/client/model.ts";
import { askJson, type ModelEntry, type ServerConnection } from "./model_list.ts";
import { ErrorResponse } from "svc/features/models/client/error_response.ts";

/** Tokens assumed for a local server that states no window: it would silently cut off more. */
const MODEL_WINDOW_LOCAL = 8_192;

/** Tokens assumed for a provider that states no window: one with less answers with an error. */
const MODEL_WINDOW_REMOTE = 128_000;

function tokens(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? value as number : undefined;
}

/** In order: vLLM, OpenRouter, Groq, Mistral, LM Studio, OpenRouter, llama.cpp (the last is as it was trained). */
export function entryWindow(entry: ModelEntry): number | undefined {
  const meta = (entry["meta"] ?? {}) as Record<string, unknown>;
  const top = (entry["top_provider"] ?? {}) as Record<string, unknown>;
  const stated = [
    entry["max_model_len"],
    entry["context_length"],
    entry["context_window"],
    entry["max_context_length"],
    entry["loaded_context_length"],
    top["context_length"],
    meta["n_ctx"],
    meta["n_ctx_train"],
  ].map(tokens).filter((window) => window !== undefined);
  return stated.length === 0 ? undefined : Math.min(...stated);
}

async function ask(server: ServerConnection, path: string): Promise<unknown> {
  try {
    return await askJson(server, `${new URL(server.target.endpoint).origin}${path}`);
  } catch (thrown) {
    const passedOver = thrown instanceof ErrorResponse ||
      (thrown instanceof ModelFault && thrown.kind !== "cancelled");
    if (passedOver) return undefined; // only some servers have this path; what `/v1/models` says stands
    throw thrown;
  }
}

/** Often less than the model's own: llama.cpp `/props` (tools/server/README), Ollama `/api/ps` (docs/api.md). */
export async function runningWindow(
  server: ServerConnection,
  entry: ModelEntry,
): Promise<number | undefined> {
  if (entry["owned_by"] === "llamacpp") {
    const props = await ask(server, "/props") as {
      readonly default_generation_settings?: { readonly n_ctx?: unknown };
    } | undefined;
    return tokens(props?.default_generation_settings?.n_ctx);
  }
  if (entry["owned_by"] === "library") {
    const loaded = await ask(server, "/api/ps") as { readonly models?: unknown } | undefined;
    const models = Array.isArray(loaded?.models) ? loaded.models : [];
    return tokens(models.find(({ name }) => name === entry.id)?.context_length);
  }
  return undefined;
}

export function smaller(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

export function usableWindow(
  route: ModelTarget & Pick<ModelRoute, "contextWindow">,
  probed: number | undefined | null,
): number {
  return smaller(route.contextWindow, probed ?? undefined) ??
    (isLocal(route) ? MODEL_WINDOW_LOCAL : MODEL_WINDOW_REMOTE);
}

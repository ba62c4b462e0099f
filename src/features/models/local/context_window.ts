/** How many tokens a model really reads: the smallest number that its server states. */
import { isLocal, type ModelTarget } from "svc/features/models/client/faults.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import type { ModelEntry } from "./model_list.ts";
import { tokens } from "./server_window.ts";

/** Tokens assumed for a person's own server that states no window: it would silently cut off more. */
const MODEL_WINDOW_OWN = 8_192;

/** Tokens assumed for a cloud that states no window: one with less answers with an error. */
const MODEL_WINDOW_CLOUD = 128_000;

/** In order: vLLM, OpenRouter, Groq, Mistral, LM Studio, Anthropic, OpenRouter, llama.cpp (the last is as it was trained). */
export function entryWindow(entry: ModelEntry): number | undefined {
  const meta = (entry["meta"] ?? {}) as Record<string, unknown>;
  const top = (entry["top_provider"] ?? {}) as Record<string, unknown>;
  const stated = [
    entry["max_model_len"],
    entry["context_length"],
    entry["context_window"],
    entry["max_context_length"],
    entry["loaded_context_length"],
    entry["max_input_tokens"],
    top["context_length"],
    meta["n_ctx"],
    meta["n_ctx_train"],
  ].map(tokens).filter((window) => window !== undefined);
  return stated.length === 0 ? undefined : Math.min(...stated);
}

export function smaller(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

/** Tokens where neither server nor person says a number. No cloud is reached over plain http. */
export function assumedWindow(target: ModelTarget): number {
  const own = isLocal(target) || target.endpoint.startsWith("http:");
  return own ? MODEL_WINDOW_OWN : MODEL_WINDOW_CLOUD;
}

/** @param usual what servers of that kind give a model, where this one does not say */
export function usableWindow(
  route: ModelTarget & Pick<ModelRoute, "contextWindow">,
  probed: number | undefined | null,
  usual: number = assumedWindow(route),
): number {
  return smaller(route.contextWindow, probed ?? undefined) ?? usual;
}

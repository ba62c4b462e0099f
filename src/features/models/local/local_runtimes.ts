/** Lists the models of a model server on this machine. Nothing that it says becomes a default. */
import { MODEL_LIST_BYTES, MODEL_LIST_TIMEOUT_MS } from "svc/core/bounds.ts";
import { boundedText } from "svc/core/bounded_text.ts";
import { causesOf, connectionFault } from "svc/core/connection_faults.ts";
import { Failure } from "svc/core/failure.ts";
import { endpointOf } from "svc/features/models/client/endpoint.ts";
import { entryWindow } from "./context_window.ts";
import { listIn } from "./model_list.ts";
import type { Registry, RuntimeId } from "svc/features/models/choose/registry.ts";

export const MODELS_LISTED = 500;

interface ServedModel {
  readonly id: string;
  readonly owned_by?: string;
  /** Tokens, where the list says so; a loaded model may run with fewer. */
  readonly context_window?: number;
}

interface ServedModels {
  readonly endpoint: string;
  readonly models: readonly ServedModel[];
  readonly more: number;
}

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null;

function served(entry: unknown): ServedModel[] {
  if (!isJson(entry) || typeof entry.id !== "string" || entry.id === "") return [];
  const { id, owned_by } = entry;
  const window = entryWindow({ ...entry, id });
  return [{
    id: id.slice(0, 300),
    ...(typeof owned_by === "string" && { owned_by: owned_by.slice(0, 100) }),
    ...(window !== undefined && { context_window: window }),
  }];
}

/** @throws Failure `usage` for an endpoint that is no literal loopback address, `environment` without an answer */
export async function listServed(
  ports: { readonly fetch: typeof fetch; readonly signal: AbortSignal },
  asked: { readonly runtime: RuntimeId; readonly endpoint?: string | undefined },
  { runtimes }: Pick<Registry, "runtimes">,
): Promise<ServedModels> {
  const runtime = runtimes.find(({ id }) => id === asked.runtime)!;
  const { href, loopback } = endpointOf(asked.endpoint ?? runtime.endpoint, "--endpoint");
  if (!loopback) {
    throw new Failure("usage", "Cannot list models: --endpoint is not on this machine", {
      remedy: `Give a literal loopback address such as ${runtime.endpoint}`,
    });
  }
  const start = `Start it: ${runtime.start}; or name its address with --endpoint`;
  const nobody = (why: string, cause: unknown, remedy = start) =>
    new Failure("environment", `Cannot list the models of ${runtime.id} at "${href}": ${why}`, {
      ...{ cause, remedy },
    });
  const timeout = AbortSignal.timeout(MODEL_LIST_TIMEOUT_MS);
  const signal = AbortSignal.any([ports.signal, timeout]);
  let text: string | undefined;
  try {
    const response = await ports.fetch(`${href}/models`, { signal, redirect: "manual" });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw nobody(`it answered with status ${response.status}`, undefined);
    }
    text = await boundedText(response, MODEL_LIST_BYTES, signal);
  } catch (thrown) {
    if (thrown instanceof Failure) throw thrown;
    if (ports.signal.aborted) throw ports.signal.reason;
    const late = `nothing came for ${MODEL_LIST_TIMEOUT_MS} ms`;
    if (timeout.aborted) throw nobody(late, thrown);
    const fault = connectionFault(causesOf(thrown));
    throw nobody(fault?.why ?? "nobody answers there", thrown, fault?.remedy);
  }
  let data: readonly unknown[] | undefined;
  try {
    data = listIn(JSON.parse(text ?? ""));
  } catch (thrown) {
    throw nobody("what answers there is no model server", thrown);
  }
  if (data === undefined) throw nobody("what answers there is no model server", undefined);
  const models = data.flatMap(served);
  return {
    endpoint: href,
    models: models.slice(0, MODELS_LISTED),
    more: Math.max(0, models.length - MODELS_LISTED),
  };
}

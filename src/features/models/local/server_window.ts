/** What a server says of a model's window beside its list of models: each kind of server has a page of its own for it. */
import type { ModelTarget } from "svc/features/models/client/faults.ts";
import { ErrorResponse } from "svc/features/models/client/error_response.ts";
import { ModelFault } from "svc/features/models/client/model.ts";
import { askJson, type ModelEntry, type ServerConnection } from "./model_list.ts";

/** Windows in tokens. */
export interface SaidWindow {
  readonly kind: ServerKind | undefined;
  /** What the server reads as it runs now; of some known only once the model is loaded. */
  readonly running?: number | undefined;
  /** What the model was made for, and so the most that it can be given. */
  readonly trained?: number | undefined;
  /** What this kind of server gives a model unless told otherwise. */
  readonly usual?: number | undefined;
  /** Whether it says that the model calls tools. */
  readonly tools?: boolean | undefined;
}

type Said = Omit<SaidWindow, "kind">;
type Json = Readonly<Record<string, unknown>>;

interface KindOfServer {
  /** Undefined when the server has no such page: it is of another kind. */
  ask(server: ServerConnection, entry: ModelEntry): Promise<Said | undefined>;
  /** How a person gives the model more. */
  more(model: string): string;
}

export function tokens(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? value as number : undefined;
}

function jsonOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? value as Json : {};
}

const listOf = (value: unknown): readonly Json[] => Array.isArray(value) ? value.map(jsonOf) : [];

/** Without its `/v1`: servers behind a path of a gateway have their own pages below that path. */
function rootOf({ endpoint }: ModelTarget): string {
  return endpoint.endsWith("/v1") ? endpoint.slice(0, -3) : new URL(endpoint).origin;
}

/** Only some servers have a page: what the list of models says stands where this one does not answer. */
async function page(server: ServerConnection, path: string, body?: Json): Promise<Json> {
  try {
    return jsonOf(await askJson(server, `${rootOf(server.target)}${path}`, body));
  } catch (thrown) {
    const passedOver = thrown instanceof ErrorResponse ||
      (thrown instanceof ModelFault && thrown.kind !== "cancelled");
    if (passedOver) return {};
    throw thrown;
  }
}

/** `n_ctx` is what one slot has, less than `-c` where slots share it (tools/server/README.md, GET /props). */
function slotOf(props: Json): number | undefined {
  return tokens(jsonOf(props["default_generation_settings"])["n_ctx"]);
}

/** `chat_template_caps` (common/jinja/caps.h): a template without tools drops them without a word. */
function templateTools(props: Json): boolean | undefined {
  const { supports_tools, supports_tool_calls } = jsonOf(props["chat_template_caps"]);
  if (typeof supports_tools !== "boolean") return undefined;
  return supports_tools && supports_tool_calls !== false;
}

/** A router starts its models on demand, and says of itself alone `n_ctx: 0` (tools/server/server-models.cpp). */
async function ofLlamaCpp(
  server: ServerConnection,
  entry: ModelEntry,
): Promise<Said | undefined> {
  const routed = entry["status"] !== undefined;
  const query = routed ? `?model=${encodeURIComponent(entry.id)}&autoload=false` : "";
  const props = await page(server, `/props${query}`);
  const running = slotOf(props);
  if (running === undefined && !routed) return undefined;
  const trained = tokens(jsonOf(entry["meta"])["n_ctx_train"]);
  return { running, trained, tools: templateTools(props) };
}

/** Passed on to the server of that model, which starts for it (llama-swap README, /upstream/:model_id). */
async function ofLlamaSwap(server: ServerConnection, { id }: ModelEntry): Promise<Said> {
  const path = id.split("/").map(encodeURIComponent).join("/");
  return { running: slotOf(await page(server, `/upstream/${path}/props`)) };
}

/** Before it learned to choose by the memory of the machine (docs/context-length), and on a small one. */
const OLLAMA_USUAL = 4_096;

function listedTools(capabilities: unknown, name: string): boolean | undefined {
  return Array.isArray(capabilities) ? capabilities.includes(name) : undefined;
}

/** The window that runs stands in `/api/ps`, what it will be in the Modelfile's `num_ctx` (docs/api.md). */
async function ofOllama(server: ServerConnection, { id }: ModelEntry): Promise<Said | undefined> {
  const loaded = await page(server, "/api/ps");
  if (!Array.isArray(loaded["models"])) return undefined;
  const shown = await page(server, "/api/show", { model: id });
  const [, trained] = Object.entries(jsonOf(shown["model_info"]))
    .find(([key]) => key.endsWith(".context_length")) ?? [];
  const model = listOf(loaded["models"]).find(({ name, model }) => name === id || model === id);
  const written = /^num_ctx\s+(\d+)\s*$/m.exec(String(shown["parameters"] ?? ""))?.[1];
  // A model that ollama.com runs has all of its window (docs/context-length).
  const remote = shown["remote_host"] !== undefined ? tokens(trained) : undefined;
  const running = tokens(model?.["context_length"]) ?? tokens(Number(written)) ?? remote;
  return {
    running,
    trained: tokens(trained),
    usual: OLLAMA_USUAL,
    tools: listedTools(shown["capabilities"], "tools"),
  };
}

/** What a model is loaded with unless a person chose otherwise. */
const LM_STUDIO_USUAL = 4_096;

function trainedForTools({ capabilities }: Json): boolean | undefined {
  const { trained_for_tool_use: trained } = jsonOf(capabilities);
  return typeof trained === "boolean" ? trained : undefined;
}

/** From 0.4 on (docs/developer/rest/list): a model may be loaded several times, and asked for by either name. */
function inLibrary(library: readonly Json[], id: string): Said | undefined {
  const instances = ({ loaded_instances }: Json) => listOf(loaded_instances);
  const named = (model: Json) => instances(model).filter((instance) => instance["id"] === id);
  const model = library.find((each) => each["key"] === id || named(each).length > 0) ??
    library.find(({ key }) => id.startsWith(`${key}@`));
  if (model === undefined) return undefined;
  const asked = named(model).length > 0 ? named(model) : instances(model);
  const loaded = asked.map(({ config }) => tokens(jsonOf(config)["context_length"]))
    .filter((window) => window !== undefined);
  return {
    running: loaded.length === 0 ? undefined : Math.min(...loaded),
    trained: tokens(model["max_context_length"]),
    tools: trainedForTools(model),
  };
}

/** Answers a path that it does not have with 200 and an error in words (lmstudio-bug-tracker#1323). */
async function ofLmStudio(server: ServerConnection, { id }: ModelEntry): Promise<Said> {
  const known = inLibrary(listOf((await page(server, "/api/v1/models"))["models"]), id);
  if (known !== undefined) return { ...known, usual: LM_STUDIO_USUAL };
  // Before 0.4 (docs/developer/rest/endpoints).
  const { data } = await page(server, "/api/v0/models");
  const model = listOf(data).find((each) => each["id"] === id);
  return {
    running: tokens(model?.["loaded_context_length"]),
    trained: tokens(model?.["max_context_length"]),
    usual: LM_STUDIO_USUAL,
    tools: listedTools(model?.["capabilities"], "tool_use"),
  };
}

/** Its list says `max_model_len`, in older versions only this page; `/get_model_info` has no window (http_server.py). */
async function ofSglang(server: ServerConnection, entry: ModelEntry): Promise<Said> {
  if (tokens(entry["max_model_len"]) !== undefined) return {};
  const info = await page(server, "/get_server_info");
  const stated = [info["context_length"], info["max_req_input_len"]].map(tokens)
    .filter((window) => window !== undefined);
  return { running: stated.length === 0 ? undefined : Math.min(...stated) };
}

/** Bounds the prompt alone too (router/src/lib.rs, `Info`). */
async function ofTgi(server: ServerConnection): Promise<Said | undefined> {
  const info = await page(server, "/info");
  const stated = [info["max_total_tokens"], info["max_input_tokens"], info["max_input_length"]]
    .map(tokens).filter((window) => window !== undefined);
  return stated.length === 0 ? undefined : { running: Math.min(...stated) };
}

const KINDS = {
  "llama.cpp": { ask: ofLlamaCpp, more: () => "start llama-server with -c 65536" },
  "llama-swap": { ask: ofLlamaSwap, more: () => "start its llama-server with -c 65536" },
  ollama: { ask: ofOllama, more: () => "OLLAMA_CONTEXT_LENGTH=65536 ollama serve" },
  "lm-studio": { ask: ofLmStudio, more: (model) => `lms load ${model} --context-length 65536` },
  sglang: { ask: ofSglang, more: () => "start it with --context-length 65536" },
  tgi: { ask: ofTgi, more: () => "start it with --max-total-tokens 65536" },
} as const satisfies Readonly<Record<string, KindOfServer>>;
export type ServerKind = keyof typeof KINDS;

/** What these servers write as the owner of each model that they list. */
const OWNERS: Readonly<Record<string, ServerKind>> = {
  llamacpp: "llama.cpp", // tools/server/server-context.cpp
  "llama-swap": "llama-swap", // proxy/proxymanager.go
  library: "ollama", // openai/openai.go: the model's namespace, "library" for Ollama's own
  organization_owner: "lm-studio",
  sglang: "sglang", // entrypoints/openai/protocol.py
};

/** Pages that tell a kind of server apart: of models from elsewhere, and where no models are listed. */
const GUESSED: readonly ServerKind[] = ["ollama", "llama.cpp", "tgi"];

/** svc's own test server. */
export const FIXTURE_OWNER = "svc-fixture";

function kindsOf({ endpoint }: ModelTarget, entry: ModelEntry, stated: boolean) {
  const owner = entry["owned_by"];
  if (owner === entry.id) return ["tgi"] as const; // TGI: router/src/server.rs
  if (typeof owner === "string" && Object.hasOwn(OWNERS, owner)) return [OWNERS[owner]!];
  // No cloud is reached over plain http, so none is asked for pages that it may not have.
  return stated || owner === FIXTURE_OWNER || !endpoint.startsWith("http:") ? [] : GUESSED;
}

/**
 * Asks only the model's own origin.
 * @param stated whether the list of models says the window: then an unknown server is asked nothing
 * @throws ModelFault `cancelled`
 */
export async function saidWindow(
  server: ServerConnection,
  entry: ModelEntry,
  { stated, kind: known }: {
    readonly stated: boolean;
    readonly kind?: ServerKind | undefined;
  },
): Promise<SaidWindow> {
  const kinds = known === undefined ? kindsOf(server.target, entry, stated) : [known];
  for (const kind of kinds) {
    const said = await KINDS[kind].ask(server, entry);
    if (said !== undefined) return { kind, ...said };
  }
  return { kind: undefined };
}

/** Tokens below which a coding agent has little room beside its prompt. */
const SMALL_WINDOW = 32_768;

/** How a person gives the model more of the window that it was made for; undefined where it has enough. */
export function roomToGain(
  { endpoint, model }: ModelTarget,
  { kind, running, trained }: SaidWindow,
): string | undefined {
  if (kind === undefined || running === undefined || trained === undefined) return undefined;
  if (running >= SMALL_WINDOW || trained < 2 * running) return undefined;
  return `"${endpoint}" runs "${model}" with ${running} of its ${trained} tokens; for more: ${
    KINDS[kind].more(model)
  }`;
}

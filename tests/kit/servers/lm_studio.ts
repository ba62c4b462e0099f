/** LM Studio: its OpenAI endpoint, and its own list of models, which alone states the window. */
import { badArguments, roleFault } from "./chat_rules.ts";
import { chatProtocol, type ChatStyle, plainUsage, sse } from "./chat_style.ts";
import type { Asked, Rule, ZooServer, ZooSizes } from "./zoo.ts";

const MODEL = "qwen/qwen3-coder-30b";

/** Errors of a stream come as an event, with status 200 (lmstudio-bug-tracker issue 2322, goose issue 11318). */
function inStream(message: string): Response {
  const event = `event: error\n${sse({ error: { message }, message })}`;
  return new Response(event, { headers: { "content-type": "text/event-stream" } });
}

/** A request that cannot be begun, or is not streamed, is refused with a status (openclaude issue 353). */
const bad = (message: string) => Response.json({ error: message }, { status: 400 });

const json: Rule = ({ body }) =>
  body === undefined ? bad("'messages' field is required") : undefined;

const known: Rule = ({ body }) => {
  if (body.model === MODEL) return;
  const message = `Invalid model identifier "${body.model}".`;
  const error = { message, type: "invalid_request", param: "model", code: "model_not_found" };
  return Response.json({ error }, { status: 404 });
};

/** Its template engine is a JavaScript one (lmstudio-bug-tracker issue 842). */
const template: Rule = ({ body }) => {
  const why = roleFault(body.messages) ??
    (badArguments(body.messages) &&
      "Cannot call something that is not a function: got UndefinedValue");
  return why === undefined
    ? undefined
    : inStream(`Error rendering prompt with jinja template: "${why}".`);
};

const STYLE: ChatStyle = {
  replyId: (turn) => `chatcmpl-${String(turn).padStart(22, "x")}`,
  // Nine digits (docs, openai-compat/tools).
  callId: (turn, index) => String(100_000_000 + turn * 10 + index),
  opening: undefined,
  // A switch of the app's developer settings for most models (API changelog 0.3.9).
  reasoning: "reasoning_content",
  calls: "pieces",
  usage: "asked",
  usageOf: plainUsage,
  fields: { system_fingerprint: MODEL },
};

function overflow(window: number) {
  return (_: Asked, tokens: number) =>
    inStream(
      `Input does not fit in context length. The input has ${tokens} tokens, but the context length only ` +
        `supports ${window} tokens.`,
    );
}

const TRAINED = 262_144;

/** `GET /api/v1/models` (docs, rest/list): the window of each loaded instance. */
function nativeList(stated: number) {
  return () =>
    Response.json({
      models: [{
        type: "llm",
        publisher: "qwen",
        key: MODEL,
        display_name: "Qwen3 Coder 30B",
        architecture: "qwen3_moe",
        quantization: { name: "Q4_K_M", bits_per_weight: 4 },
        size_bytes: 18_631_000_000,
        params_string: "30B",
        loaded_instances: [{ id: MODEL, config: { context_length: stated } }],
        max_context_length: TRAINED,
        format: "gguf",
        capabilities: { vision: false, trained_for_tool_use: true },
        description: null,
      }, {
        type: "embedding",
        publisher: "nomic-ai",
        key: "text-embedding-nomic-embed-text-v1.5",
        display_name: "Nomic Embed Text v1.5",
        quantization: { name: "F16", bits_per_weight: 16 },
        size_bytes: 274_290_560,
        params_string: null,
        loaded_instances: [],
        max_context_length: 2_048,
        format: "gguf",
      }],
    });
}

/** `GET /api/v0/models` (docs, rest/endpoints), the only one before 0.4.0. */
function oldList(stated: number) {
  return () =>
    Response.json({
      object: "list",
      data: [{
        id: MODEL,
        object: "model",
        type: "llm",
        publisher: "qwen",
        arch: "qwen3_moe",
        compatibility_type: "gguf",
        quantization: "Q4_K_M",
        state: "loaded",
        max_context_length: TRAINED,
        loaded_context_length: stated,
        capabilities: ["tool_use"],
      }],
    });
}

export function lmStudio(options: { readonly v1: boolean } & ZooSizes): ZooServer {
  const { window = 32_768, stated = window } = options;
  const entry = (id: string) => ({ id, object: "model", owned_by: "organization_owner" });
  return {
    name: options.v1 ? "LM Studio" : "LM Studio before 0.4",
    sources: [
      "docs: developer/rest/list, developer/openai-compat/tools, developer/api-changelog",
      "lmstudio-bug-tracker issues 842, 1323, 2322",
      "goose issue 11318",
    ],
    model: MODEL,
    window,
    base: "/v1",
    protocol: chatProtocol(STYLE, {
      target: "/v1/chat/completions",
      rules: [json, known, template],
      overflow: overflow(window),
    }),
    routes: {
      "GET /v1/models": () =>
        Response.json({
          object: "list",
          data: [entry(MODEL), entry("text-embedding-nomic-embed-text-v1.5")],
        }),
      // Newer apps have both; each must do alone.
      ...(options.v1
        ? { "GET /api/v1/models": nativeList(stated) }
        : { "GET /api/v0/models": oldList(stated) }),
    },
    // "Returning 200 anyway", says its log (lmstudio-bug-tracker issue 1323).
    notFound: ({ method, target }) =>
      Response.json({ error: `Unexpected endpoint or method. (${method} ${target})` }),
  };
}

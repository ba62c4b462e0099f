/** llama.cpp's `llama-server`, with and without `--jinja`. */
import { badArguments, roleFault, severalCalls } from "./chat_rules.ts";
import { cachedUsage, chatProtocol, type ChatStyle } from "./chat_style.ts";
import type { Asked, Rule, ZooServer, ZooSizes } from "./zoo.ts";

const MODEL = "qwen3-coder-30b-a3b-q4_k_m.gguf";

/** `format_error_response` in tools/server/server-common.cpp. */
function error(code: number, type: string, message: string, more = {}): Response {
  return Response.json({ error: { code, message, type, ...more } }, { status: code });
}

/** The body is parsed whatever its type is called; nlohmann::json's message follows. */
const body: Rule = ({ body }) => {
  if (body !== undefined) return;
  return error(
    500,
    "server_error",
    "[json.exception.parse_error.101] parse error at line 1, column 1",
  );
};

/** `oaicompat_chat_params_parse` in tools/server/server-common.cpp; LLMKube issue 126. */
const noJinja: Rule = ({ body }) => {
  if (body.tools?.length) return error(500, "server_error", "tools param requires --jinja flag");
  if ((body.tool_choice ?? "auto") === "auto") return;
  return error(500, "server_error", "tool_choice param requires --jinja flag");
};

/** Arguments of earlier calls are parsed for the chat template (common/chat.cpp, `func_args_not_string`). */
const argumentsParse: Rule = ({ body }) => {
  const bad = badArguments(body.messages);
  return bad && error(
    500,
    "server_error",
    `Failed to parse tool call arguments as JSON: ${bad.text}`,
  );
};

const raised = (why: string | undefined) =>
  why === undefined ? undefined : error(500, "server_error", why);

/** What Mistral's and Command-R's templates raise (llama.cpp issue 19851). */
const roles: Rule = ({ body }) => raised(roleFault(body.messages));

const oneCall: Rule = ({ body }) => raised(severalCalls(body.messages));

const STYLE: ChatStyle = {
  replyId: (turn) => `chatcmpl-${String(turn).padStart(32, "0")}`,
  callId: (turn, index) => `${turn}x${index}`.padStart(32, "Q"),
  opening: { role: "assistant", content: null },
  reasoning: "reasoning_content",
  calls: "pieces",
  usage: "asked",
  usageOf: cachedUsage,
  fields: { system_fingerprint: "b8000-0000000" },
};

/** When the cache runs full (issue 19774). */
const full = () => error(500, "server_error", "Context size has been exceeded.");

function overflow(window: number) {
  return (_: Asked, tokens: number) =>
    error(
      400,
      "exceed_context_size_error",
      `request (${tokens} tokens) exceeds the available context size (${window} tokens), try increasing it`,
      { n_prompt_tokens: tokens, n_ctx: window },
    );
}

interface LlamaCppOptions extends ZooSizes {
  readonly jinja: boolean;
  /** Started without a model: it loads one when a request names it (README, "Using multiple models"). */
  readonly router?: boolean;
  /** Its requests share one cache (`--kv-unified`): what is stated is not there when others are at work. */
  readonly shared?: boolean;
  /** Its model has the template of Llama 3.1. */
  readonly llama?: boolean;
}

const OTHER = "ggml-org/gemma-3-4b-it-GGUF:Q4_K_M";

/** A router says of a model how it runs only once it is loaded, and of itself no window. */
function routed(stated: number) {
  const status = (value: string) => ({ value, args: ["llama-server", "-ctx", String(stated)] });
  const entry = (id: string, value: string, meta?: object) => ({
    id,
    object: "model",
    created: 1_700_000_000,
    owned_by: "llamacpp",
    tags: ["local"],
    status: status(value),
    ...(meta && { meta }),
  });
  return {
    "GET /v1/models": ({ answered }: Asked) => {
      const loaded = answered > 0;
      return Response.json({
        object: "list",
        data: [
          entry(MODEL, loaded ? "loaded" : "unloaded", loaded ? META : undefined),
          entry(OTHER, "unloaded"),
        ],
      });
    },
    "GET /props": ({ target }: Asked) => {
      const model = new URL(target, "http://router").searchParams.get("model");
      return Response.json(
        model === MODEL
          ? props(stated)
          : { role: "router", max_instances: 4, models_autoload: true },
      );
    },
  };
}

const META = { vocab_type: 2, n_vocab: 151_936, n_ctx_train: 262_144, n_embd: 2_048 };

const props = (stated: number) => ({
  default_generation_settings: { n_ctx: stated, params: {} },
  total_slots: 1,
  model_path: `/models/${MODEL}`,
  chat_template: "{{ messages }}",
});

function single(stated: number) {
  const entry = { id: MODEL, object: "model", created: 1_700_000_000, owned_by: "llamacpp" };
  return {
    "GET /v1/models": () => Response.json({ object: "list", data: [{ ...entry, meta: META }] }),
    "GET /props": () => Response.json(props(stated)),
  };
}

export function llamaCpp(options: LlamaCppOptions): ZooServer {
  const { window = 65_536, stated = window, router, shared, llama, jinja } = options;
  const how = [
    router && " as a router",
    shared && " with a shared cache",
    llama && " with Llama 3.1",
    !jinja && " without --jinja",
  ];
  return {
    name: `llama.cpp${how.filter(Boolean).join("")}`,
    sources: [
      "tools/server/README.md",
      "tools/server/server-common.cpp",
      "tools/server/server-http.cpp",
      "issues 19774, 19851",
    ],
    model: MODEL,
    window,
    base: "/v1",
    protocol: chatProtocol(STYLE, {
      target: "/v1/chat/completions",
      rules: [
        body,
        ...(jinja ? [] : [noJinja]),
        argumentsParse,
        roles,
        ...(llama ? [oneCall] : []),
      ],
      overflow: shared ? full : overflow(window),
    }),
    routes: {
      ...(router ? routed(stated) : single(stated)),
      "GET /health": () => Response.json({ status: "ok" }),
    },
    notFound: () => error(404, "not_found_error", "File Not Found"),
  };
}

/** llama.cpp's `llama-server`, with and without `--jinja`. */
import { badArguments, roleFault } from "./chat_rules.ts";
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
const jinja: Rule = ({ body }) => {
  if (!body.tools?.length) return;
  return error(500, "server_error", "tools param requires --jinja flag");
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

/** What Mistral's and Command-R's templates raise (llama.cpp issue 19851). */
const roles: Rule = ({ body }) => {
  const why = roleFault(body.messages);
  return why === undefined ? undefined : error(500, "server_error", why);
};

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

function overflow(window: number) {
  return (_: Asked, tokens: number) =>
    error(
      400,
      "exceed_context_size_error",
      `request (${tokens} tokens) exceeds the available context size (${window} tokens), try increasing it`,
      { n_prompt_tokens: tokens, n_ctx: window },
    );
}

export function llamaCpp(options: { readonly jinja: boolean } & ZooSizes): ZooServer {
  const { window = 65_536, stated = window } = options;
  const entry = {
    id: MODEL,
    object: "model",
    created: 1_700_000_000,
    owned_by: "llamacpp",
    meta: { vocab_type: 2, n_vocab: 151_936, n_ctx_train: 262_144, n_embd: 2_048 },
  };
  return {
    name: options.jinja ? "llama.cpp" : "llama.cpp without --jinja",
    sources: ["tools/server/README.md", "tools/server/server-common.cpp"],
    model: MODEL,
    window,
    base: "/v1",
    protocol: chatProtocol(STYLE, {
      target: "/v1/chat/completions",
      rules: [body, ...(options.jinja ? [] : [jinja]), argumentsParse, roles],
      overflow: overflow(window),
    }),
    routes: {
      "GET /v1/models": () => Response.json({ object: "list", data: [entry] }),
      "GET /props": () => Response.json({ default_generation_settings: { n_ctx: stated } }),
      "GET /health": () => Response.json({ status: "ok" }),
    },
    notFound: () => error(404, "not_found_error", "File Not Found"),
  };
}

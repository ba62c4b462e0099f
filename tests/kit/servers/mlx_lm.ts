/** Apple's mlx_lm.server: Python's http.server, which routes on the raw target, and a reply of 512 tokens unless asked. */
import { badArguments, roleFault } from "./chat_rules.ts";
import { cachedUsage, chatProtocol, type ChatStyle } from "./chat_style.ts";
import type { Rule, ZooServer } from "./zoo.ts";

const MODEL = "mlx-community/Qwen3-Coder-30B-A3B-Instruct-4bit";

/** Tokens of a reply: the default of `--max-tokens` (SERVER.md). */
const DEFAULT_REPLY = 512;

/** What fails in loading or in the template is answered with 404 (`handle_completion`, server.py). */
const failed = (message: string) => Response.json({ error: message }, { status: 404 });

const json: Rule = ({ body }) =>
  body === undefined
    ? Response.json({ error: "Invalid JSON in request body: Expecting value" }, { status: 400 })
    : undefined;

/** Another name is looked up on Hugging Face (`ModelProvider.load`). */
const known: Rule = ({ body }) =>
  [MODEL, "default_model"].includes(body.model)
    ? undefined
    : failed(`404 Client Error. Repository Not Found for ${body.model}`);

/** `process_message_content` in server.py parses the arguments for the template. */
const argumentsParse: Rule = ({ body }) =>
  badArguments(body.messages) && failed("Expecting value: line 1 column 1 (char 0)");

/** The template's exception (mlx-lm issue 365). */
const roles: Rule = ({ body }) => {
  const why = roleFault(body.messages);
  return why === undefined ? undefined : failed(why);
};

const STYLE: ChatStyle = {
  replyId: (turn) => `chatcmpl-00000000-0000-4000-8000-${String(turn).padStart(12, "0")}`,
  callId: (turn, index) => `00000000-0000-4000-9000-${String(turn * 10 + index).padStart(12, "0")}`,
  opening: undefined,
  reasoning: "reasoning",
  calls: "whole",
  usage: "asked",
  usageOf: cachedUsage,
  fields: { system_fingerprint: "0.30.0-0.30.0-macOS-arm64" },
  // `generate_response` writes every field in every event.
  deltaFields: { role: "assistant", content: "", reasoning: "", tool_calls: [] },
};

/** It states no window and refuses no prompt: a longer one costs memory until the machine has none left. */
export function mlxLm(): ZooServer {
  const entry = { id: MODEL, object: "model", created: 1_700_000_000 };
  return {
    name: "mlx_lm.server",
    sources: ["mlx_lm/server.py", "mlx_lm/SERVER.md", "mlx-lm issue 365"],
    model: MODEL,
    window: Infinity,
    base: "/v1",
    protocol: chatProtocol(STYLE, {
      target: "/v1/chat/completions",
      rules: [json, known, argumentsParse, roles],
      overflow: () => undefined,
      defaultLimit: DEFAULT_REPLY,
    }),
    routes: {
      "GET /v1/models": () => Response.json({ object: "list", data: [entry] }),
      "GET /health": () => Response.json({ status: "ok" }),
    },
    notFound: () =>
      new Response("Not Found", { status: 404, headers: { "content-type": "application/json" } }),
  };
}

/** vLLM's OpenAI server, with and without `--enable-auto-tool-choice`. */
import { badArguments, isJsonBody, roleFault } from "./chat_rules.ts";
import { chatProtocol, type ChatStyle, plainUsage, readChat } from "./chat_style.ts";
import type { Asked, Rule, ZooServer, ZooSizes } from "./zoo.ts";
import { promptTokens } from "./zoo_model.ts";

const MODEL = "Qwen/Qwen3-Coder-30B-A3B-Instruct";

/** `ErrorResponse` in vllm/entrypoints/serve/engine/protocol.py. */
function error(code: number, type: string, message: string, param: string | null = null) {
  return Response.json({ error: { message, type, param, code } }, { status: code });
}

const bad = (message: string, param?: string) => error(400, "BadRequestError", message, param);

/** `validate_json_request`, which every POST passes. */
const json: Rule = ({ headers, body }) => {
  if (!isJsonBody(headers)) {
    return bad("Unsupported Media Type: Only 'application/json' is allowed");
  }
  if (body === undefined) return bad("JSON decode error", "body");
};

/** Pydantic checks the types of `ChatCompletionRequest` (chat_completion/protocol.py). */
const types: Rule = ({ body }) => {
  const integers = ["max_tokens", "max_completion_tokens", "n", "seed", "top_k"];
  const wrong = integers.find((field) => field in body && !Number.isSafeInteger(body[field]));
  if (wrong !== undefined) return bad(`Input should be a valid integer`, wrong);
  const numbers = ["temperature", "top_p", "min_p", "repetition_penalty"];
  const text = numbers.find((field) => field in body && typeof body[field] !== "number");
  if (text !== undefined) return bad("Input should be a valid number", text);
};

/** `check_tool_usage` in chat_completion/protocol.py. */
const toolUsage: Rule = ({ body }) => {
  if (Array.isArray(body.tools) && body.tools.length === 0) {
    return bad("`tools` must not be an empty array.", "tools");
  }
  if (body.tool_choice && body.tool_choice !== "none" && !body.tools) {
    return bad("When using `tool_choice`, `tools` must be set.", "tool_choice");
  }
};

/** Without the flags only `tool_choice: "required"` and named tools work: those are decoded by a grammar. */
const autoChoice: Rule = ({ body }) => {
  if (!body.tools || (body.tool_choice ?? "auto") !== "auto") return;
  return bad(
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  );
};

const known: Rule = ({ body }) =>
  body.model === MODEL
    ? undefined
    : error(404, "NotFoundError", `The model \`${body.model}\` does not exist.`, "model");

/** Arguments of earlier calls are parsed for the template (`_postprocess_messages`, chat_utils.py). */
const argumentsParse: Rule = ({ body }) => {
  const fault = badArguments(body.messages);
  return fault && bad(`Expecting value in tool call arguments: ${fault.text}`);
};

/** The template's own exception, as of Mistral's and Command-R's. */
const roles: Rule = ({ body }) => {
  const why = roleFault(body.messages);
  return why === undefined ? undefined : bad(why);
};

const asksFor = ({ body }: Asked): number => body.max_completion_tokens ?? body.max_tokens ?? 0;

/** A reply must have room beside the prompt (renderers/params.py, `TokenizeParams`). */
function room(window: number): Rule {
  return (asked) => {
    const prompt = promptTokens(readChat(asked));
    const reply = asksFor(asked);
    if (prompt > window || prompt + reply <= window) return;
    return bad(
      `'max_tokens' or 'max_completion_tokens' is too large: ${reply}. This model's maximum context length is ` +
        `${window} tokens and your request has ${prompt} input tokens (${reply} > ${window} - ${prompt}).`,
      "max_tokens",
    );
  };
}

function overflow(window: number) {
  return (_: Asked, tokens: number) =>
    bad(
      `This model's maximum context length is ${window} tokens. However, your request has ${tokens} input ` +
        "tokens. Please reduce the length of the input messages.",
      "input_tokens",
    );
}

const STYLE: ChatStyle = {
  replyId: (turn) => `chatcmpl-${String(turn).padStart(32, "0")}`,
  callId: (turn, index) => `chatcmpl-tool-${String(turn * 10 + index).padStart(32, "0")}`,
  opening: { role: "assistant", content: "" },
  // `reasoning_content` in older releases.
  reasoning: "reasoning",
  calls: "pieces",
  usage: "asked",
  // Cached tokens only with --enable-prompt-tokens-details.
  usageOf: (usage) => ({ ...plainUsage(usage), prompt_tokens_details: null }),
};

export function vllm(options: { readonly autoToolChoice: boolean } & ZooSizes): ZooServer {
  const { window = 65_536, stated = window } = options;
  const entry = {
    id: MODEL,
    object: "model",
    created: 1_700_000_000,
    owned_by: "vllm",
    root: MODEL,
    parent: null,
    max_model_len: stated,
    permission: [],
  };
  const flags = options.autoToolChoice ? [] : [autoChoice];
  return {
    name: options.autoToolChoice ? "vLLM" : "vLLM without --enable-auto-tool-choice",
    sources: [
      "vllm/entrypoints/openai/chat_completion/protocol.py",
      "vllm/entrypoints/chat_utils.py",
      "docs/features/tool_calling.md",
    ],
    model: MODEL,
    window,
    base: "/v1",
    protocol: chatProtocol(STYLE, {
      target: "/v1/chat/completions",
      rules: [json, types, toolUsage, known, ...flags, argumentsParse, roles, room(window)],
      overflow: overflow(window),
    }),
    routes: {
      "GET /v1/models": () => Response.json({ object: "list", data: [entry] }),
      "GET /health": () => new Response(null),
      "GET /version": () => Response.json({ version: "0.16.0" }),
    },
    notFound: () => error(404, "Not Found", "Not Found"),
  };
}

/** SGLang's OpenAI server, with and without `--tool-call-parser`. */
import { badArguments, roleFault } from "./chat_rules.ts";
import { chatProtocol, type ChatStyle, plainUsage, readChat } from "./chat_style.ts";
import type { Asked, Rule, ZooServer, ZooSizes } from "./zoo.ts";
import { inText, promptTokens } from "./zoo_model.ts";

const MODEL = "zai-org/GLM-4.6";

/** `create_error_response` in srt/entrypoints/openai/serving_base.py: no `error` around it. */
function bad(message: string, status = 400, type = "BadRequestError"): Response {
  return Response.json({ object: "error", message, type, param: null, code: status }, { status });
}

/** FastAPI's validation, answered by `validation_exception_handler` in srt/entrypoints/http_server.py. */
const json: Rule = ({ body }) => body === undefined ? bad("JSON decode error") : undefined;

/** `_validate_request` in serving_chat.py. */
const toolUsage: Rule = ({ body }) => {
  if (body.messages.length === 0) return bad("Messages cannot be empty.");
  if (body.tool_choice === "required" && !body.tools?.length) {
    return bad("Tools cannot be empty if tool choice is set to required.");
  }
};

/** Arguments of earlier calls are parsed for the template (`_apply_jinja_template`, serving_chat.py). */
const argumentsParse: Rule = ({ body }) => {
  const fault = badArguments(body.messages);
  return fault && bad(`Internal server error: unexpected character in ${fault.text}`, 500);
};

const roles: Rule = ({ body }) => {
  const why = roleFault(body.messages);
  return why === undefined ? undefined : bad(why);
};

/** `_validate_one_request` in srt/managers/tokenizer_manager.py. */
function room(window: number): Rule {
  return (asked) => {
    const { max_completion_tokens, max_tokens } = asked.body;
    const reply = max_completion_tokens ?? max_tokens ?? 0;
    const prompt = promptTokens(readChat(asked));
    if (prompt > window || prompt + reply < window) return;
    return bad(
      `Requested token count exceeds the model's maximum context length of ${window} tokens. You requested a ` +
        `total of ${
          prompt + reply
        } tokens: ${prompt} tokens from the input messages and ${reply} tokens for ` +
        "the completion. Please reduce the number of tokens in the input messages or the completion to fit " +
        "within the limit.",
    );
  };
}

function overflow(window: number) {
  return (_: Asked, tokens: number) =>
    bad(
      `The input (${tokens} tokens) is longer than the model's context length (${window} tokens).`,
    );
}

const STYLE: ChatStyle = {
  replyId: (turn) => String(turn).padStart(32, "0"),
  callId: (turn, index) => `call_${String(turn * 10 + index).padStart(24, "0")}`,
  opening: { role: "assistant", content: "" },
  reasoning: "reasoning_content",
  calls: "pieces",
  usage: "asked",
  // Cached tokens only with --enable-cache-report.
  usageOf: (usage) => ({ ...plainUsage(usage), prompt_tokens_details: null, reasoning_tokens: 0 }),
};

export function sglang(options: { readonly toolParser: boolean } & ZooSizes): ZooServer {
  const { window = 65_536, stated = window } = options;
  const entry = {
    id: MODEL,
    object: "model",
    created: 1_700_000_000,
    owned_by: "sglang",
    root: MODEL,
    parent: null,
    max_model_len: stated,
  };
  const protocol = chatProtocol(STYLE, {
    target: "/v1/chat/completions",
    rules: [json, toolUsage, argumentsParse, roles, room(window)],
    overflow: overflow(window),
  });
  return {
    name: options.toolParser ? "SGLang" : "SGLang without --tool-call-parser",
    sources: [
      "srt/entrypoints/openai/serving_chat.py",
      "srt/managers/tokenizer_manager.py",
      "docs/advanced_features/tool_parser.md",
    ],
    model: MODEL,
    window,
    base: "/v1",
    protocol: options.toolParser ? protocol : {
      ...protocol,
      // Tools are put into the prompt; what the model writes for a call stays text.
      stream: (asked, said) => protocol.stream(asked, { ...said, reply: inText(said.reply) }),
    },
    routes: {
      "GET /v1/models": () => Response.json({ object: "list", data: [entry] }),
      "GET /health": () => new Response(null),
      "GET /get_model_info": () => Response.json({ model_path: MODEL, is_generation: true }),
    },
    notFound: () => Response.json({ detail: "Not Found" }, { status: 404 }),
  };
}

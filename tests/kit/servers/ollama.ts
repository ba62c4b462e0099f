/** Ollama: its OpenAI endpoint, and the part of its own API that says how it runs a model. */
import { badArguments } from "./chat_rules.ts";
import { chatProtocol, type ChatStyle, plainUsage } from "./chat_style.ts";
import type { Asked, Rule, ZooServer, ZooSizes } from "./zoo.ts";

const MODEL = "qwen3-coder:30b";
const DIGEST = "06c1097efce0431c2045fe7b2e5108366e43bee1b4603a7aded8f21689e90bca";
const CREATED = "2026-01-02T03:04:05Z";

/** `NewError` in openai/openai.go. */
function error(status: number, message: string): Response {
  const types: Record<number, string> = { 400: "invalid_request_error", 404: "not_found_error" };
  const type = types[status] ?? "api_error";
  return Response.json({ error: { message, type, param: null, code: null } }, { status });
}

/** Gin binds the body as JSON whatever its type is called; no field is refused for being unknown. */
const body: Rule = ({ body }) =>
  body === undefined ? error(400, "invalid character looking for beginning of value") : undefined;

/** `FromChatRequest` in openai/openai.go takes content that is null only beside tool calls. */
const content: Rule = ({ body }) => {
  for (const { content, tool_calls } of body.messages) {
    if (typeof content === "string" || Array.isArray(content) || tool_calls) continue;
    return error(400, "invalid message content type: <nil>");
  }
};

/** Arguments are unmarshalled into a map (`FromCompletionToolCall`). */
const argumentsParse: Rule = ({ body }) =>
  badArguments(body.messages) && error(400, "invalid tool call arguments");

/** "minimal" is OpenAI's alone (`FromChatRequest`). */
const effort: Rule = ({ body }) => {
  const asked = body.reasoning?.effort ?? body.reasoning_effort;
  if (asked === undefined || ["high", "medium", "low", "none"].includes(asked)) return;
  return error(
    400,
    `invalid reasoning value: '${asked}' (must be "high", "medium", "low", or "none")`,
  );
};

/** `ChatHandler` in server/routes.go asks the model's capabilities. */
const tools: Rule = ({ body }) =>
  body.tools?.length
    ? error(400, `registry.ollama.ai/library/${MODEL} does not support tools`)
    : undefined;

const known: Rule = ({ body }) =>
  body.model === MODEL ? undefined : error(404, `model '${body.model}' not found`);

const STYLE: ChatStyle = {
  replyId: (turn) => `chatcmpl-${100 + turn}`,
  callId: (turn, index) => `call_${String(turn * 10 + index).padStart(8, "0")}`,
  opening: undefined,
  reasoning: "reasoning",
  // A call is parsed out of the model's text before it is sent (tools/tools.go).
  calls: "whole",
  usage: "asked",
  usageOf: plainUsage,
  fields: { system_fingerprint: "fp_ollama" },
};

const details = {
  parent_model: "",
  format: "gguf",
  family: "qwen3moe",
  families: ["qwen3moe"],
  parameter_size: "30.5B",
  quantization_level: "Q4_K_M",
};

const model = {
  name: MODEL,
  model: MODEL,
  modified_at: CREATED,
  size: 18_556_701_140,
  digest: DIGEST,
  details,
};

/** `POST /api/show` (docs/api.md): the window the model was trained for, not the one that it is run with. */
function show(calls: boolean) {
  return ({ body }: Asked): Response => {
    if (body?.model !== MODEL) {
      return Response.json({ error: `model '${body?.model}' not found` }, { status: 404 });
    }
    return Response.json({
      modelfile: `FROM ${MODEL}`,
      template: "{{ .Prompt }}",
      details,
      model_info: {
        "general.architecture": "qwen3moe",
        "qwen3moe.context_length": 262_144,
      },
      capabilities: calls ? ["completion", "tools"] : ["completion"],
      modified_at: CREATED,
    });
  };
}

/** The model is loaded by the first request for a reply, and only then listed by `/api/ps`. */
function running(window: number) {
  return ({ answered }: Asked): Response => {
    const loaded = { ...model, expires_at: CREATED, size_vram: model.size, context_length: window };
    return Response.json({ models: answered > 0 ? [loaded] : [] });
  };
}

export function ollama(options: { readonly tools: boolean } & ZooSizes): ZooServer {
  // The default of OLLAMA_CONTEXT_LENGTH on a machine with little memory (docs/faq.mdx).
  const { window = 4_096, stated = window } = options;
  return {
    name: options.tools ? "Ollama" : "Ollama with a model without tools",
    sources: ["openai/openai.go", "middleware/openai.go", "docs/api.md", "docs/faq.mdx"],
    model: MODEL,
    window,
    base: "/v1",
    protocol: chatProtocol(STYLE, {
      target: "/v1/chat/completions",
      rules: [body, known, content, argumentsParse, effort, ...(options.tools ? [] : [tools])],
      // server/prompt.go drops the oldest messages; nothing in the answer says so but the count.
      overflow: () => undefined,
    }),
    routes: {
      "GET /v1/models": () =>
        Response.json({
          object: "list",
          data: [{
            id: MODEL,
            object: "model",
            created: Date.parse(CREATED) / 1000,
            owned_by: "library",
          }],
        }),
      "GET /api/version": () => Response.json({ version: "0.13.5" }),
      "GET /api/tags": () => Response.json({ models: [model] }),
      "GET /api/ps": running(stated),
      "POST /api/show": show(options.tools),
      "GET /": () => new Response("Ollama is running"),
    },
    notFound: () => new Response("404 page not found", { status: 404 }),
  };
}

/** OpenAI's own chat completions (api.openai.com), as its client and its users' issues publish them. */
import { badToolName, resultOrder, unknownField, type WireMessage } from "./chat_rules.ts";
import { chatProtocol, type ChatStyle } from "./chat_style.ts";
import { bearer, reshaped } from "./cloud_chat.ts";
import type { Asked, Rule, Said, ZooServer, ZooSizes } from "./zoo.ts";

/** Fields of a request, a message and a call; the test compares them with the declarations of npm `openai`. */
export const OPENAI_FIELDS = {
  request:
    "messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options"
      .split(" "),
  assistant: ["role", "audio", "content", "function_call", "name", "refusal", "tool_calls"],
  tool: ["content", "role", "tool_call_id"],
  user: ["content", "role", "name"],
  system: ["content", "role", "name"],
  call: ["id", "function", "type"],
} as const;

interface Detail {
  readonly param?: string | null;
  readonly code?: string | null;
  readonly type?: string;
}

function error(status: number, message: string, detail: Detail = {}, headers = {}): Response {
  const { param = null, code = null, type = "invalid_request_error" } = detail;
  return Response.json({ error: { message, type, param, code } }, { status, headers });
}

/** Wordings: alvinunreal/tmuxai issue 82 (404), OpenAI's page on error codes (401). */
const gate = (key: string) =>
  bearer(
    key,
    (sent) =>
      sent === undefined
        ? error(
          401,
          "You didn't provide an API key. You need to provide your API key in an Authorization header.",
        )
        : error(401, `Incorrect API key provided: ${sent.slice(0, 3)}***.`, {
          code: "invalid_api_key",
        }),
  );

/** yuanjua/chiken issue 21: `num_ctx`; sd-webui-decadetw-auto-prompt-llm issue 29: `top_k`. */
const fields: Rule = ({ body }) => {
  const unknown = unknownField(body, OPENAI_FIELDS.request);
  if (unknown !== undefined) {
    return error(400, `Unrecognized request argument supplied: ${unknown}`);
  }
};

/** 64bit/async-openai issue 386 has the wording and the code. */
const messageFields: Rule = ({ body }) => {
  for (const [at, message] of (body.messages as WireMessage[]).entries()) {
    const known = OPENAI_FIELDS[message.role as "user"] ?? [];
    const unknown = unknownField(message, known);
    const inCall = (message.tool_calls ?? []).map((call) => unknownField(call, OPENAI_FIELDS.call))
      .find(Boolean);
    const field = unknown ?? (inCall && `tool_calls[0].${inCall}`);
    if (field === undefined) continue;
    const param = `messages[${at}].${field}`;
    return error(400, `Unknown parameter: '${param}'.`, { param, code: "unknown_parameter" });
  }
};

/** vercel/ai issue 5171. */
const callIds: Rule = ({ body }) => {
  for (const [at, { tool_calls }] of (body.messages as WireMessage[]).entries()) {
    for (const [index, { id }] of (tool_calls ?? []).entries()) {
      if (String(id).length <= 40) continue;
      const param = `messages[${at}].tool_calls[${index}].id`;
      const why =
        `string too long. Expected a string with maximum length 40, but got a string with length ${
          String(id).length
        } instead.`;
      return error(400, `Invalid '${param}': ${why}`, { param, code: "string_above_max_length" });
    }
  }
};

/** sdcb/chats pull request 132 has both answers as they came. */
const order: Rule = ({ body }) => {
  const fault = resultOrder(body.messages);
  if (fault === undefined) return;
  const param = `messages.[${fault.at}].role`;
  if (fault.kind === "orphan") {
    const why =
      "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    return error(400, `Invalid parameter: ${why}`, { param });
  }
  const why =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
    `'tool_call_id'. The following tool_call_ids did not have response messages: ${fault.id}`;
  return error(400, why, { param });
};

const toolNames: Rule = ({ body }) => {
  const bad = badToolName(body.tools);
  if (bad === undefined) return;
  const param = "tools[0].function.name";
  const why =
    "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
  return error(400, `Invalid '${param}': ${why}`, { param, code: "invalid_value" });
};

export interface OpenAiModel {
  readonly id: string;
  /** It thinks first: no `max_tokens`, no other temperature than 1. */
  readonly reasons?: boolean;
  /** Tools are refused with every reasoning effort but "none" (BerriAI/litellm pull request 34569). */
  readonly toolsWithoutReasoning?: boolean;
  /** docker/docker-agent issue 313. */
  readonly responsesOnly?: boolean;
}

function modelRule(model: OpenAiModel): Rule {
  return ({ body }) => {
    if (body.model !== model.id) {
      const why = `The model \`${body.model}\` does not exist or you do not have access to it.`;
      return error(404, why, { code: "model_not_found" });
    }
    if (model.responsesOnly) {
      const why = "This model is only supported in v1/responses and not in v1/chat/completions.";
      return error(404, why, { param: "model" });
    }
    if (!model.reasons) {
      // davidmigloz/langchain_dart issue 712.
      return "reasoning_effort" in body
        ? error(400, "Unrecognized request argument supplied: reasoning_effort")
        : undefined;
    }
    // Jeffser/Alpaca issue 759.
    if ("max_tokens" in body) {
      const why =
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
      return error(400, why, { param: "max_tokens", code: "unsupported_parameter" });
    }
    // owndev/Open-WebUI-Functions issue 98.
    if ((body.temperature ?? 1) !== 1) {
      const why =
        `Unsupported value: 'temperature' does not support ${body.temperature} with this model. Only the default (1) value is supported.`;
      return error(400, why, { param: "temperature", code: "unsupported_value" });
    }
    if (model.toolsWithoutReasoning && body.tools && body.reasoning_effort !== "none") {
      const why =
        `Function tools with reasoning_effort are not supported for ${model.id} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`;
      return error(400, why, { param: "reasoning_effort" });
    }
  };
}

const usageOf = ({ prompt, completion, cached }: Said["usage"]) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
});

/** The model's reasoning is never shown on this endpoint. */
const STYLE: ChatStyle = {
  replyId: (turn) => `chatcmpl-C${String(turn).padStart(28, "0")}`,
  callId: (turn, index) => `call_${`${turn}q${index}`.padStart(24, "A")}`,
  opening: { role: "assistant", content: "", refusal: null },
  reasoning: undefined,
  calls: "pieces",
  usage: "asked",
  usageOf,
  fields: { service_tier: "default", system_fingerprint: "fp_0000000000" },
};

/** gencay/vscode-chatgpt issue 184, Nutlope/aicommits issue 259: the reply's limit counts too. */
function overflow(window: number) {
  return (_: Asked, tokens: number) =>
    error(
      400,
      `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
      { param: "messages", code: "context_length_exceeded" },
    );
}

/** Answers for `troubled`, by OpenAI's page on error codes. */
export const OPENAI_TROUBLE = {
  rateLimit: () =>
    error(
      429,
      "Rate limit reached for gpt-5 in organization org-0 on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 6s.",
      { type: "tokens", code: "rate_limit_exceeded" },
      { "retry-after": "6", "x-ratelimit-remaining-tokens": "0" },
    ),
  quota: () =>
    error(
      429,
      "You exceeded your current quota, please check your plan and billing details.",
      { type: "insufficient_quota", code: "insufficient_quota" },
    ),
  server: () =>
    error(
      500,
      "The server had an error while processing your request. Sorry about that!",
      { type: "server_error" },
    ),
};

/** With `include_usage` every chunk but the last has `usage: null` (openai-openapi pull request 240). */
function withNullUsage(asked: Asked) {
  return asked.body.stream_options?.include_usage === true ? { usage: null } : {};
}

export function openaiChat(
  model: OpenAiModel = { id: "gpt-5.1", reasons: true },
  { window = 272_000 }: ZooSizes = {},
): ZooServer {
  const key = "sk-openai-0";
  const data = ["gpt-4.1", "gpt-5.1", "gpt-5.6", "gpt-5-codex"].map((id) => ({
    id,
    object: "model",
    created: 1_700_000_000,
    owned_by: "system",
  }));
  const protocol = chatProtocol(STYLE, {
    target: "/v1/chat/completions",
    rules: [fields, modelRule(model), messageFields, toolNames, callIds, order],
    overflow: overflow(window),
  });
  return {
    name: "OpenAI chat completions",
    sources: [
      "npm openai, resources/chat/completions",
      "platform.openai.com/docs/guides/error-codes",
    ],
    model: model.id,
    window,
    base: "/v1",
    key,
    gate: gate(key),
    protocol: reshaped(
      protocol,
      (chunks, _, asked) => chunks.map((chunk) => ({ ...withNullUsage(asked), ...chunk })),
    ),
    routes: { "GET /v1/models": () => Response.json({ object: "list", data }) },
    notFound: ({ method, target }) => error(404, `Invalid URL (${method} ${target})`),
  };
}

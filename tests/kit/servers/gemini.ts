/** Gemini's OpenAI endpoint (generativelanguage.googleapis.com/v1beta/openai): thought signatures, errors in a list. */
import { badToolName, unknownField, type WireMessage } from "./chat_rules.ts";
import { chatProtocol, type ChatStyle } from "./chat_style.ts";
import { bearer, type Chunk, reshaped } from "./cloud_chat.ts";
import type { Asked, Rule, Said, ZooServer, ZooSizes } from "./zoo.ts";

/** The list of Google's page "Using OpenAI libraries with Vertex AI", with `stream_options`. */
const FIELDS =
  "messages model max_completion_tokens max_tokens n frequency_penalty presence_penalty reasoning_effort response_format seed stop stream stream_options temperature top_logprobs logprobs top_p tools tool_choice parallel_tool_calls web_search_options function_call functions extra_body"
    .split(" ");

/** A list with one object (Vali-98/ChatterUI issue 227). */
function error(code: number, status: string, message: string, details?: unknown[]): Response {
  return Response.json([{ error: { code, message, status, ...(details && { details }) } }], {
    status: code,
  });
}

const invalid = (message: string, details?: unknown[]) =>
  error(400, "INVALID_ARGUMENT", message, details);

const gate = (key: string) =>
  bearer(
    key,
    (sent) =>
      sent === undefined
        ? invalid("Missing or invalid Authorization header.")
        : invalid("API key not valid. Please pass a valid API key.", [
          { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
        ]),
  );

function unknownName(name: string, at = ""): Response {
  const description = `Invalid JSON payload received. Unknown name "${name}"${
    at && ` at '${at}'`
  }: Cannot find field.`;
  const type = "type.googleapis.com/google.rpc.BadRequest";
  return invalid(description, [{ "@type": type, fieldViolations: [{ description }] }]);
}

const fields: Rule = ({ body }) => {
  const unknown = unknownField(body, FIELDS);
  return unknown === undefined ? undefined : unknownName(unknown);
};

/** NousResearch/hermes-agent's and pi's adapters send these; others are "Cannot find field" too. */
const MESSAGE_FIELDS = ["role", "content", "name", "tool_calls", "tool_call_id", "extra_content"];

const messageFields: Rule = ({ body }) => {
  for (const [at, message] of (body.messages as WireMessage[]).entries()) {
    const unknown = unknownField(message, MESSAGE_FIELDS);
    if (unknown !== undefined) return unknownName(unknown, `messages[${at}]`);
  }
};

/** vercel/ai issue 3775, CherryHQ/cherry-studio pull request 16196. */
const parts: Rule = ({ body }) => {
  const at = body.messages.findIndex(({ content, tool_calls }: WireMessage) =>
    !content && !tool_calls?.length
  );
  if (at === -1) return;
  return invalid(
    `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.\n`,
  );
};

/** kaitranntt/ccs issue 25. */
const toolNames: Rule = ({ body }) => {
  if (badToolName(body.tools ?? []) === undefined) return;
  const why =
    "Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.";
  return invalid(`* GenerateContentRequest.tools[0].function_declarations[0].name: ${why}\n`);
};

interface ModelTurn {
  readonly calls: NonNullable<WireMessage["tool_calls"]>;
  /** Index of the message. */
  readonly at: number;
  readonly results: number;
}

/** Turns of the model with calls, with the number of results right behind each. */
function turnsOf(messages: readonly WireMessage[]): ModelTurn[] {
  return messages.flatMap(({ role, tool_calls }, at) => {
    if (role !== "assistant" || !tool_calls?.length) return [];
    const behind = messages.slice(at + 1).findIndex((message) => message.role !== "tool");
    const results = behind === -1 ? messages.length - at - 1 : behind;
    return [{ calls: tool_calls, at, results }];
  });
}

/** google-gemini/gemini-cli issue 3814, where a compaction parted them; the second is ai.google.dev's own. */
const order: Rule = ({ body }) => {
  const messages: readonly WireMessage[] = body.messages;
  for (const { calls, at, results } of turnsOf(messages)) {
    if (results !== calls.length) {
      return invalid(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    }
    const before = messages[at - 1]?.role;
    if (before !== "user" && before !== "tool") {
      return invalid(
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    }
  }
};

const signature = (turn: number) => `c2lnbmF0dXJl${turn}`;

/**
 * ai.google.dev/gemini-api/docs/thought-signatures: in the turn since the last words of the user, the first call
 * of each step must have the signature that came with it; the others of the same step came without one.
 */
const signatures: Rule = ({ body, said }) => {
  const messages: readonly WireMessage[] = body.messages;
  const since = messages.findLastIndex(({ role }) => role === "user");
  const known = new Set(said.map(({ turn }) => signature(turn)));
  for (const { calls, at } of turnsOf(messages)) {
    const [first] = calls as readonly Chunk[];
    const sent = first.extra_content?.google?.thought_signature;
    if (sent === undefined && at < since) continue;
    if (sent === undefined) {
      return invalid(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.function.name}\`, position ${at}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
      );
    }
    if (!known.has(sent)) return invalid("Corrupted thought signature.");
  }
};

/** OpenMinis/OpenMinis issue 384: thinking counts in the total alone. */
const usageOf = ({ prompt, completion, cached }: Said["usage"]) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion + THOUGHTS,
  prompt_tokens_details: { cached_tokens: cached },
});

const THOUGHTS = 100;

const STYLE: ChatStyle = {
  replyId: (turn) => `reply${turn}`,
  callId: (turn, index) => `function-call-${turn}00${index}`,
  opening: undefined,
  reasoning: undefined,
  calls: "whole",
  usage: "always",
  usageOf,
  // googleapis/python-genai issue 2868: in a stream, calls end with "stop".
  finishOfCalls: "stop",
  callFields: (turn, index) =>
    index > 0 ? {} : { extra_content: { google: { thought_signature: signature(turn) } } },
};

/** The index is missing (openai/openai-python issue 2806); each chunk has counts (ogx-ai/ogx issue 5122). */
function inGeminisForm(chunks: readonly Chunk[]): Chunk[] {
  const { usage } = chunks.at(-1);
  return chunks.map((chunk) => {
    const [{ delta, finish_reason }] = chunk.choices;
    const calls = delta.tool_calls?.map(({ index: _, ...call }: Chunk) => call);
    const said = { role: "assistant", ...delta, ...(calls && { tool_calls: calls }) };
    const choice = { index: 0, delta: said, ...(finish_reason && { finish_reason }) };
    return { ...chunk, choices: [choice], usage };
  });
}

/** The call that Gemini itself finds malformed: neither words nor calls, and a finish reason of its own. */
export const MALFORMED_CALL = "function_call_filter: MALFORMED_FUNCTION_CALL";

const RETRY = "type.googleapis.com/google.rpc.RetryInfo";
const QUOTA = "type.googleapis.com/google.rpc.QuotaFailure";

function exhausted(quotaId: string, retryDelay?: string): Response {
  return error(
    429,
    "RESOURCE_EXHAUSTED",
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.",
    [
      { "@type": QUOTA, violations: [{ quotaId }] },
      ...(retryDelay === undefined ? [] : [{ "@type": RETRY, retryDelay }]),
    ],
  );
}

/** Answers for `troubled`; no header says how long to wait (dcdpr/jp pull request 1061). */
export const GEMINI_TROUBLE = {
  perMinute: () =>
    exhausted("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "45.837906927s"),
  perDay: () => exhausted("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "9s"),
  overloaded: () => error(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
};

/** google-gemini/gemini-cli issue 6678. */
function overflow(window: number) {
  return (_: Asked, tokens: number) =>
    invalid(
      `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
    );
}

export function gemini({ window = 1_048_576 }: ZooSizes = {}): ZooServer {
  const key = "AIza-gemini-0";
  const model = "models/gemini-3-pro-preview";
  const base = "/v1beta/openai";
  const data = ["models/gemini-2.5-flash", model].map((id) => ({
    id,
    object: "model",
    owned_by: "google",
    display_name: id,
  }));
  const protocol = chatProtocol(STYLE, {
    target: `${base}/chat/completions`,
    rules: [fields, messageFields, toolNames, parts, order, signatures],
    overflow: overflow(window),
  });
  return {
    name: "Gemini's OpenAI endpoint",
    sources: [
      "ai.google.dev/gemini-api/docs/openai",
      "ai.google.dev/gemini-api/docs/thought-signatures",
    ],
    model,
    window,
    base,
    key,
    thoughts: THOUGHTS,
    gate: gate(key),
    protocol: {
      ...reshaped(protocol, inGeminisForm),
      whole: chatProtocol({ ...STYLE, finishOfCalls: "tool_calls" }, protocol).whole,
    },
    routes: { [`GET ${base}/models`]: () => Response.json({ object: "list", data }) },
    notFound: () => new Response("", { status: 404 }),
  };
}

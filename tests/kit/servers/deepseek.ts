/** DeepSeek's API (api.deepseek.com): thinking that must come back, keep-alive comments, its own error words. */
import { badToolName, resultOrder, type WireMessage } from "./chat_rules.ts";
import { chatProtocol, type ChatStyle } from "./chat_style.ts";
import { alwaysThinking, bearer, reshaped } from "./cloud_chat.ts";
import type { Asked, Rule, Said, ZooServer, ZooSizes } from "./zoo.ts";

/** The codes of api-docs.deepseek.com/quick_start/error_codes in the bodies that users report. */
function error(status: number, message: string, type = "invalid_request_error"): Response {
  const error = { message, type, param: null, code: "invalid_request_error" };
  return Response.json({ error }, { status });
}

const gate = (key: string) =>
  bearer(key, (sent = "") => {
    const why = `Authentication Fails, Your api key: ****${sent.slice(-4)} is invalid`;
    return error(401, why, "authentication_error");
  });

/** smallmain/vscode-unify-chat-provider issue 248; itmisx/deepx-code issue 94. */
const order: Rule = ({ body }) => {
  const fault = resultOrder(body.messages);
  if (fault === undefined) return;
  if (fault.kind === "orphan") {
    return error(
      400,
      "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    );
  }
  const why =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)";
  return error(400, why);
};

const toolNames: Rule = ({ body }) => {
  if (badToolName(body.tools) === undefined) return;
  const why =
    "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
  return error(400, why);
};

/** Aider-AI/aider pull request 4125 and Gitlawb/openclaude issue 35 name two of the ranges. */
function replyRange(most: number): Rule {
  return ({ body }) => {
    const asked = body.max_tokens;
    if (asked === undefined || (Number.isInteger(asked) && asked >= 1 && asked <= most)) return;
    return error(400, `Invalid max_tokens value, the valid range of max_tokens is [1, ${most}]`);
  };
}

const thinks = (asked: Asked) => asked.body.thinking?.type !== "disabled";

/**
 * api-docs.deepseek.com/guides/thinking_mode: with a tool call, the reasoning must come back in all later
 * requests; also where it was empty (deepseek-ai/deepseek-harness discussion 1850).
 */
const reasoningBack: Rule = (asked) => {
  if (!thinks(asked)) return;
  const missing = (asked.body.messages as WireMessage[]).some((message) =>
    message.role === "assistant" && message.tool_calls?.length &&
    typeof message["reasoning_content"] !== "string"
  );
  if (!missing) return;
  return error(400, "The `reasoning_content` in the thinking mode must be passed back to the API.");
};

/** deepseek-ai/DeepSeek-V3 issue 1376: "auto" and "none" alone go together with thinking. */
const toolChoice: Rule = (asked) => {
  const { tool_choice = "auto" } = asked.body;
  if (!thinks(asked) || tool_choice === "auto" || tool_choice === "none") return;
  return error(400, "Thinking mode does not support this tool_choice");
};

/** The guide of the first `deepseek-reasoner` (January 2025): no tools, no reasoning in the input, strict turns. */
const FIRST_REASONER: readonly Rule[] = [
  ({ body }) =>
    body.tools?.length
      ? error(400, "deepseek-reasoner does not support Function Calling")
      : undefined,
  // The guide names the status alone.
  ({ body }) => {
    const at = body.messages.findIndex((message: WireMessage) => "reasoning_content" in message);
    return at === -1 ? undefined : error(400, `messages[${at}]: unexpected reasoning_content`);
  },
  ({ body }) => {
    const roles: readonly string[] = body.messages.map(({ role }: WireMessage) => role);
    const at = roles.findIndex((role, index) => index > 0 && role === roles[index - 1]);
    if (at === -1) return;
    const where = `messages[${at - 1}] and messages[${at}] in your input`;
    const why =
      `deepseek-reasoner does not support successive user or assistant messages (${where}). You should interleave the user/assistant messages in the message sequence.`;
    return error(400, why);
  },
];

/** api-docs.deepseek.com/guides/kv_cache: both parts of the prompt are counted. */
const usageOf = ({ prompt, completion, cached }: Said["usage"]) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
  prompt_cache_hit_tokens: cached,
  prompt_cache_miss_tokens: prompt - cached,
});

const STYLE: ChatStyle = {
  replyId: (turn) => `00000000-0000-4000-8000-${String(turn).padStart(12, "0")}`,
  callId: (turn, index) =>
    `call_${String(index).padStart(2, "0")}_${String(turn).padStart(24, "k")}`,
  opening: { role: "assistant", content: null, reasoning_content: "" },
  reasoning: "reasoning_content",
  calls: "pieces",
  usage: "always",
  usageOf,
  fields: { system_fingerprint: "fp_0000000000_prod0000" },
};

const KEEP_ALIVE = ": keep-alive\n\n";

/** Answers for `troubled`. */
export const DEEPSEEK_TROUBLE = {
  balance: () => error(402, "Insufficient Balance", "unknown_error"),
  overloaded: () => error(503, "Server Overloaded", "service_unavailable_error"),
  /** api-docs.deepseek.com/quick_start/rate_limit: empty lines come before an answer that is not streamed. */
  slowWhole: (whole: unknown) =>
    new Response(`\n\n\n\n${JSON.stringify(whole)}`, {
      headers: { "content-type": "application/json" },
    }),
};

/** evalstate/fast-agent issue 621. The reply that was asked for counts, so it is in the number. */
function overflow(window: number) {
  return ({ body }: Asked, tokens: number) => {
    const reply = body.max_tokens ?? 0;
    return error(
      400,
      `This model's maximum context length is ${window} tokens. However, you requested ${
        tokens + reply
      } tokens (${tokens} in the messages, ${reply} in the completion). Please reduce the length of the messages or completion.`,
    );
  };
}

export interface DeepseekOptions extends ZooSizes {
  /** The reasoner of January 2025, as resellers still serve it, in place of V4. */
  readonly firstReasoner?: true;
}

export function deepseek({ window = 131_072, firstReasoner }: DeepseekOptions = {}): ZooServer {
  const key = "sk-deepseek-0";
  const model = firstReasoner ? "deepseek-reasoner" : "deepseek-v4-flash";
  const rules = firstReasoner
    ? [...FIRST_REASONER, replyRange(8_192)]
    : [toolNames, order, reasoningBack, toolChoice, replyRange(393_216)];
  const protocol = alwaysThinking(chatProtocol(STYLE, {
    target: "/v1/chat/completions",
    rules,
    overflow: overflow(window),
  }));
  return {
    name: firstReasoner ? "DeepSeek's first reasoner" : "DeepSeek",
    sources: ["api-docs.deepseek.com/guides/thinking_mode", "api-docs.deepseek.com/quick_start"],
    model,
    window,
    base: "/v1",
    key,
    gate: gate(key),
    protocol: reshaped(protocol, (chunks) => [
      KEEP_ALIVE,
      KEEP_ALIVE,
      ...chunks.slice(0, 2),
      KEEP_ALIVE,
      ...chunks.slice(2),
    ]),
    routes: {
      "GET /v1/models": () =>
        Response.json({
          object: "list",
          data: [{ id: model, object: "model", owned_by: "deepseek" }],
        }),
    },
    notFound: () => new Response("", { status: 404 }),
  };
}

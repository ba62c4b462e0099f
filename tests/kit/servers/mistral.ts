/** Mistral's API (api.mistral.ai): pydantic refuses unknown fields, and its own validator refuses odd conversations. */
import { badToolName, type WireMessage } from "./chat_rules.ts";
import { chatProtocol, type ChatStyle } from "./chat_style.ts";
import { alwaysThinking, bearer, type Chunk, reshaped } from "./cloud_chat.ts";
import type { Asked, Rule, Said, ZooServer, ZooSizes } from "./zoo.ts";

/** The test compares these with the zod schemas of npm `@mistralai/mistralai`, made from Mistral's OpenAPI. */
export const MISTRAL_FIELDS = {
  request:
    "model temperature top_p max_tokens stream stop random_seed metadata messages response_format tools tool_choice presence_penalty frequency_penalty n prediction parallel_tool_calls reasoning_effort prompt_mode guardrails prompt_cache_key service_tier safe_prompt"
      .split(" "),
  assistant: ["role", "content", "tool_calls", "prefix"],
  tool: ["role", "content", "tool_call_id", "name"],
  user: ["role", "content"],
  system: ["role", "content"],
  call: ["id", "type", "function", "index"],
  function: ["name", "arguments"],
} as const;

interface Detail {
  readonly type?: string;
  readonly code?: string | null;
}

/** As in partITech/php-mistral issue 76 and nearai/ironclaw issue 1241. */
function error(status: number, message: unknown, detail: Detail = {}, headers = {}): Response {
  const { type = "invalid_request_error", code = null } = detail;
  return Response.json({ object: "error", message, type, param: null, code }, { status, headers });
}

function extra(loc: readonly (string | number)[], input: unknown): Response {
  const detail = [{ type: "extra_forbidden", loc, msg: "Extra inputs are not permitted", input }];
  return error(422, { detail });
}

/** avante.nvim issue 2347 has the very body for `stream_options`, editor-code-assistant/eca issue 231 for the limit. */
const fields: Rule = ({ body }) => {
  for (const [field, value] of Object.entries(body)) {
    if ((MISTRAL_FIELDS.request as readonly string[]).includes(field)) continue;
    const options = field === "stream_options" ? Object.entries(value as object)[0] : undefined;
    return options === undefined
      ? extra(["body", field], value)
      : extra(["body", field, options[0]], options[1]);
  }
};

/** charmbracelet/crush issue 1590: `reasoning_content` of another vendor's reply. */
const messageFields: Rule = ({ body }) => {
  for (const [at, message] of (body.messages as WireMessage[]).entries()) {
    const role = message.role as "user";
    const known: readonly string[] = MISTRAL_FIELDS[role] ?? [];
    const field = Object.keys(message).find((one) => !known.includes(one));
    if (field !== undefined) return extra(["body", "messages", at, role, field], message[field]);
    for (const [index, call] of (message.tool_calls ?? []).entries()) {
      const odd = Object.keys(call).find((one) => !MISTRAL_FIELDS.call.includes(one as "id"));
      const loc = ["body", "messages", at, role, "tool_calls", index];
      if (odd !== undefined) return extra([...loc, odd], call[odd as "id"]);
    }
  }
};

/** What may follow each role (mistral-common, `protocol/instruct/validator.py`, `_validate_message_order`). */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  system: ["user", "assistant", "system"],
  user: ["assistant", "system", "user"],
  assistant: ["assistant", "user", "tool"],
  tool: ["assistant", "tool"],
};

const misplaced = (message: string) =>
  error(400, message, { type: "invalid_request_message_order", code: "3230" });

/** avante.nvim pull request 2695; mistralai/client-ts issue 106; 0xPlaygrounds/rig pull request 1130. */
const order: Rule = ({ body }) => {
  const messages: readonly WireMessage[] = body.messages;
  let open = 0;
  for (const [at, { role, tool_calls }] of messages.entries()) {
    const before = messages[at - 1]?.role;
    if (before !== undefined && !NEXT[before as string]!.includes(role as string)) {
      return misplaced(`Unexpected role '${role}' after role '${before}'`);
    }
    if (role === "tool") open--;
    else if (role === "assistant") {
      if (open !== 0) break;
      open = tool_calls?.length ?? 0;
    }
  }
  const last = messages.at(-1)!.role;
  if (last !== "user" && last !== "tool") {
    return misplaced(
      `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last}`,
    );
  }
  if (open !== 0) return misplaced("Not the same number of function calls and responses");
};

/**
 * solbrowse/extension issue 16. Some models refuse words beside calls as well (github/copilot-cli issue 4884, and
 * mistral-common wherever `_allow_tool_call_and_content` is false).
 */
function content(both: boolean): Rule {
  return ({ body }) => {
    for (const { role, content, tool_calls } of body.messages as WireMessage[]) {
      if (role !== "assistant") continue;
      const [words, calls] = [Boolean(content?.toString()), Boolean(tool_calls?.length)];
      const not = !words && !calls ? "none" : words && calls && !both ? "both" : undefined;
      if (not === undefined) continue;
      return error(
        400,
        `Assistant message must have either content or tool_calls, but not ${not}.`,
      );
    }
  };
}

/** editor-code-assistant/eca issue 233; models since Devstral 2 no longer look (mlx-lm issue 1375). */
const callIds: Rule = ({ body }) => {
  const ids = (body.messages as WireMessage[]).flatMap((message) => [
    ...(message.tool_calls ?? []).map(({ id }) => id),
    ...(message.role === "tool" ? [message.tool_call_id] : []),
  ]);
  const bad = ids.find((id) => !/^[a-zA-Z0-9]{9}$/.test(String(id)));
  if (bad === undefined) return;
  const why = `Tool call id was ${bad} but must be a-z, A-Z, 0-9, with a length of 9.`;
  return error(400, why, { type: "invalid_function_call", code: "3280" });
};

const toolNames: Rule = ({ body }) => {
  const bad = badToolName(body.tools ?? []);
  if (bad === undefined) return;
  const why =
    `Function name was ${bad} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`;
  return error(400, why);
};

/** docs.mistral.ai/studio-api/conversations/advanced/prompt-caching; mistralai/client-ts issue 240. */
const usageOf = ({ prompt, completion, cached }: Said["usage"]) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
});

const STYLE: ChatStyle = {
  replyId: (turn) => String(turn).padStart(32, "c"),
  callId: (turn, index) => `${turn}q${index}`.padStart(9, "D"),
  opening: { role: "assistant", content: "" },
  reasoning: "reasoning_content",
  calls: "whole",
  usage: "always",
  usageOf,
};

/** Reasoning as a part of the content (BerriAI/litellm issue 16272). */
const thinking = (text: string) => ({ type: "thinking", thinking: [{ type: "text", text }] });

function withThinking({ reasoning_content, ...delta }: Chunk): Chunk {
  return reasoning_content === undefined
    ? delta
    : { ...delta, content: [thinking(reasoning_content)] };
}

/** All calls come in the last chunk, together with the finish reason and the counts. */
function inMistralsForm(chunks: readonly Chunk[]): Chunk[] {
  const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
  return chunks.filter(({ choices }) => !choices[0]?.delta.tool_calls).map((chunk) => {
    const [{ delta, finish_reason }] = chunk.choices;
    const last = finish_reason !== null && calls.length > 0 ? { tool_calls: calls } : {};
    const content = finish_reason === null ? {} : { content: "" };
    const choice = {
      index: 0,
      delta: { ...withThinking(delta), ...content, ...last },
      finish_reason,
    };
    return { ...chunk, choices: [choice] };
  });
}

/** Answers for `troubled`: raycast/extensions issue 31107; arthurdarcet in BerriAI/litellm pull request 25078. */
export const MISTRAL_TROUBLE = {
  rateLimit: () => error(429, "Rate limit exceeded", { type: "rate_limited", code: "1300" }),
  /** What the gateway in front says (dnakov/anon-kode issue 53). */
  gatewayLimit: () => Response.json({ message: "Requests rate limit exceeded" }, { status: 429 }),
  capacity: () =>
    error(503, "Service tier capacity exceeded for this model.", {
      type: "service_tier_capacity_exceeded",
      code: "3505",
    }),
};

const CAPABILITIES = {
  completion_chat: true,
  function_calling: true,
  completion_fim: false,
  fine_tuning: false,
  vision: false,
};

/** Pi's tests cite the words ("Prompt contains … tokens, too large for model with … maximum context length"). */
function overflow(window: number) {
  return (_: Asked, tokens: number) =>
    error(
      400,
      `Prompt contains ${tokens} tokens and 0 draft tokens, too large for model with ${window} maximum context length`,
      { code: "3051" },
    );
}

export interface MistralOptions extends ZooSizes {
  readonly model?: string;
  /** Ids of calls must have nine letters or digits; models since Devstral 2 do not look. */
  readonly nineIds?: boolean;
  /** An assistant message may have words and calls. */
  readonly both?: boolean;
  /** It thinks before each reply, as Magistral does. */
  readonly reasons?: true;
}

export function mistral(options: MistralOptions = {}): ZooServer {
  const { model = "mistral-large-2411", window = 131_072, stated = window } = options;
  const { nineIds = true, both = true } = options;
  const key = "mistral-key-0";
  const entry = {
    id: model,
    object: "model",
    created: 1_700_000_000,
    owned_by: "mistralai",
    name: model,
    description: "A model",
    max_context_length: stated,
    aliases: [],
    deprecation: null,
    default_model_temperature: 0.3,
    capabilities: CAPABILITIES,
    type: "base",
  };
  const rules = [
    fields,
    messageFields,
    toolNames,
    order,
    content(both),
    ...(nineIds ? [callIds] : []),
  ];
  const plain = chatProtocol(STYLE, {
    target: "/v1/chat/completions",
    rules,
    overflow: overflow(window),
  });
  const protocol = options.reasons ? alwaysThinking(plain) : plain;
  return {
    name: options.reasons ? "Mistral's reasoners" : "Mistral",
    sources: ["npm @mistralai/mistralai", "mistral-common, protocol/instruct/validator.py"],
    model,
    window,
    base: "/v1",
    key,
    gate: bearer(key, () => Response.json({ detail: "Unauthorized" }, { status: 401 })),
    protocol: {
      ...reshaped(protocol, inMistralsForm),
      whole(asked, said) {
        const { choices: [choice], ...reply } = protocol.whole(asked, said) as Chunk;
        const { reasoning_content, ...message } = choice.message;
        if (reasoning_content !== undefined) {
          const words = message.content === null ? [] : [{ type: "text", text: message.content }];
          message.content = [thinking(reasoning_content), ...words];
        }
        return { ...reply, choices: [{ ...choice, message }] };
      },
    },
    routes: { "GET /v1/models": () => Response.json({ object: "list", data: [entry] }) },
    notFound: () =>
      Response.json({ message: "no Route matched with those values" }, { status: 404 }),
  };
}

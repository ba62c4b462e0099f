/** Anthropic's Messages: models that think by a budget (before 4.6), and those that decide for themselves. */
import { COMMON_RULES, loopReply } from "./anthropic_rules.ts";
import {
  failed,
  invalid,
  readBlocks,
  readMessages,
  signatureOf,
  streamOf,
  wholeOf,
  type WireBlock,
} from "./anthropic_wire.ts";
import type { Asked, Rule, Said, ZooServer, ZooSizes } from "./zoo.ts";

/** platform.claude.com/docs/en/api/overview: `x-api-key` and `anthropic-version` in each request. */
const gate: Rule = ({ headers }) => {
  if (headers.get("x-api-key") !== KEY || headers.has("authorization")) {
    return failed(401, "authentication_error", "invalid x-api-key");
  }
  if (headers.get("anthropic-version") !== "2023-06-01") {
    return invalid("anthropic-version: header is required");
  }
};

const KEY = "sk-ant-zoo-key";

const isThinking = ({ type }: WireBlock) => type === "thinking" || type === "redacted_thinking";

/** What was signed comes back as it was (anthropics/anthropic-sdk-python#1598, claude-code#63284). */
const signatures: Rule = ({ body }) => {
  for (const [at, message] of body.messages.entries()) {
    const content = readBlocks(message);
    for (const [index, block] of content.entries()) {
      if (block.type === "thinking" && block.signature !== signatureOf(block.thinking!)) {
        return invalid(
          `messages.${at}.content.${index}: Invalid \`signature\` in \`thinking\` block`,
        );
      }
    }
    if (message.role === "assistant" && isThinking(content.at(-1)!)) {
      return invalid(
        `messages.${at}: The final block in an assistant message cannot be \`thinking\`.`,
      );
    }
  }
};

/** Thinking that came with a reply is not to be lost while its calls are carried out (extended-thinking page, "Preserving thinking blocks"). */
const thinkingKept: Rule = (asked) => {
  const reply = loopReply(asked);
  if (asked.body.thinking === undefined || reply === undefined) return;
  const ids = reply.filter(({ type }) => type === "tool_use").map(({ id }) => id);
  if (reply.some(isThinking) || ids.length === 0) return;
  return invalid(
    "messages: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
  );
};

/** deepset-ai/haystack-core-integrations#2146; tailcallhq/forgecode#1853. */
const budgeted: Rule = (asked) => {
  const { thinking, max_tokens, temperature, top_k, tool_choice, output_config } = asked.body;
  if (output_config?.effort !== undefined) {
    return invalid("This model does not support the effort parameter.");
  }
  const reply = loopReply(asked);
  if (thinking?.type === "adaptive") {
    return invalid("adaptive thinking is not supported on this model");
  }
  if (thinking?.type !== "enabled") {
    const at = asked.body.messages.length - 2;
    return reply?.some(isThinking)
      ? invalid(
        `messages.${at}.content.0: When thinking is disabled, an \`assistant\` message in the final position cannot contain \`thinking\`. To use thinking blocks, enable \`thinking\` in your request.`,
      )
      : undefined;
  }
  if (thinking.budget_tokens < 1_024) {
    return invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
  }
  if (thinking.budget_tokens >= max_tokens) {
    return invalid("`max_tokens` must be greater than `thinking.budget_tokens`.");
  }
  if ((temperature ?? 1) !== 1 || top_k !== undefined) {
    return invalid("`temperature` may only be set to 1 when thinking is enabled.");
  }
  if (tool_choice?.type === "any" || tool_choice?.type === "tool") {
    return invalid("Thinking may not be enabled when tool_choice forces tool use.");
  }
  if (reply !== undefined && !isThinking(reply[0]!)) {
    return invalid(
      `messages.${
        asked.body.messages.length - 2
      }.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${
        reply[0]!.type
      }\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
    );
  }
};

/** SigmaNight/basiliskLLM#1185, cherry-studio#15532. */
const adaptive: Rule = ({ body }) => {
  if (body.thinking?.type === "enabled") {
    return invalid(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    );
  }
  const set = ["temperature", "top_p", "top_k"].find((field) => field in body);
  if (set !== undefined) return invalid(`\`${set}\` is deprecated for this model.`);
};

/** Where thinking is on, each reply begins with some; elsewhere none does. */
function thoughtful({ body }: Asked, said: Said): Said {
  const { reasoning = `How to go on after ${said.turn}.`, ...reply } = said.reply;
  return { ...said, reply: body.thinking === undefined ? reply : { ...reply, reasoning } };
}

const mostTokens = (most: number, model: string): Rule => ({ body }) =>
  body.max_tokens > most
    ? invalid(
      `max_tokens: ${body.max_tokens} > ${most}, which is the maximum allowed number of output tokens for ${model}`,
    )
    : undefined;

const capable = (supported: boolean) => ({ supported });

function entryOf(id: string, window: number, budget: boolean) {
  return {
    type: "model",
    id,
    display_name: id,
    created_at: "2025-09-29T00:00:00Z",
    lifecycle: "active",
    max_input_tokens: window,
    max_tokens: 64_000,
    capabilities: {
      effort: capable(!budget),
      thinking: {
        supported: true,
        types: { adaptive: capable(!budget), enabled: capable(budget), disabled: capable(true) },
      },
    },
  };
}

export interface AnthropicOptions extends ZooSizes {
  /** `budget` as Claude Haiku 4.5 thinks, `adaptive` as Opus 4.7. */
  readonly thinks?: "budget" | "adaptive";
  /** The most tokens of a reply. */
  readonly mostTokens?: number;
}

export function anthropic(options: AnthropicOptions = {}): ZooServer {
  const { window = 200_000, stated = window, thinks = "adaptive", mostTokens: most = 64_000 } =
    options;
  const budget = thinks === "budget";
  const model = budget ? "claude-haiku-4-5-20251001" : "claude-opus-4-7";
  const alias = "claude-haiku-4-5";
  const entry = entryOf(model, stated, budget);
  const unknown = (asked: Asked) => failed(404, "not_found_error", `model: ${asked.body.model}`);
  const known: Rule = (asked) =>
    [model, alias].includes(asked.body.model) ? undefined : unknown(asked);
  return {
    name: budget ? "Anthropic (thinking by a budget)" : "Anthropic",
    sources: ["platform.claude.com/docs/en/api/messages", "npm @anthropic-ai/sdk 1.12.0"],
    model,
    window,
    base: "/v1",
    key: KEY,
    speaks: "messages",
    gate,
    protocol: {
      target: "/v1/messages",
      rules: [
        ...COMMON_RULES,
        known,
        mostTokens(most, model),
        signatures,
        budget ? budgeted : adaptive,
        thinkingKept,
      ],
      read: readMessages,
      replyLimit: ({ body }) => body.max_tokens,
      overflow: (_, tokens) => invalid(`prompt is too long: ${tokens} tokens > ${window} maximum`),
      stream: (asked, said) => streamOf(asked, thoughtful(asked, said)),
      whole: (asked, said) => wholeOf(asked, thoughtful(asked, said)),
    },
    routes: {
      "GET /v1/models": () =>
        Response.json({ data: [entry], has_more: false, first_id: model, last_id: model }),
      [`GET /v1/models/${alias}`]: () => Response.json(entry),
    },
    notFound: () => failed(404, "not_found_error", "Not Found"),
  };
}

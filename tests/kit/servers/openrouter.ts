/** OpenRouter (openrouter.ai/api/v1): comments while it waits, reasoning in details, errors of others in its own. */
import { resultOrder, type WireMessage } from "./chat_rules.ts";
import { chatProtocol, type ChatStyle } from "./chat_style.ts";
import { bearer, type Chunk, reshaped } from "./cloud_chat.ts";
import type { Asked, Rule, Said, ZooServer, ZooSizes } from "./zoo.ts";

/** openrouter.ai/docs/api/reference/errors-and-debugging. */
function error(code: number, message: string, metadata?: unknown, headers = {}): Response {
  const error = { code, message, ...(metadata !== undefined && { metadata }) };
  return Response.json({ error, user_id: "user_0" }, { status: code, headers });
}

/** What the provider behind it answered stands as text in `raw` (diegosouzapw/OmniRoute issue 3044). */
function provider(code: number, name: string, raw: unknown): Response {
  const metadata = { raw: JSON.stringify(raw), provider_name: name, is_byok: false };
  return error(code, "Provider returned error", metadata);
}

function anthropic(message: string): Response {
  const raw = { type: "error", error: { type: "invalid_request_error", message } };
  return provider(400, "Anthropic", raw);
}

/** dnakov/anon-kode issue 2. */
const noTools: Rule = ({ body }) => {
  if (!body.tools?.length) return;
  return error(
    404,
    "No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/guides/routing/provider-selection",
  );
};

/** zed-industries/zed issue 36094. */
const noToolChoice: Rule = ({ body }) => {
  if ((body.tool_choice ?? "auto") === "auto") return;
  return error(
    404,
    "No endpoints found that support the provided 'tool_choice' value. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing",
  );
};

const order: Rule = ({ body }) => {
  const fault = resultOrder(body.messages);
  if (fault === undefined) return;
  return anthropic(
    fault.kind === "orphan"
      ? `messages.${fault.at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${fault.id}`
      : `messages.${fault.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${fault.id}`,
  );
};

const FORMAT = "anthropic-claude-v1";

/** A reply's thinking as it is streamed: text in pieces, then its signature, then a part that no one may read. */
function detailsOf({ reply, turn }: Pick<Said, "reply" | "turn">): Chunk[] {
  const { reasoning = "I think about it." } = reply;
  const half = Math.ceil(reasoning.length / 2);
  const text = { type: "reasoning.text", format: FORMAT, index: 0 };
  return [
    { ...text, text: reasoning.slice(0, half) },
    { ...text, text: reasoning.slice(half) },
    { ...text, signature: `signature${turn}` },
    { type: "reasoning.encrypted", data: `redacted${turn}`, format: FORMAT, index: 1 },
  ];
}

/** Pieces of one block joined, so that a client may send them back in pieces or whole. */
function whole(details: readonly Chunk[]): Chunk[] {
  const blocks: Chunk[] = [];
  for (const detail of details) {
    const last = blocks.at(-1);
    if (last?.type !== detail.type || last?.index !== detail.index) blocks.push({ ...detail });
    else {
      if (detail.text) last.text = (last.text ?? "") + detail.text;
      if (detail.signature) last.signature = detail.signature;
    }
  }
  return blocks;
}

const sorted = (value: Chunk) => Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
const asText = (details: readonly Chunk[]) => JSON.stringify(whole(details).map(sorted));

const callId = (turn: number, index: number) => `toolu_bdrk_${turn}_${index}`.padEnd(24, "0");
const turnOf = (id: unknown) => Number(/^toolu_bdrk_(\d+)_/.exec(String(id))?.[1]);

/**
 * openrouter.ai/docs/guides/best-practices/reasoning-tokens, "Preserving reasoning blocks": the sequence comes back
 * as it was, neither changed nor rearranged; Anthropic's words are in anomalyco/opencode issue 3077.
 */
const reasoningBack: Rule = ({ body, said }) => {
  const messages: readonly WireMessage[] = body.messages;
  const since = messages.findLastIndex(({ role }) => role === "user");
  for (const [at, message] of messages.entries()) {
    if (at < since || !message.tool_calls?.length) continue;
    const turn = turnOf(message.tool_calls[0]!.id);
    const reply = said.find((one) => one.turn === turn);
    const expected = reply === undefined ? [] : detailsOf(reply);
    const sent = (message["reasoning_details"] ?? []) as Chunk[];
    if (expected.length > 0 && sent.length === 0) {
      return anthropic(
        `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
      );
    }
    if (asText(sent) !== asText(expected)) {
      return anthropic(`messages.${at}.content.0: Invalid \`signature\` in \`thinking\` block`);
    }
  }
};

/** What it costs is in each reply's usage (docs/guides/administration/usage-accounting). */
const usageOf = ({ prompt, completion, cached }: Said["usage"]) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  cost: prompt * 0.000003 + completion * 0.000015,
  is_byok: false,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
  cost_details: {
    upstream_inference_cost: null,
    upstream_inference_prompt_cost: prompt * 0.000003,
    upstream_inference_completions_cost: completion * 0.000015,
  },
  completion_tokens_details: { reasoning_tokens: 0 },
});

const STYLE: ChatStyle = {
  replyId: (turn) => `gen-1700000000-${String(turn).padStart(20, "0")}`,
  callId,
  opening: { role: "assistant", content: "" },
  reasoning: "reasoning",
  calls: "pieces",
  usage: "always",
  usageOf,
  fields: { provider: "Anthropic", system_fingerprint: "" },
};

const PROCESSING = ": OPENROUTER PROCESSING\n\n";

/**
 * Comments first; the thinking with its details; the counts in a chunk of their own whose choice says nothing (as
 * charmbracelet/fantasy recorded it, `providertests/testdata/TestOpenRouterCommon`).
 */
function inOpenRoutersForm(chunks: readonly Chunk[], said: Said): (Chunk | string)[] {
  const withDelta = (chunk: Chunk, delta: Chunk, more = {}) => {
    const choice = { ...chunk.choices[0], delta: { role: "assistant", content: "", ...delta } };
    const { usage: _, ...rest } = chunk;
    return { ...rest, choices: [{ native_finish_reason: null, ...choice, ...more }] };
  };
  const [first, ...rest] = chunks;
  const last = rest.pop();
  const spoken = rest.filter(({ choices }) => choices[0].delta.reasoning === undefined);
  const details = detailsOf(said).map((detail) =>
    withDelta(first, { reasoning: detail.text ?? null, reasoning_details: [detail] })
  );
  const finish = last.choices[0].finish_reason;
  return [
    PROCESSING,
    PROCESSING,
    withDelta(first, {}),
    ...details,
    ...spoken.map((chunk) => withDelta(chunk, chunk.choices[0].delta)),
    withDelta(last, {}, { native_finish_reason: finish }),
    { ...withDelta(last, {}, { finish_reason: null }), usage: last.usage },
  ];
}

/** Answers for `troubled`. */
export const OPENROUTER_TROUBLE = {
  /** An error after the stream has begun (errors-and-debugging, "Mid-stream errors"). */
  midStream() {
    const chunk = {
      id: "gen-1700000000-0",
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "anthropic/claude-sonnet-4.5",
      provider: "Anthropic",
    };
    const half = {
      ...chunk,
      choices: [{ index: 0, delta: { content: "Let" }, finish_reason: null }],
    };
    const broken = {
      ...chunk,
      error: { code: 502, message: "Provider disconnected unexpectedly" },
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
    };
    const events = [half, broken].map((one) => `data: ${JSON.stringify(one)}\n\n`);
    return new Response(PROCESSING + events.join(""), {
      headers: { "content-type": "text/event-stream" },
    });
  },
  credits: () =>
    error(402, "Insufficient credits. Add more using https://openrouter.ai/settings/credits"),
  /** open-webui/computer issue 293. */
  upstreamLimit: () =>
    error(429, "Provider returned error", {
      raw: "z-ai/glm-5.3-flash is temporarily rate-limited upstream. Please retry shortly.",
      provider_name: "BaseTen",
    }, { "retry-after": "3" }),
  /** cline/cline issue 13194: the provider behind it finds the prompt too long. */
  upstreamOverflow: (window: number, prompt: number) =>
    provider(400, "Nvidia", {
      error: {
        message:
          `This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`,
        type: "Bad Request",
        code: 400,
      },
    }),
  /** arterm-sedov/cmw-platform-agent, docs/MISTRAL_TOOL_CALL_ID_FIX.md; charmbracelet/crush issue 279. */
  upstreamRoles: () =>
    provider(400, "Mistral", {
      object: "error",
      message: "Unexpected role 'user' after role 'tool'",
      type: "invalid_request_message_order",
      param: null,
      code: "3230",
    }),
};

/** earendil-works/pi issue 6378: the tools and the reply's limit count too. */
function overflow(window: number) {
  return ({ body }: Asked, tokens: number) => {
    const tools = Math.ceil(JSON.stringify(body.tools ?? []).length / 4);
    const reply = body.max_tokens ?? 0;
    return error(
      400,
      `This endpoint's maximum context length is ${window} tokens. However, you requested about ${
        tokens + reply
      } tokens (${
        tokens - tools
      } of text input, ${tools} of tool input, ${reply} in the output). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.`,
      { provider_name: null },
    );
  };
}

export interface OpenRouterOptions extends ZooSizes {
  /** No provider of the model takes tools. */
  readonly noTools?: true;
  /** Nor `tool_choice`. */
  readonly noToolChoice?: true;
}

export function openrouter(options: OpenRouterOptions = {}): ZooServer {
  const { window = 200_000, stated = window } = options;
  const key = "sk-or-v1-0";
  const model = "anthropic/claude-sonnet-4.5";
  const base = "/api/v1";
  const entry = {
    id: model,
    canonical_slug: "anthropic/claude-4.5-sonnet-20250929",
    name: "Anthropic: Claude Sonnet 4.5",
    created: 1_700_000_000,
    description: "A model",
    // The provider that serves it reads less (earendil-works/pi issue 6378).
    context_length: stated * 4,
    architecture: {
      modality: "text->text",
      input_modalities: ["text"],
      output_modalities: ["text"],
      tokenizer: "Claude",
      instruct_type: null,
    },
    pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003" },
    top_provider: { context_length: stated, max_completion_tokens: 64_000, is_moderated: false },
    per_request_limits: null,
    supported_parameters: options.noTools ? ["max_tokens"] : ["max_tokens", "tools", "tool_choice"],
    default_parameters: null,
    supported_voices: null,
    links: { details: `/api/v1/models/${model}/endpoints` },
  };
  const protocol = chatProtocol(STYLE, {
    target: `${base}/chat/completions`,
    rules: [
      ...(options.noTools ? [noTools] : []),
      ...(options.noToolChoice ? [noToolChoice] : []),
      order,
      reasoningBack,
    ],
    overflow: overflow(window),
  });
  return {
    name: options.noTools ? "OpenRouter without tools" : "OpenRouter",
    sources: ["npm @openrouter/sdk", "openrouter.ai/docs/api/reference/errors-and-debugging"],
    model,
    window,
    base,
    key,
    gate: bearer(
      key,
      (sent) => error(401, sent === undefined ? "No auth credentials found" : "User not found."),
    ),
    protocol: {
      ...reshaped(protocol, inOpenRoutersForm),
      whole(asked, said) {
        const reply = protocol.whole(asked, said) as Chunk;
        reply.choices[0].message.reasoning_details = whole(detailsOf(said));
        return reply;
      },
    },
    routes: {
      [`GET ${base}/models`]: () =>
        Response.json({ data: [entry], links: { next: null }, total_count: 1 }),
    },
    notFound: () => error(404, "Not Found"),
  };
}

/** OpenAI's Responses without stored items: models that reason, and those that do not. */
import { badToolName, unknownField } from "./chat_rules.ts";
import {
  failed,
  isIntact,
  readInput,
  responseOf,
  streamOf,
  type WireItem,
} from "./responses_wire.ts";
import type { Asked, Rule, Said, ZooServer, ZooSizes } from "./zoo.ts";

const KEY = "sk-zoo-key";

const gate: Rule = ({ headers }) => {
  if (headers.get("authorization") === `Bearer ${KEY}` && !headers.has("x-api-key")) return;
  return failed(401, "Incorrect API key provided.", { code: "invalid_api_key" });
};

/** Fields of `ResponseCreateParamsBase` in npm `openai` 7.57.0. */
const FIELDS = [
  ...["model", "input", "instructions", "tools", "tool_choice", "stream", "store", "include"],
  ...["reasoning", "max_output_tokens", "temperature", "top_p", "prompt_cache_key", "text"],
  ...["parallel_tool_calls", "metadata", "truncation", "user", "safety_identifier", "service_tier"],
  ...[
    "previous_response_id",
    "background",
    "max_tool_calls",
    "prompt_cache_retention",
    "stream_options",
  ],
];

const MESSAGE = ["type", "role", "content", "phase", "id", "status"];
/** Fields of input items, by type; a reasoning item's `status` is "Unknown parameter" (BerriAI/litellm#13420). */
const ITEM_FIELDS: Readonly<Record<string, readonly string[]>> = {
  message: MESSAGE,
  reasoning: ["type", "id", "summary", "content", "encrypted_content"],
  function_call: ["type", "id", "call_id", "name", "arguments", "status"],
  function_call_output: ["type", "id", "call_id", "output", "status"],
  item_reference: ["type", "id"],
};

const shape: Rule = ({ body }) => {
  if (body === undefined) return failed(400, "We could not parse the JSON body of your request.");
  const extra = unknownField(body, FIELDS);
  if (extra !== undefined) {
    return failed(400, `Unknown parameter: '${extra}'.`, {
      param: extra,
      code: "unknown_parameter",
    });
  }
  if (!Array.isArray(body.input) || body.input.length === 0) {
    return failed(400, "Missing required parameter: 'input'.", { param: "input" });
  }
  if (body.max_output_tokens !== undefined && body.max_output_tokens < 16) {
    return failed(
      400,
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${body.max_output_tokens} instead.`,
      { param: "max_output_tokens", code: "integer_below_min_value" },
    );
  }
  if ((body.prompt_cache_key ?? "").length > 64) {
    return failed(400, "Invalid 'prompt_cache_key': string too long.", {
      param: "prompt_cache_key",
    });
  }
};

const items: Rule = ({ body }) => {
  for (const [at, item] of body.input.entries()) {
    const fields = ITEM_FIELDS[item.type ?? "message"];
    if (fields === undefined) {
      return failed(400, `Invalid value: '${item.type}'.`, { param: `input[${at}].type` });
    }
    const extra = unknownField(item, fields);
    if (extra !== undefined) {
      const param = `input[${at}].${extra}`;
      return failed(400, `Unknown parameter: '${param}'.`, { param, code: "unknown_parameter" });
    }
    if (item.type === "reasoning" && !Array.isArray(item.summary)) {
      return failed(400, `Missing required parameter: 'input[${at}].summary'.`); // newo-ether/Agora#141
    }
    // openai/codex#14355
    if ((item.call_id ?? "").length > 64) {
      return failed(
        400,
        `Invalid 'input[${at}].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${item.call_id.length} instead.`,
        { param: `input[${at}].call_id`, code: "string_above_max_length" },
      );
    }
    if (item.type === "function_call" && !/^[a-zA-Z0-9_-]+$/.test(item.name)) {
      return failed(400, `Invalid 'input[${at}].name': string does not match pattern.`);
    }
  }
};

const tools: Rule = ({ body: { tools = [] } }) => {
  for (const [at, tool] of tools.entries()) {
    if (tool.type !== "function" || typeof tool.name !== "string") {
      return failed(400, `Missing required parameter: 'tools[${at}].name'.`);
    }
    if (badToolName([{ function: tool }]) !== undefined) {
      return failed(400, `Invalid 'tools[${at}].name': string does not match pattern.`);
    }
    const { required = [], properties = {} } = tool.parameters;
    // Strict unless told otherwise (platform.openai.com/docs/guides/function-calling, "Strict mode").
    if (tool.strict !== false && Object.keys(properties).some((name) => !required.includes(name))) {
      return failed(
        400,
        `Invalid schema for function '${tool.name}': 'required' is required to be supplied and to be an array including every key in properties.`,
        { param: `tools[${at}].parameters`, code: "invalid_function_parameters" },
      );
    }
  }
};

/** In the words of vercel/ai#7099 and of the forum posts that it links. */
const calls: Rule = ({ body }) => {
  const input: readonly WireItem[] = body.input;
  const ids = input.filter(({ type }) => type === "function_call").map(({ call_id }) => call_id);
  if (new Set(ids).size < ids.length) {
    return failed(400, "Duplicate function_call call_id in input.");
  }
  for (const [at, { type, call_id }] of input.entries()) {
    const others = input.filter((other) => other.call_id === call_id);
    if (type === "function_call" && !others.some((one) => one.type === "function_call_output")) {
      return failed(400, `No tool output found for function call ${call_id}.`, { param: "input" });
    }
    const before = input.slice(0, at).some((one) =>
      one.type === "function_call" && one.call_id === call_id
    );
    if (type === "function_call_output" && !before) {
      return failed(400, `No tool call found for function call output with call_id ${call_id}.`, {
        param: "input",
      });
    }
  }
};

/** Nothing is stored, so an id alone says nothing (opencode#2480); codex#8138; inspect_ai#1990. */
const reasoning: Rule = ({ body }) => {
  const input: readonly WireItem[] = body.input;
  for (const [at, item] of input.entries()) {
    if (item.type === "item_reference") {
      return failed(
        404,
        `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      );
    }
    if (item.type !== "reasoning") continue;
    if (item.encrypted_content === undefined) {
      return failed(
        404,
        `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`,
      );
    }
    if (!isIntact(item)) {
      return failed(
        400,
        `The encrypted content for item ${item.id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
        { code: "invalid_encrypted_content" },
      );
    }
    const next = input[at + 1];
    if (next === undefined || (next.type !== "function_call" && next.role !== "assistant")) {
      return failed(
        400,
        `Item '${item.id}' of type 'reasoning' was provided without its required following item.`,
        { param: "input" },
      );
    }
  }
};

/** What a turn of calls thought is not to be lost before it ends (cookbook.openai.com, "reasoning_items"). */
const reasoningKept: Rule = ({ body, said }) => {
  const input: readonly WireItem[] = body.input;
  if (input.at(-1)?.type !== "function_call_output") return;
  const { reply, turn } = said.at(-1) ?? {};
  if (!reply?.calls?.length) return;
  if (input.some(({ type, id }) => type === "reasoning" && id === `rs_zoo${turn}x0`)) return;
  return failed(400, `The zoo misses the reasoning of turn ${turn}.`);
};

/** openai/openai-node and vercel/ai: what models of each kind refuse. */
const reasons: Rule = ({ body }) => {
  const param = ["temperature", "top_p"].find((field) => field in body);
  if (param === undefined) return;
  return failed(400, `Unsupported parameter: '${param}' is not supported with this model.`, {
    param,
    code: "unsupported_parameter",
  });
};

/** pydantic-ai#2865; BerriAI/litellm#38842. */
const plain: Rule = ({ body }) => {
  if (body.reasoning !== undefined) {
    return failed(
      400,
      "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
      {
        param: "reasoning.effort",
        code: "unsupported_parameter",
      },
    );
  }
  if (body.include?.includes("reasoning.encrypted_content")) {
    return failed(400, "Encrypted content is not supported with this model.", { param: "include" });
  }
};

export interface ResponsesOptions extends ZooSizes {
  /** As gpt-5-codex does; gpt-4.1 does not. */
  readonly reasons?: boolean;
}

export function openaiResponses(options: ResponsesOptions = {}): ZooServer {
  const { window = 400_000, reasons: thinks = true } = options;
  const model = thinks ? "gpt-5.3-codex" : "gpt-4.1";
  const known: Rule = ({ body }: Asked) =>
    body.model === model ? undefined : failed(404, `The model '${body.model}' does not exist`, {
      code: "model_not_found",
    });
  /** A model that reasons does so before each reply. */
  const spoken = (said: Said): Said => {
    const { reasoning = `How to go on after ${said.turn}.`, ...reply } = said.reply;
    return { ...said, reply: thinks ? { ...reply, reasoning } : reply };
  };
  const chatOnly = () =>
    failed(
      404,
      "This model is only supported in v1/responses and not in v1/chat/completions.",
      { param: "model" },
    );
  return {
    name: thinks ? "OpenAI Responses" : "OpenAI Responses (no reasoning)",
    sources: ["platform.openai.com/docs/api-reference/responses", "npm openai 7.57.0"],
    model,
    window,
    base: "/v1",
    key: KEY,
    speaks: "responses",
    gate,
    protocol: {
      target: "/v1/responses",
      rules: [
        shape,
        known,
        items,
        tools,
        calls,
        reasoning,
        ...(thinks ? [reasons, reasoningKept] : [plain]),
      ],
      read: readInput,
      replyLimit: ({ body }) => body.max_output_tokens,
      overflow: () =>
        failed(
          400,
          "Your input exceeds the context window of this model. Please adjust your input and try again.",
          { param: "input", code: "context_length_exceeded" },
        ),
      stream: (asked, said) => streamOf(asked, spoken(said)),
      whole: (asked, said) => responseOf(asked, spoken(said), true),
    },
    routes: {
      "GET /v1/models": () =>
        Response.json({
          object: "list",
          data: [{ id: model, object: "model", created: 1_700_000_000, owned_by: "openai" }],
        }),
      "POST /v1/chat/completions": chatOnly,
    },
    notFound: () => failed(404, "Invalid URL"),
  };
}

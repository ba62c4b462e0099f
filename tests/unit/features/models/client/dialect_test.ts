/** What a server refuses is left out from then on, over real HTTP; each refusal in its vendor's words, with its source. */
import assert from "node:assert/strict";
import type { ModelFault, ModelRequest, Sampling } from "svc/features/models/client/model.ts";
import { lowerReplyLimit } from "svc/features/models/client/reply_limit.ts";
import { faultOf, QUESTION, route } from "tests/unit/features/models/asking.ts";
import { patientClient } from "./talking.ts";

const signal = new AbortController().signal;

// deno-lint-ignore no-explicit-any -- a body as it came over the wire
type Body = any;

/** Answers "ok" to a body that `refuse` has nothing against. */
async function strictly<T>(
  refuse: (body: Body) => readonly [status: number, answer: unknown] | undefined,
  use: (at: { readonly url: string; readonly asked: Body[] }) => Promise<T>,
): Promise<T> {
  const asked: Body[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const body = await request.json();
    asked.push(body);
    const refused = refuse(body);
    if (refused !== undefined) return Response.json(refused[1], { status: refused[0] });
    return Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] });
  });
  try {
    return await use({ url: `http://127.0.0.1:${server.addr.port}/v1`, asked });
  } finally {
    await server.shutdown();
  }
}

const withSampling = (url: string, sampling: Sampling = {}) =>
  patientClient(url, { route: route(url, { sampling }) });

const ask = (model: ReturnType<typeof patientClient>, more: Partial<ModelRequest> = {}) =>
  model.ask({ ...QUESTION, ...more }, { signal });

const ALL: Sampling = {
  temperature: 0.7,
  topP: 0.8,
  topK: 20,
  minP: 0.05,
  repetitionPenalty: 1.05,
  reasoningEffort: "low",
};

Deno.test("sampling is sent under the names that servers take, and only what is set", async () => {
  await strictly(() => undefined, async ({ url, asked }) => {
    await ask(withSampling(url, ALL));
    await ask(withSampling(url, { temperature: 0 }));
    await ask(withSampling(url));
    const fields = (body: Body) => {
      const { model: _, messages: _m, tools: _t, stream: _s, stream_options: _o, ...rest } = body;
      return rest;
    };
    assert.deepEqual(fields(asked[0]), {
      temperature: 0.7,
      top_p: 0.8,
      top_k: 20,
      min_p: 0.05,
      repetition_penalty: 1.05,
      repeat_penalty: 1.05,
      reasoning_effort: "low",
      chat_template_kwargs: { reasoning_effort: "low" },
    });
    assert.deepEqual(asked.slice(1).map(fields), [{ temperature: 0 }, {}]);
  });
});

interface FieldRefusal {
  /** Where the words stand. */
  readonly source: string;
  readonly fields: readonly string[];
  readonly status: number;
  readonly answer: (field: string) => unknown;
}

const openai = (message: (field: string) => string) => (field: string) => ({
  error: { message: message(field), type: "invalid_request_error", param: null, code: null },
});

const FIELD_REFUSALS: readonly FieldRefusal[] = [
  {
    source: "OpenAI, xlinx/sd-webui-decadetw-auto-prompt-llm#29",
    fields: ["top_k", "min_p", "repetition_penalty", "repeat_penalty", "chat_template_kwargs"],
    status: 400,
    answer: openai((field) => `Unrecognized request argument supplied: ${field}`),
  },
  {
    source: "OpenAI's gpt-5, owndev/Open-WebUI-Functions#98",
    fields: ["temperature", "top_p"],
    status: 400,
    answer: openai((field) =>
      `Unsupported value: '${field}' does not support 0.7 with this model. Only the default (1) value is supported.`
    ),
  },
  {
    source: "Mistral, mistralai/platform-docs-public#7: JSON within the message",
    fields: ["min_p", "top_k", "stream_options"],
    status: 422,
    answer: (field) => ({
      object: "error",
      message: JSON.stringify({
        detail: [{ type: "extra_forbidden", loc: ["body", field], input: 0 }],
      }),
      type: "internal_error_proxy",
    }),
  },
  {
    source: "NIM, NVIDIA/garak#748",
    fields: ["repetition_penalty", "reasoning_effort"],
    status: 422,
    answer: (field) => ({
      title: "Unprocessable Entity",
      status: 422,
      detail: `body -> ${field}\n  Extra inputs are not permitted (type=extra_forbidden)`,
    }),
  },
  {
    source: "Gemini's OpenAI endpoint, ai.google.dev/gemini-api/docs/openai",
    fields: ["top_k", "min_p", "chat_template_kwargs"],
    status: 400,
    answer: (field) => [{
      error: {
        code: 400,
        message: `Invalid JSON payload received. Unknown name "${field}": Cannot find field.`,
      },
    }],
  },
];

for (const { source, fields, status, answer } of FIELD_REFUSALS) {
  Deno.test(`a field that is refused by name is left out from then on (${source})`, async () => {
    const refuse = (body: Body) => {
      const found = fields.find((field) => field in body);
      return found === undefined ? undefined : [status, answer(found)] as const;
    };
    await strictly(refuse, async ({ url, asked }) => {
      const model = withSampling(url, ALL);
      for (let turn = 0; turn < 3; turn++) assert.equal((await ask(model)).text, "ok");
      assert.equal(asked.length, fields.length + 3);
      assert.equal(asked.at(-1).messages.length, 2);
    });
  });
}

/** Thinking modes of DeepSeek (deepseek-ai/DeepSeek-V3#1376) and Qwen (cloudwego/eino#994), older vLLM, OpenRouter. */
const CHOICE_REFUSALS: readonly (readonly [number, string])[] = [
  [400, "Thinking mode does not support this tool_choice"],
  [
    400,
    "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode",
  ],
  [422, 'Value error, `tool_choice` must either be a named tool, "auto", or "none".'],
  [404, "No endpoints found that support the provided 'tool_choice' value."],
];

for (const [status, message] of CHOICE_REFUSALS) {
  Deno.test(`a call is asked for until the server refuses that: ${message.slice(0, 60)}`, async () => {
    const refuse = (body: Body) =>
      "tool_choice" in body ? [status, { error: { message } }] as const : undefined;
    await strictly(refuse, async ({ url, asked }) => {
      const model = patientClient(url);
      await ask(model, { toolChoice: "required" });
      await ask(model, { toolChoice: "required" });
      assert.deepEqual(asked.map((body) => body.tool_choice), ["required", undefined, undefined]);
      assert.ok(asked.every((body) => body.tools.length === 1));
    });
  });
}

Deno.test("a call is asked for only where tools are offered natively", async () => {
  const noTools = (body: Body) =>
    body.tools
      ? [400, { error: { message: "this model does not support tools" } }] as const
      : undefined;
  await strictly(noTools, async ({ url, asked }) => {
    await ask(patientClient(url), { toolChoice: "required" });
    await ask(patientClient(url), { toolChoice: "required", tools: [] });
    assert.deepEqual(asked.map((body) => body.tool_choice), ["required", undefined, undefined]);
  });
});

interface LimitRefusal {
  readonly said: string;
  readonly asked: number;
  readonly tokens: number | undefined;
  readonly lasting?: boolean;
}

/** Each as users report it; the sources are the issues and pages named in reply_limit.ts. */
const LIMITS: readonly LimitRefusal[] = [
  {
    said:
      "max_tokens is too large: 50000. This model supports at most 32768 completion tokens, whereas you provided 50000.",
    asked: 50_000,
    tokens: 32_768,
  },
  {
    said:
      "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022",
    asked: 32_000,
    tokens: 8_192,
  },
  {
    said:
      "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
    asked: 32_000,
    tokens: 8_192,
  },
  {
    said:
      "The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead. Request id: 0217752964393142fa50",
    asked: 32_000,
    tokens: 12_288,
  },
  {
    said: "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
    asked: 32_000,
    tokens: 8_192,
  },
  {
    said:
      "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 27342. To increase, visit https://openrouter.ai/settings/credits",
    asked: 32_000,
    tokens: 27_342,
  },
  {
    said:
      "Unable to submit request because it has a maxOutputTokens value of 32000 but the supported range is from 1 (inclusive) to 8193 (exclusive).",
    asked: 32_000,
    tokens: 8_192,
  },
  {
    said:
      "The maximum tokens you requested exceeds the model limit of 8192. Try again with a maximum tokens value that is lower than 8192.",
    asked: 32_000,
    tokens: 8_191,
  },
  { said: "max_tokens is too large", asked: 32_000, tokens: 16_000 },
  {
    said:
      "Request too large for model `llama-3.3-70b-versatile` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 42137, please reduce your message size and try again.",
    asked: 32_000,
    tokens: 1_863,
  },
  {
    said:
      "Request too large for gpt-4.1 in organization org-l on tokens per min (TPM): Limit 30000, Requested 37313. The input or output tokens must be reduced in order to run successfully.",
    asked: 32_000,
    tokens: 15_000,
  },
  {
    said:
      "'max_tokens' or 'max_completion_tokens' is too large: 64000. This model's maximum context length is 64001 tokens and your request has 24235 input tokens (64000 > 64001 - 24235).",
    asked: 64_000,
    tokens: 39_765,
    lasting: false,
  },
  {
    said:
      "This model's maximum context length is 8192 tokens. However, you requested 8256 tokens (64 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
    asked: 8_192,
    tokens: 8_127,
    lasting: false,
  },
  {
    said:
      "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again",
    asked: 32_000,
    tokens: 9_999,
    lasting: false,
  },
  {
    said:
      "`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 5000 `inputs` tokens and 4000 `max_new_tokens`",
    asked: 4_000,
    tokens: 3_192,
    lasting: false,
  },
  // What is left holds no call, or nothing is said of a reply: the fault stands.
  {
    said:
      "'max_tokens' is too large: 500. This model's maximum context length is 8192 tokens and your request has 8100 input tokens",
    asked: 500,
    tokens: undefined,
  },
  {
    said: "Rate limit reached: Limit 6000, Used 5034, Requested 1443.",
    asked: 32_000,
    tokens: undefined,
  },
  {
    said: "Unsupported parameter: 'max_tokens' is not supported",
    asked: 32_000,
    tokens: undefined,
  },
  { said: "The prompt exceeds the context window", asked: 32_000, tokens: undefined },
];

for (const { said, asked, tokens, lasting = true } of LIMITS) {
  Deno.test(`lowerReplyLimit reads ${tokens} out of "${said.slice(0, 70)}…"`, () => {
    const limit = lowerReplyLimit(400, said, asked);
    assert.deepEqual(limit, tokens === undefined ? undefined : { tokens, lasting });
    assert.equal(lowerReplyLimit(400, said, undefined), undefined);
  });
}

for (
  const [status, said] of [[400, LIMITS[0]!], [402, LIMITS[5]!], [413, LIMITS[9]!], [
    429,
    LIMITS[10]!,
  ]] as const
) {
  Deno.test(`a reply's limit is lowered once where the server answers ${status} with what it takes`, async () => {
    const refuse = ({ max_tokens }: Body) =>
      max_tokens > said.tokens! ? [status, { error: { message: said.said } }] as const : undefined;
    await strictly(refuse, async ({ url, asked }) => {
      const model = patientClient(url);
      for (let turn = 0; turn < 3; turn++) await ask(model, { maxTokens: said.asked });
      assert.deepEqual(asked.map(({ max_tokens }) => max_tokens), [
        said.asked,
        said.tokens,
        said.tokens,
        said.tokens,
      ]);
    });
  });
}

Deno.test("what one prompt leaves of the window bounds that reply alone", async () => {
  let room = 700;
  const refuse = ({ max_tokens }: Body) =>
    max_tokens <= room ? undefined : [400, {
      error: {
        message:
          `'max_tokens' or 'max_completion_tokens' is too large: ${max_tokens}. This model's maximum context length is 1000 tokens and your request has ${
            1000 - room
          } input tokens (${max_tokens} > ${room}).`,
      },
    }] as const;
  await strictly(refuse, async ({ url, asked }) => {
    const model = patientClient(url);
    await ask(model, { maxTokens: 900 });
    room = 900;
    await ask(model, { maxTokens: 900 });
    assert.deepEqual(asked.map(({ max_tokens }) => max_tokens), [900, 699, 900]);
  });
});

Deno.test("a server that refuses whatever it is sent is asked a bounded number of times", async () => {
  const message =
    `max_tokens is too large; ${Object.keys(ALL)} tool_choice temperature top_p top_k min_p ` +
    "reasoning_effort stream_options max_completion_tokens does not support tools reasoning_content is missing";
  await strictly(() => [400, { error: { message } }], async ({ url, asked }) => {
    const model = withSampling(url, ALL);
    const fault: ModelFault = await faultOf(ask(model, { maxTokens: 32_000 }));
    assert.equal(fault.kind, "bad_request");
    assert.ok(asked.length <= 24, `${asked.length} requests`);
    const before = asked.length;
    await faultOf(ask(model, { maxTokens: 32_000 }));
    // A reply's limit that did not help is not kept.
    assert.equal(asked[before].max_tokens, 32_000);
  });
});

Deno.test("a server that lowers its limit at each request is not followed down", async () => {
  const refuse = ({ max_tokens }: Body) => {
    const message = `max_tokens is too large: it supports at most ${max_tokens - 1} tokens`;
    return [400, { error: { message } }] as const;
  };
  await strictly(refuse, async ({ url, asked }) => {
    await faultOf(ask(patientClient(url), { maxTokens: 32_000 }));
    assert.ok(asked.length <= 24, `${asked.length} requests`);
  });
});

Deno.test("a fault of the moment teaches nothing", async () => {
  let first = true;
  const refuse = () => {
    const answer = [503, {
      error: { message: "temperature of the machine: tool_choice" },
    }] as const;
    const now = first ? answer : undefined;
    first = false;
    return now;
  };
  await strictly(refuse, async ({ url, asked }) => {
    await ask(withSampling(url, ALL), { toolChoice: "required" });
    assert.deepEqual(asked.map(({ temperature }) => temperature), [0.7, 0.7]);
  });
});

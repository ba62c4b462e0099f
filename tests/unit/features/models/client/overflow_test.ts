import assert from "node:assert/strict";
import { ErrorResponse, responseFault } from "svc/features/models/client/error_response.ts";
import type { StatedSizes } from "svc/features/models/client/overflow.ts";
import { route } from "tests/unit/features/models/asking.ts";

const target = route("http://127.0.0.1:8080/v1");
const ports = { redact: (text: string) => text, now: 0 };

function fault(status: number, body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return responseFault(target, new ErrorResponse(status, text), ports);
}

const openai = (message: string, code: unknown = null) => ({ error: { message, code } });

/** Bodies as their servers send them; where they were read stands beside the words in `overflow.ts`. */
const BODIES: readonly (readonly [
  server: string,
  status: number,
  body: unknown,
  stated: StatedSizes,
])[] = [
  [
    "llama.cpp (llama.cpp#19774)",
    400,
    {
      error: {
        code: 400,
        message:
          "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 4390,
        n_ctx: 4096,
      },
    },
    { window: 4096, prompt: 4390 },
  ],
  [
    "llama.cpp, older (llama.cpp#15780)",
    500,
    {
      error: {
        code: 500,
        message:
          "the request exceeds the available context size. try increasing the context size or enable context shift",
        type: "exceed_context_size_error",
        n_prompt_tokens: 1407,
        n_ctx: 256,
      },
    },
    { window: 256, prompt: 1407 },
  ],
  [
    "llama.cpp while it writes (llama.cpp#19774)",
    500,
    { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
    {},
  ],
  [
    "vLLM up to 0.10",
    400,
    openai(
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (7000 in the messages, 2000 in the completion). Please reduce the length of the messages or completion.",
    ),
    { window: 8192, prompt: 7000, reply: 2000 },
  ],
  [
    "vLLM 0.10, flat",
    400,
    {
      object: "error",
      message:
        "This model's maximum context length is 32768 tokens. However, your request has 40001 input tokens. Please reduce the length of the input messages.",
      type: "BadRequestError",
      code: 400,
    },
    { window: 32768, prompt: 40001 },
  ],
  [
    "vLLM 0.11",
    400,
    openai(
      "'max_tokens' or 'max_completion_tokens' is too large: 24000. This model's maximum context length is 32768 tokens and your request has 9001 input tokens (24000 > 32768 - 9001).",
    ),
    { window: 32768, prompt: 9001, reply: 24000 },
  ],
  [
    "vLLM 0.17",
    400,
    openai(
      "You passed 1193 input tokens and requested 7000 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 1192 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=1193)",
    ),
    { window: 8192, prompt: 1193, reply: 7000 },
  ],
  [
    "vLLM 0.18",
    400,
    openai(
      "This model's maximum context length is 262144 tokens. However, you requested 16384 output tokens and your prompt contains at least 245761 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=245761)",
    ),
    { window: 262144, prompt: 245761, reply: 16384 },
  ],
  [
    "vLLM 0.18, max_tokens alone",
    400,
    openai(
      "max_tokens=9000 cannot be greater than max_model_len=max_total_tokens=8192. Please request fewer output tokens. (parameter=max_tokens, value=9000)",
    ),
    { window: 8192 },
  ],
  [
    "vLLM's engine",
    400,
    openai(
      "The decoder prompt (length 41003) is longer than the maximum model length of 40960. Make sure that `max_model_len` is no smaller than the number of text tokens.",
    ),
    { window: 40960, prompt: 41003 },
  ],
  [
    "LM Studio (lmstudio-bug-tracker#546)",
    400,
    {
      error:
        "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input.",
    },
    { window: 32768 },
  ],
  [
    "LM Studio 0.4 (openhuman#3550)",
    400,
    {
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter prompt.",
    },
    { window: 4096 },
  ],
  [
    "LM Studio 0.4 (opencode#11141)",
    400,
    { error: "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)" },
    { window: 7424 },
  ],
  [
    "Ollama",
    400,
    openai("prompt too long; exceeded max context length by 12 tokens"),
    {}, // 12 is no window
  ],
  ["Ollama (nano-brain#208)", 400, { error: "the input length exceeds the context length" }, {}],
  [
    "SGLang",
    400,
    {
      object: "error",
      message:
        "Requested token count exceeds the model's maximum context length of 262144 tokens. You requested a total of 267042 tokens: 201506 tokens from the input messages and 65536 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
      type: "BadRequestError",
      code: 400,
    },
    { window: 262144, prompt: 201506, reply: 65536 },
  ],
  [
    "SGLang's scheduler (sglang#8096)",
    400,
    openai("Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens)."),
    { window: 59862, prompt: 160062 },
  ],
  [
    "TGI",
    422,
    {
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 1244 `inputs` tokens and 1000 `max_new_tokens`",
      error_type: "validation",
    },
    { window: 2048, prompt: 1244, reply: 1000 },
  ],
  [
    "TGI, the prompt alone",
    422,
    {
      error: "Input validation error: `inputs` must have less than 1024 tokens. Given: 1872",
      error_type: "validation",
    },
    { window: 1024, prompt: 1872 },
  ],
  [
    "OpenAI",
    400,
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens. Please reduce the length of the messages.",
      "context_length_exceeded",
    ),
    { window: 128000, prompt: 130012 },
  ],
  [
    "OpenAI Responses",
    400,
    openai(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
    ),
    {},
  ],
  [
    "OpenAI, more than a minute allows (continue#11717)",
    429,
    openai(
      "Request too large for gpt-4.1 in organization org-x on tokens per min (TPM): Limit 30000, Requested 37313. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.",
      "rate_limit_exceeded",
    ),
    { window: 30000, prompt: 37313 },
  ],
  [
    "Groq, more than a minute allows",
    413,
    openai(
      "Request too large for model `openai/gpt-oss-120b` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 8000, Requested 9613, please reduce your message size and try again.",
      "rate_limit_exceeded",
    ),
    { window: 8000, prompt: 9613 },
  ],
  [
    "Groq",
    400,
    openai("Please reduce the length of the messages or completion.", "context_length_exceeded"),
    {},
  ],
  [
    "Anthropic",
    400,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "prompt is too long: 213462 tokens > 200000 maximum",
      },
    },
    { window: 200000, prompt: 213462 },
  ],
  [
    "Anthropic with max_tokens (continue#6080)",
    400,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message:
          "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again",
      },
    },
    { window: 200000, prompt: 199759, reply: 8192 },
  ],
  [
    "Anthropic, in bytes",
    413,
    {
      type: "error",
      error: { type: "request_too_large", message: "Request exceeds the maximum size" },
    },
    {},
  ],
  [
    "Gemini's OpenAI endpoint (gemini-cli#4692)",
    400,
    [{
      error: {
        code: 400,
        message:
          "The input token count (2845475) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    }],
    { window: 1048576, prompt: 2845475 },
  ],
  [
    "Mistral",
    400,
    {
      object: "error",
      message:
        "Prompt contains 240000 tokens and 0 draft tokens, too large for model with 128000 maximum context length",
      type: "invalid_request_prompt",
      code: "3051",
    },
    { window: 128000, prompt: 240000 },
  ],
  ["Bedrock", 400, { message: "Input is too long for requested model." }, {}],
  [
    "OpenRouter",
    400,
    openai(
      "This endpoint's maximum context length is 131,072 tokens. However, you requested about 145,010 tokens (144,000 of text input, 1,010 in the output). Please reduce the length of either one.",
    ),
    { window: 131072, prompt: 144000, reply: 1010 },
  ],
  [
    "OpenRouter, in a provider's words",
    400,
    {
      error: {
        code: 400,
        message: "Provider returned error",
        metadata: {
          provider_name: "Together",
          raw: JSON.stringify(openai(
            "The input (516368 tokens) is longer than the model's context length (262144 tokens).",
          )),
        },
      },
    },
    { window: 262144, prompt: 516368 },
  ],
  [
    "DeepSeek",
    400,
    openai(
      "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (136000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
    ),
    { window: 131072, prompt: 136000, reply: 4000 },
  ],
  [
    "xAI",
    400,
    {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    { window: 131072, prompt: 537812 },
  ],
  [
    "Moonshot",
    400,
    openai("Your request exceeded model token limit: 262144 (requested: 300000)"),
    { window: 262144, prompt: 300000 },
  ],
  [
    "GitHub Copilot",
    400,
    openai("prompt token count of 130012 exceeds the limit of 128000"),
    { window: 128000, prompt: 130012 },
  ],
  [
    "DashScope",
    400,
    openai("Range of input length should be [1, 129024]"),
    { window: 129024 },
  ],
];

for (const [server, status, body, stated] of BODIES) {
  Deno.test(`a prompt that is too long, as ${server} says it`, () => {
    const { kind, detail, message } = fault(status, body);
    assert.equal(kind, "context_overflow");
    assert.deepEqual(detail.stated, stated);
    const size = stated.window === undefined ? "" : ` of ${stated.window} tokens`;
    assert.ok(message.endsWith(`longer than its context window${size}`), message);
    // A gateway may pass the body on with a status of its own, or inside a stream.
    for (const other of [0, 400, 500]) {
      assert.equal(fault(other, body).kind, "context_overflow", `${other}`);
    }
  });
}

Deno.test("what only sounds like a prompt that is too long is none", () => {
  const rows: readonly (readonly [status: number, body: unknown, kind: string])[] = [
    // Bedrock's ThrottlingException.
    [
      503,
      { message: "Too many tokens, please wait before trying again." },
      "rate_limited",
    ],
    [
      429,
      openai(
        "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.",
      ),
      "rate_limited",
    ],
    [
      400,
      openai(
        "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
      ),
      "bad_request",
    ],
    [400, openai("tools[3].function.description is longer than 1024 characters"), "bad_request"],
    [500, openai("context deadline exceeded"), "server"],
  ];
  for (const [status, body, kind] of rows) {
    assert.equal(fault(status, body).kind, kind, JSON.stringify(body));
  }
});

Deno.test("a fault keeps the status of its answer, also of an error inside a stream", () => {
  assert.equal(fault(400, openai("unknown field")).detail.status, 400);
  assert.equal(fault(0, openai("boom", 500)).detail.status, 500);
  assert.equal(fault(0, openai("boom", "server_error")).detail.status, undefined);
});

import assert from "node:assert/strict";
import { redactor } from "svc/core/redact.ts";
import {
  ErrorResponse,
  responseFault,
  retryAfterMs,
} from "svc/features/models/client/error_response.ts";
import { transportFault } from "svc/features/models/client/faults.ts";
import { route } from "tests/unit/features/models/asking.ts";

const target = route("http://127.0.0.1:11434/v1", {
  provider: "ollama",
  model: "qwen3:8b",
  apiKeyEnv: "OPENAI_API_KEY",
});
const ports = { redact: redactor(["s3cret-value"]), now: 0 };

function fault(status: number, error: unknown, headers: HeadersInit = {}) {
  const text = typeof error === "string" ? error : JSON.stringify({ error });
  return responseFault(target, new ErrorResponse(status, text, new Headers(headers)), ports);
}

/** Words of providers, from their documentation and sources. */
const OVERFLOWS = [
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000",
  "the request exceeds the available context size. try increasing the context size",
  "prompt is too long: 213462 tokens > 200000 maximum",
  "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
  "Please reduce the length of the messages or completion.",
  "The number of tokens to keep from the initial prompt is greater than the context length",
  "input is too long for requested model",
  "prompt too long; exceeded max context length by 12 tokens",
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
  "invalid params, context window exceeds limit",
  "Your request exceeded model token limit: 262144",
  // llama.cpp tools/server; LM Studio (lmstudio-bug-tracker#2139); SGLang (sglang#4048, #8096); TGI (#628, #937)
  "Context size has been exceeded.",
  "Input does not fit in context length",
  "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).",
  "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
  "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 1244 `inputs` tokens and 1000 `max_new_tokens`",
  "Input validation error: `inputs` must have less than 1024 tokens. Given: 1872",
  // Anthropic (continue#6080); OpenAI Responses
  "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again",
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
];

Deno.test("responseFault knows how providers say that a prompt is too long", () => {
  for (const message of OVERFLOWS) {
    for (const status of [400, 422, 500]) {
      assert.equal(fault(status, { message }).kind, "context_overflow", message);
    }
  }
  assert.equal(fault(413, "").kind, "context_overflow");
  assert.equal(fault(429, { message: "tokens per minute: limit 30000" }).kind, "rate_limited");
});

Deno.test("responseFault sorts what providers answer", () => {
  const rows: readonly [number, unknown, string, pausesLane: boolean][] = [
    [401, { message: "bad key" }, "auth", true],
    [403, "", "auth", true],
    // Gemini; xAI; OpenAI, of a model that the project of the key may not use.
    [
      400,
      { code: 400, message: "API key not valid. Please pass a valid API key." },
      "auth",
      true,
    ],
    [
      400,
      { message: "Incorrect API key provided: xa***. You can obtain one from …" },
      "auth",
      true,
    ],
    [
      403,
      {
        message: "Project `proj_1` does not have access to model `gpt-4o`",
        type: "invalid_request_error",
        code: "model_not_found",
      },
      "not_found",
      true,
    ],
    [402, "", "quota", true],
    [429, { message: "x", code: "insufficient_quota" }, "quota", true],
    [400, { message: "Your credit balance is too low" }, "quota", true],
    [429, "", "rate_limited", false],
    [529, { message: "Overloaded" }, "rate_limited", false],
    [404, 'model "x" not found, try pulling it first', "not_found", true],
    [400, { message: "x", code: "model_not_found" }, "not_found", true],
    [500, "", "server", false],
    [504, "<html>", "server", false],
    [408, "", "server", false],
    [400, { message: "unknown field" }, "bad_request", false],
    [0, { message: "boom" }, "server", false],
  ];
  for (const [status, error, kind, pausesLane] of rows) {
    const found = fault(status, error);
    assert.equal(found.kind, kind, `${status} ${JSON.stringify(error)}`);
    assert.equal(found.detail.pausesLane, pausesLane, kind);
  }
});

Deno.test("a limit of what an account or a key may spend is no wrong key, request or moment", () => {
  const rows: readonly [number, unknown][] = [
    [400, {
      type: "invalid_request_error",
      message:
        "You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.",
    }],
    [403, {
      message:
        "Key limit exceeded (monthly limit). Manage it using https://openrouter.ai/settings/keys",
      code: 403,
    }],
    [
      429,
      "Your team 16f2151a has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit.",
    ],
    [403, "Sorry, your account balance is insufficient"],
    [429, { code: "1113", message: "余额不足或无可用资源包,请充值。" }],
    [403, "You have run out of credits or need a Grok subscription."],
    [429, "you (me) have reached your session usage limit, upgrade for higher limits"],
    [429, "you've reached your weekly usage limit, please wait or upgrade to continue"],
    [400, {
      ...{ code: "Arrearage", type: "Arrearage", param: null },
      message: "Access denied, please make sure your account is in good standing.",
    }],
    [400, {
      type: "budget_exceeded",
      message: "Budget has been exceeded! Current cost: 0.12, Max budget: 0.1",
    }],
  ];
  for (const [status, error] of rows) {
    const asked = typeof error === "string" ? JSON.stringify({ error }) : error;
    const { kind, detail, message } = fault(status, asked);
    assert.deepEqual([kind, detail.pausesLane], ["quota", true], message);
    assert.match(detail.remedy, /^Add credit or raise the limit at "ollama", or route/);
  }
});

/** As Groq answers its free plan, and OpenAI an account without a card: both advertise their page of billing. */
const MINUTE =
  "Rate limit reached for model `llama-3.3-70b-versatile` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Used 11486, Requested 1456. Please try again in 4.71s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing";
const CARDLESS =
  "Rate limit reached for gpt-4o in organization org-1 on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s. You can increase your rate limit by adding a payment method to your account at https://platform.openai.com/account/billing.";

Deno.test("a limit of a minute that advertises a larger plan is waited for", () => {
  const rated = (message: string, type = "tokens") => ({
    message,
    type,
    code: "rate_limit_exceeded",
  });
  const behind = { message: "Provider returned error", code: 429 };
  const rows: readonly [number, unknown, wait: number][] = [
    [429, rated(MINUTE), 4_710],
    [429, rated(CARDLESS, "requests"), 20_000],
    [0, rated(MINUTE), 4_710],
    [429, { ...behind, metadata: { raw: JSON.stringify({ error: rated(MINUTE) }) } }, 4_710],
    [429, rated(MINUTE.replace("4.71s", "1m2.5s")), 62_500],
    [429, rated(MINUTE.replace("4.71s", "260ms")), 260],
  ];
  for (const [status, error, wait] of rows) {
    const { kind, detail } = fault(status, error);
    assert.deepEqual([kind, detail.retryAfterMs], ["rate_limited", wait], JSON.stringify(error));
  }
  assert.equal(fault(429, rated(MINUTE), { "retry-after": "5" }).detail.retryAfterMs, 5_000);
  const day = MINUTE.replace("minute (TPM)", "day (TPD)").replace("4.71s", "9m38.016s");
  assert.equal(fault(429, rated(day)).kind, "quota");
  const large =
    "Request too large for model `x` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 12328, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing";
  for (const status of [413, 429]) {
    assert.equal(fault(status, rated(large)).kind, "context_overflow");
  }
});

Deno.test("responseFault quotes the provider in one redacted line, and nobody's key", () => {
  const { message } = fault(400, {
    message: `bad\n\u001b[31mfield s3cret-value ${"x".repeat(300)}`,
  });
  assert.match(message, /: it answered 400: "bad \[31mfield \[redacted\] x+…"$/);
  assert.equal(message.includes("\u001b"), false);
  assert.match(
    fault(401, { message: "Incorrect API key: sk-12" }).message,
    /refused the key \(401\)$/,
  );
  assert.equal(fault(502, "<html>secret page</html>").message.includes("html"), false);
});

Deno.test("a refusal that is a list of faults is told in its words, without the input", () => {
  const loc = ["body", "messages", 3, "user", "name"];
  const list = [
    { type: "extra_forbidden", loc, msg: "Extra inputs are not permitted", input: "Ada's code" },
    { type: "missing", loc: ["body", "tools"], msg: "Field required", input: { code: "Ada's" } },
  ];
  const words =
    '"body.messages.3.user.name: Extra inputs are not permitted; body.tools: Field required"';
  const object = { object: "error", type: "invalid_request_error", code: null };
  for (
    const body of [{ detail: list }, { ...object, message: { detail: list } }, {
      ...object,
      message: list,
    }]
  ) {
    const { message, kind } = fault(422, JSON.stringify(body));
    assert.equal(kind, "bad_request");
    assert.ok(message.endsWith(`: it answered 422: ${words}`), message);
  }
  const errors = [{ message: "AiError: no such capacity", code: 3040 }];
  assert.match(
    fault(500, JSON.stringify({ errors, success: false })).message,
    /no such capacity"$/,
  );
  for (const nothing of [{ detail: [null, 1, {}] }, { detail: {} }, { errors: "x" }, null, []]) {
    assert.match(fault(422, JSON.stringify(nothing)).message, /: it answered 422$/);
  }
});

Deno.test("remedies name the next command", () => {
  assert.equal(fault(404, "").detail.remedy, "Pull the model: ollama pull qwen3:8b");
  assert.equal(fault(401, "").detail.remedy, "Set OPENAI_API_KEY to a key of this provider");
  const gone = new TypeError("fetch failed", { cause: new Error("Connection refused") });
  assert.equal(
    transportFault(target, gone).detail.remedy,
    "Start the model server: ollama serve",
  );
  const own = { ...target, provider: "own", endpoint: "http://127.0.0.1:18181/v1" };
  assert.equal(
    transportFault(own, gone).detail.remedy,
    "Start the model server; where it listens on ::1 alone, name it as http://[::1]:18181",
  );
});

Deno.test("retryAfterMs reads seconds, dates and milliseconds, and no nonsense", () => {
  const read = (headers: HeadersInit) => retryAfterMs(new Headers(headers), 1_000_000);
  assert.equal(read({ "retry-after": "7" }), 7000);
  assert.equal(read({ "retry-after": "1.5" }), 1500);
  assert.equal(read({ "retry-after": new Date(1_003_000).toUTCString() }), 3000);
  assert.equal(read({ "retry-after": new Date(0).toUTCString() }), 0);
  assert.equal(read({ "retry-after-ms": "250", "retry-after": "9" }), 250);
  for (const value of ["soon", "", "-5", "NaN"]) {
    const found = read({ "retry-after": value });
    assert.ok(found === undefined || found >= 0, value);
  }
  assert.equal(read({}), undefined);
});

Deno.test("responseFault believes no wait of more than a day: a job would never come back", () => {
  const wait = (headers: HeadersInit, error: unknown = "") =>
    fault(429, error, headers).detail.retryAfterMs;
  const day = 86_400_000;
  // A time of the clock in place of seconds; more digits than a number holds.
  assert.equal(wait({ "retry-after": "1764330000" }), day);
  assert.equal(wait({ "retry-after": "99999999999999999999" }), day);
  assert.equal(wait({ "retry-after-ms": "1e300" }), day);
  assert.equal(wait({ "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" }), day);
  assert.equal(wait({}, { message: "x", details: [{ retryDelay: "999999999s" }] }), day);
  assert.equal(wait({ "retry-after": "80000" }), 80_000_000);
  assert.equal(wait({ "retry-after": "0" }), 0);
});

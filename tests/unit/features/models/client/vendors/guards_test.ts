/** The guards of the chat client hold for the vendors' packages too. */
import assert from "node:assert/strict";
import type { ModelFaultKind } from "svc/features/models/client/model.ts";
import { redactor } from "svc/core/redact.ts";
import { faultOf, QUESTION } from "tests/unit/features/models/asking.ts";
import {
  type Answer,
  asking,
  ENDPOINT,
  events,
  failing,
  type Json,
  message,
  OK,
  response,
  said,
  type VendorName,
  vendorRoute,
} from "./vendor_asking.ts";

const BOTH: readonly VendorName[] = ["responses", "messages"];

const VARIABLES = {
  OPENAI_API_KEY: "sk-env",
  OPENAI_ADMIN_KEY: "sk-env-admin",
  OPENAI_BASE_URL: "https://elsewhere.example/v1",
  OPENAI_ORG_ID: "org-env",
  OPENAI_PROJECT_ID: "proj-env",
  OPENAI_CUSTOM_HEADERS: "x-extra: 1",
  OPENAI_LOG: "debug",
  ANTHROPIC_API_KEY: "sk-ant-env",
  ANTHROPIC_AUTH_TOKEN: "token-env",
  ANTHROPIC_BASE_URL: "https://elsewhere.example",
  ANTHROPIC_CUSTOM_HEADERS: "x-extra: 1",
  ANTHROPIC_LOG: "debug",
  OTEL_TRACES_EXPORTER: "console",
};

async function withVariables(work: () => Promise<void>): Promise<void> {
  const before = Object.keys(VARIABLES).map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(VARIABLES)) Deno.env.set(name, value);
  try {
    await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  }
}

/** All that the console is given meanwhile. */
async function printed(work: () => Promise<void>): Promise<unknown[]> {
  const lines: unknown[] = [];
  const names = ["log", "info", "warn", "error", "debug"] as const;
  const before = names.map((name) => console[name]);
  for (const name of names) console[name] = (...args: unknown[]) => void lines.push(args);
  try {
    await work();
  } finally {
    names.forEach((name, at) => console[name] = before[at]!);
  }
  return lines;
}

const HEADERS = {
  accept: "text/event-stream",
  "user-agent": "svc",
  "content-type": "application/json",
};

Deno.test("no variable of the environment reaches a vendor, and no header but svc's own", async () => {
  await withVariables(async () => {
    const lines = await printed(async () => {
      const openai = asking("responses", [OK.responses]);
      await openai.ask();
      assert.equal(openai.sent[0]!.url, `${ENDPOINT}/responses`);
      const authorization = "Bearer sk-test-key-1234";
      assert.deepEqual(openai.sent[0]!.headers, { ...HEADERS, authorization });

      const anthropic = asking("messages", [OK.messages]);
      await anthropic.ask();
      assert.equal(anthropic.sent[0]!.url, `${ENDPOINT}/messages`);
      assert.deepEqual(anthropic.sent[0]!.headers, {
        ...HEADERS,
        "anthropic-version": "2023-06-01",
        "x-api-key": "sk-test-key-1234",
      });
    });
    assert.deepEqual(lines, []);
  });
});

Deno.test("a server without a key gets none, also where the environment has one", async () => {
  await withVariables(async () => {
    for (const protocol of BOTH) {
      const { ask, sent } = asking(protocol, [OK[protocol]], { key: undefined });
      await ask();
      const names = Object.keys(sent[0]!.headers);
      assert.ok(!names.includes("authorization") && !names.includes("x-api-key"), `${names}`);
    }
  });
});

/** npm `@anthropic-ai/sdk` has a list of such, and writes a warning for each to the console. */
const DEPRECATED = "claude-sonnet-4-5";

Deno.test("a deprecated model's name writes nothing to the console", async () => {
  const lines = await printed(async () => {
    const route = vendorRoute("messages", { model: DEPRECATED });
    await asking("messages", [OK.messages], { route }).ask();
  });
  assert.deepEqual(lines, []);
});

for (const protocol of BOTH) {
  Deno.test(`${protocol}: a key never goes over a network unencrypted`, () => {
    const route = vendorRoute(protocol, { endpoint: "http://192.168.1.20:8000/v1" });
    assert.throws(() => asking(protocol, [], { route }), { kind: "auth" });
  });

  Deno.test(`${protocol}: nothing secret leaves, in text, calls, results, tools or sealed items`, async () => {
    const secret = "hunter2hunter2";
    const sealed = {
      responses: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: secret },
    };
    const thinking = { type: "thinking", thinking: secret, signature: "sig" };
    const { ask, sent, client } = asking(protocol, [OK[protocol]], { redact: redactor([secret]) });
    const madeBy = `${client.profile.endpoint} some-model`;
    await ask({
      messages: [
        { role: "system", text: `You know ${secret}.` },
        { role: "user", text: secret },
        {
          role: "assistant",
          text: secret,
          calls: [{ id: "call_1", name: "look", args: JSON.stringify({ a: secret }) }],
          reasoning: {
            text: secret,
            items: [protocol === "responses" ? sealed.responses : thinking, { place: "text" }],
            madeBy,
          },
        },
        { role: "tool", callId: "call_1", text: `${secret} is here` },
      ],
      tools: [{
        type: "function",
        function: { name: "look", description: secret, parameters: { type: "object" } },
      }],
    });
    assert.ok(!sent[0]!.text.includes(secret), sent[0]!.text);
    assert.ok(
      !/"reasoning"|"thinking"/.test(JSON.stringify(sent[0]!.body.input ?? sent[0]!.body.messages)),
    );
    assert.ok(sent[0]!.text.includes("[redacted] is here"));
  });

  Deno.test(`${protocol}: a redirect is not followed`, async () => {
    const headers = { location: "https://elsewhere.example/v1" };
    const moved = new Response(null, { status: 307, headers });
    const { ask, sent } = asking(protocol, [moved]);
    const fault = await faultOf(ask());
    assert.equal(fault.kind, "protocol");
    assert.match(fault.message, /redirects elsewhere \(307\)/);
    assert.equal(sent.length, 1);
  });

  Deno.test(`${protocol}: what comes is bounded in lines and bytes`, async () => {
    const line = `data: ${"x".repeat(300_000)}\n\n`;
    const stream = (text: string) =>
      new Response(text, { headers: { "content-type": "text/event-stream" } });
    assert.equal((await faultOf(asking(protocol, [stream(line)]).ask())).kind, "too_large");
    const many = `: ${"x".repeat(1_000)}\n\n`.repeat(2_200);
    assert.equal((await faultOf(asking(protocol, [stream(many)]).ask())).kind, "too_large");
  });

  Deno.test(`${protocol}: silence ends in a fault, and cancelling in another`, async () => {
    const silent: Answer = (_, signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    assert.equal((await faultOf(asking(protocol, [silent]).ask())).kind, "idle");

    const cancel = new AbortController();
    const asked = asking(protocol, [silent]).ask(QUESTION, cancel.signal);
    cancel.abort();
    assert.equal((await faultOf(asked)).kind, "cancelled");
  });

  Deno.test(`${protocol}: a page, half an answer and broken JSON are no reply`, async () => {
    const page = new Response("<html>", { headers: { "content-type": "text/html" } });
    assert.match(
      (await faultOf(asking(protocol, [page]).ask())).message,
      /answered with "text\/html"/,
    );

    const half: Json = protocol === "responses"
      ? { type: "response.output_text.delta", output_index: 0, delta: "Hal" }
      : { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hal" } };
    const again = asking(protocol, [events(half), OK[protocol]]);
    assert.equal((await again.ask()).text, "ok");
    assert.equal(again.sent.length, 2);

    const broken = new Response('event: message_start\ndata: {"type":\n\n', {
      headers: { "content-type": "text/event-stream" },
    });
    const lines = await printed(async () => {
      const fault = await faultOf(asking(protocol, Array(5).fill(broken)).ask());
      assert.equal(fault.kind, "protocol");
      assert.match(fault.message, /broken JSON/);
    });
    assert.deepEqual(lines, []);
  });

  Deno.test(`${protocol}: the package tries once, and svc five times with its own waits`, async () => {
    const busy = failing(503, { error: { message: "busy" } }, {
      "retry-after": "7",
      "x-should-retry": "true",
    });
    const { ask, sent } = asking(protocol, Array(5).fill(busy));
    const fault = await faultOf(ask());
    assert.deepEqual([fault.kind, fault.detail.retryAfterMs], ["server", 7_000]);
    assert.equal(sent.length, 5);
  });

  Deno.test(`${protocol}: the words of an error do not pass for a timeout`, async () => {
    const route = vendorRoute(protocol, { endpoint: "https://timeout.example/v1" });
    const denied = failing(401, { error: { message: "timed out? no: bad key" } });
    const fault = await faultOf(asking(protocol, [denied], { route }).ask());
    assert.equal(fault.kind, "auth");
    assert.ok(!fault.message.includes("bad key"));
  });
}

interface Refused {
  readonly status: number;
  readonly error: Json;
  readonly kind: ModelFaultKind;
}

/** platform.openai.com/docs/guides/error-codes, platform.claude.com/docs/en/api/errors, and issues that show them. */
const REFUSALS: Readonly<Record<VendorName, readonly Refused[]>> = {
  responses: [
    { status: 401, error: { message: "Incorrect API key", code: "invalid_api_key" }, kind: "auth" },
    {
      status: 429,
      error: { message: "Slow down", code: "rate_limit_exceeded" },
      kind: "rate_limited",
    },
    { status: 429, error: { message: "Quota", code: "insufficient_quota" }, kind: "quota" },
    {
      status: 404,
      error: { message: "No such model", code: "model_not_found" },
      kind: "not_found",
    },
    {
      status: 400,
      error: {
        message: "Your input exceeds the context window of this model.",
        code: "context_length_exceeded",
      },
      kind: "context_overflow",
    },
    { status: 400, error: { message: "Invalid schema", param: "tools[0]" }, kind: "bad_request" },
    { status: 500, error: { message: "Our fault", code: "server_error" }, kind: "server" },
  ],
  messages: [
    {
      status: 401,
      error: { type: "authentication_error", message: "invalid x-api-key" },
      kind: "auth",
    },
    { status: 403, error: { type: "permission_error", message: "no" }, kind: "auth" },
    { status: 404, error: { type: "not_found_error", message: "model: x" }, kind: "not_found" },
    {
      status: 400,
      error: {
        type: "invalid_request_error",
        message: "prompt is too long: 210 tokens > 200 maximum",
      },
      kind: "context_overflow",
    },
    {
      status: 400,
      error: { type: "invalid_request_error", message: "Your credit balance is too low" },
      kind: "quota",
    },
    { status: 429, error: { type: "rate_limit_error", message: "slow" }, kind: "rate_limited" },
    {
      status: 529,
      error: { type: "overloaded_error", message: "Overloaded" },
      kind: "rate_limited",
    },
    { status: 500, error: { type: "api_error", message: "Internal" }, kind: "server" },
    {
      status: 413,
      error: { type: "request_too_large", message: "too large" },
      kind: "context_overflow",
    },
  ],
};

for (const protocol of BOTH) {
  Deno.test(`${protocol}: what the vendor refuses is a fault of its kind`, async () => {
    for (const { status, error, kind } of REFUSALS[protocol]) {
      const body = protocol === "messages" ? { type: "error", error } : { error };
      const fault = await faultOf(asking(protocol, Array(5).fill(failing(status, body))).ask());
      assert.equal(fault.kind, kind, JSON.stringify(error));
    }
  });
}

Deno.test("an error inside a stream is a fault of its kind too", async () => {
  const kindOf = async (protocol: VendorName, ...all: Json[]) =>
    (await faultOf(asking(protocol, Array(5).fill(events(...all))).ask())).kind;
  const start = { type: "message_start", message: { usage: { input_tokens: 1 } } };
  const anthropicError = (type: string) => ({ type: "error", error: { type, message: type } });
  assert.equal(await kindOf("messages", start, anthropicError("overloaded_error")), "rate_limited");
  assert.equal(await kindOf("messages", start, anthropicError("api_error")), "server");
  assert.equal(
    await kindOf("messages", start, anthropicError("invalid_request_error")),
    "bad_request",
  );

  const failed = (code: string) => ({
    type: "response.failed",
    response: { status: "failed", output: [], error: { code, message: code } },
  });
  assert.equal(await kindOf("responses", failed("server_error")), "server");
  assert.equal(await kindOf("responses", failed("rate_limit_exceeded")), "rate_limited");
  assert.equal(await kindOf("responses", failed("context_length_exceeded")), "context_overflow");
  assert.equal(await kindOf("responses", failed("invalid_prompt")), "bad_request");
  assert.equal(await kindOf("responses", failed("bio_policy")), "bad_request");
  const event = { type: "error", code: "insufficient_quota", message: "no", param: null };
  assert.equal(await kindOf("responses", event), "quota");
});

Deno.test("an answer that broke off in the middle is asked for again, and the person is told", async () => {
  const text = {
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: "Hal" },
  };
  const start = {
    type: "content_block_start",
    index: 0,
    content_block: { type: "text", text: "" },
  };
  const { ask, heard } = asking("messages", [
    events(start, text),
    message([{ type: "text", text: "Half." }]),
  ]);
  assert.equal((await ask()).text, "Half.");
  assert.match(heard(), /^Hal\n\[the answer broke off; asking again\]\nHalf\.$/);
  const openai = asking("responses", [response([said("Half.")])]);
  await openai.ask();
  assert.equal(openai.heard(), "Half.");
});

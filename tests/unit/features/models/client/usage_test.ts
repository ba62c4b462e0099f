import assert from "node:assert/strict";
import { promptTokens, reportedUsage } from "svc/features/models/client/usage.ts";
import { replyParts } from "svc/features/models/client/reply_parts.ts";
import { deepseek } from "tests/kit/servers/deepseek.ts";
import { openaiChat } from "tests/kit/servers/openai_chat.ts";
import { openZoo } from "tests/kit/servers/zoo.ts";
import { profile, QUESTION, route } from "tests/unit/features/models/asking.ts";
import { patientClient } from "./talking.ts";

const COUNTED = { prompt_tokens: 100, completion_tokens: 7 };

for (
  const [vendor, more, cachedIn] of [
    ["OpenAI, vLLM, OpenRouter", { prompt_tokens_details: { cached_tokens: 60 } }, 60],
    ["DeepSeek", { prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }, 60],
    ["Moonshot", { cached_tokens: 60 }, 60],
    ["a proxy of Anthropic", { cache_read_input_tokens: 60 }, 60],
    ["llama.cpp", { timings: { cache_n: 60, prompt_n: 40, predicted_n: 7 } }, 60],
    ["a server that had none", { prompt_tokens_details: { cached_tokens: 0 } }, 0],
    ["a server that counts wrongly", { cached_tokens: 600 }, 100],
    ["a server that says nothing", { prompt_tokens_details: null }, undefined],
    ["a server that says nonsense", { prompt_tokens_details: { cached_tokens: "x" } }, undefined],
  ] as const
) {
  Deno.test(`cached tokens are read from the usage of ${vendor}`, () => {
    assert.deepEqual(reportedUsage({ ...COUNTED, ...more }), {
      tokensIn: 100,
      ...(cachedIn !== undefined && { cachedIn }),
      tokensOut: 7,
      estimated: false,
    });
  });
}

for (
  const [vendor, more, cacheWriteIn] of [
    ["OpenRouter", { prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 } }, 30],
    ["a proxy of Anthropic", {
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 30,
    }, 30],
    ["a server that counts wrongly", {
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 90 },
    }, 40],
  ] as const
) {
  Deno.test(`tokens that go into the cache are read from the usage of ${vendor}`, () => {
    assert.deepEqual(reportedUsage({ ...COUNTED, ...more }), {
      tokensIn: 100,
      cachedIn: 60,
      cacheWriteIn,
      tokensOut: 7,
      estimated: false,
    });
  });
}

Deno.test("a cache that a gateway counts beside the prompt is a part of what the model read", () => {
  const anthropic = (read: number, written: number) => ({
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  });
  const rows: readonly [object, tokensIn: number, cachedIn: number, cacheWriteIn: number][] = [
    // As Portkey's gateway had it of Bedrock; then without a total, and with one of the two alone.
    [{ prompt_tokens: 368, total_tokens: 10_923, ...anthropic(10_536, 0) }, 10_904, 10_536, 0],
    [{ prompt_tokens: 3, ...anthropic(900, 97) }, 1_000, 900, 97],
    [{ prompt_tokens: 3, total_tokens: 22, ...anthropic(900, 97) }, 1_000, 900, 97],
    [{ prompt_tokens: 368, total_tokens: 687, ...anthropic(200, 100) }, 668, 200, 100],
    // LiteLLM counts them in the prompt.
    [{ prompt_tokens: 1_000, total_tokens: 1_019, ...anthropic(900, 97) }, 1_000, 900, 97],
  ];
  for (const [counts, tokensIn, cachedIn, cacheWriteIn] of rows) {
    assert.deepEqual(
      reportedUsage({ completion_tokens: 19, ...counts }),
      { tokensIn, cachedIn, cacheWriteIn, tokensOut: 19, estimated: false },
    );
  }
});

/** ggml-org/llama.cpp#15827 shows the last chunk of a stream. */
Deno.test("llama.cpp's timings count where it was asked for no usage", () => {
  const parts = replyParts();
  parts.take({ choices: [], timings: { cache_n: 236, prompt_n: 1, predicted_n: 35 } });
  assert.deepEqual(reportedUsage(parts.collected().usage), {
    tokensIn: 237,
    cachedIn: 236,
    tokensOut: 35,
    estimated: false,
  });
});

for (const server of [deepseek(), openaiChat()]) {
  Deno.test(`${server.name} says what it had in its cache`, async () => {
    await using zoo = await openZoo(server, { steps: [{ reply: { text: "ok" }, always: true }] });
    const { model, key } = server;
    const asked = patientClient(zoo.url, {
      route: route(zoo.url, { model }),
      profile: profile(zoo.url, { model }),
      key: key!,
    });
    const ask = () => asked.ask(QUESTION, { signal: new AbortController().signal });
    const [first, second] = [await ask(), await ask()];
    assert.equal(first.usage.cachedIn, 0);
    assert.equal(second.usage.cachedIn, second.usage.tokensIn - 1);
  });
}

Deno.test("reasoning counts in a prompt's estimate, and not in its lower bound", () => {
  const reply = { role: "assistant", content: "Done." } as const;
  const thought = "x".repeat(4_000);
  const tokens = (message: object, dense: boolean) =>
    promptTokens({ messages: [{ ...reply, ...message }] }, dense);
  const bare = tokens({}, false);
  const chunks = [{ type: "thinking", thinking: [{ type: "text", text: thought }] }];
  for (const more of [{ reasoning_content: thought }, { content: chunks }]) {
    assert.ok(tokens(more, false) >= bare + 999);
    assert.ok(tokens(more, true) <= bare);
  }
});

Deno.test("counts that no server can have had count as none, in sums too", () => {
  const most = Number.MAX_SAFE_INTEGER;
  for (const prompt_tokens of [most, -1, 1.5, 1e308, "100", null, 100_000_001]) {
    assert.equal(reportedUsage({ prompt_tokens, completion_tokens: 1 }), undefined);
  }
  const others = { cached_tokens: most, completion_tokens: most, total_tokens: most };
  assert.deepEqual(reportedUsage({ prompt_tokens: 100, ...others }), {
    ...{ tokensIn: 100, tokensOut: 0, estimated: false },
  });
  assert.equal(reportedUsage({ timings: { prompt_n: most, predicted_n: 1 } }), undefined);
});

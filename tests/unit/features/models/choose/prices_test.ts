import assert from "node:assert/strict";
import { calcPrice, findProvider } from "@pydantic/genai-prices";
import fc from "fast-check";
import { costFor, costOf, makers } from "svc/features/models/choose/prices.ts";

/** As npm's @pydantic/genai-prices calls the makers. */
const PROVIDERS: Readonly<Record<string, string>> = {
  "https://api.openai.com": "openai",
  "https://api.anthropic.com": "anthropic",
  "https://generativelanguage.googleapis.com": "google",
  "https://api.mistral.ai": "mistral",
};

/** The day of the newest list that was compared; prices that begin later are not ours. */
const timestamp = new Date("2026-09-23T12:00:00Z");

const use = fc.record({
  fresh: fc.nat(60_000),
  cachedIn: fc.nat(60_000),
  cacheWriteIn: fc.nat(60_000),
  tokensOut: fc.nat(100_000),
}).map(({ fresh, ...rest }) => ({
  ...rest,
  tokensIn: fresh + rest.cachedIn + rest.cacheWriteIn,
}));

Deno.test("each listed model costs what npm's @pydantic/genai-prices says of the same use", () => {
  for (const { origin, prices } of makers()) {
    for (const [model, price] of Object.entries(prices)) {
      const writes = price.cache_write !== undefined;
      fc.assert(
        fc.property(use, (one) => {
          const cacheWriteIn = writes ? one.cacheWriteIn : 0;
          const theirs = calcPrice(
            {
              input_tokens: one.tokensIn,
              cache_read_tokens: one.cachedIn,
              cache_write_tokens: cacheWriteIn,
              output_tokens: one.tokensOut,
            },
            model,
            { providerId: PROVIDERS[origin]! },
          );
          assert.ok(theirs !== null, model);
          const ours = costOf({ ...one, cacheWriteIn }, price)!;
          assert.ok(Math.abs(ours - theirs.total_price) < 1e-6, `${model}: ${ours}`);
        }),
        { numRuns: 20 },
      );
    }
  }
});

Deno.test("a price that holds for short prompts alone is the one that npm's list gives to those", () => {
  for (const { origin, prices } of makers()) {
    const theirs = findProvider({ providerId: PROVIDERS[origin]! })!;
    for (const [model, { up_to, ...price }] of Object.entries(prices)) {
      const at = (tokens: number) =>
        calcPrice({ input_tokens: tokens, output_tokens: 0 }, model, {
          provider: theirs,
          timestamp,
        })!
          .total_price / tokens;
      const base = at(1_000);
      assert.ok(Math.abs(base - price.input / 1e6) < 1e-12, model);
      const long = at(1_000_000);
      assert.equal(long > base * 1.01, up_to !== undefined, `${model} at a million tokens`);
      if (up_to === undefined) continue;
      assert.ok(Math.abs(at(up_to) - base) < 1e-12, `${model} at ${up_to} tokens`);
      const use = { tokensIn: up_to + 1, tokensOut: 0 };
      assert.equal(costOf(use, { ...price, up_to }), undefined);
      assert.ok(costOf({ ...use, largestIn: 9_000 }, { ...price, up_to })! > 0);
    }
  }
});

const USE = { tokensIn: 1_000_000, cachedIn: 200_000, tokensOut: 100_000 };
const live = (endpoint: string, model: string) => ({
  route: { endpoint, model },
  evidence: "live" as const,
});

Deno.test("costFor: the user's own price, else free on the own network, else the maker's list, else unknown", () => {
  const openai = "https://api.openai.com/v1";
  const price = (cost_usd: number) => ({ cost_basis: "price", cost_usd });
  const unknown = { cost_basis: "unknown", cost_usd: null };
  const local = { cost_basis: "local", cost_usd: null };
  const gpt5 = price(0.8 * 1.25 + 0.2 * 0.125 + 0.1 * 10);
  const own = { "acme-*": { input: 1, output: 2 } };
  const table: readonly [endpoint: string, model: string, expected: unknown][] = [
    [openai, "gpt-5", gpt5],
    [openai, "gpt-5-2025-08-07", gpt5],
    [openai, "gpt-5-mystery", unknown],
    [openai, "gpt-4o-2024-05-13", price(6.5)],
    [openai, "constructor", unknown],
    ["https://api.anthropic.com/v1", "claude-opus-4-5-20251101", price(6.6)],
    [
      "https://generativelanguage.googleapis.com/v1beta/openai",
      "models/gemini-2.5-flash",
      price(0.496),
    ],
    ["https://openrouter.ai/api/v1", "openai/gpt-5", unknown],
    ["https://gateway.example/v1", "gpt-5", unknown],
    ["https://gateway.example/v1", "acme-large", price(1.2)],
    ["http://127.0.0.1:8080/v1", "acme-large", price(1.2)],
    ["http://127.0.0.1:8080/v1", "gpt-5", local],
    ["http://[::1]:8080/v1", "m", local],
    ["http://192.168.1.20:8000/v1", "m", local],
    ["http://172.31.0.2:8000/v1", "m", local],
    ["http://172.32.0.2:8000/v1", "m", unknown],
    ["http://10.evil.example/v1", "m", unknown],
    ["http://127.0.0.1:11434/v1", "gpt-oss:120b-cloud", unknown],
  ];
  for (const [endpoint, model, expected] of table) {
    assert.deepEqual(costFor(live(endpoint, model), USE, own), expected, `${endpoint} ${model}`);
  }
});

Deno.test("costFor: a model that plays back costs nothing that counts, and no use has no cost", () => {
  const fixture = { ...live("https://api.openai.com/v1", "gpt-5"), evidence: "fixture" as const };
  assert.deepEqual(costFor(fixture, USE, { "*": { input: 9, output: 9 } }), {
    cost_basis: "fixture",
    cost_usd: null,
  });
  const unused = costFor(live("http://127.0.0.1:1/v1", "m"), { tokensIn: 0, tokensOut: 0 }, {});
  assert.deepEqual(unused, { cost_basis: null, cost_usd: null });
});

import assert from "node:assert/strict";
import {
  choicesOf,
  localLack,
  type ModelWish,
  unattendedChoice,
} from "svc/features/setup/choice.ts";
import type { Surroundings } from "svc/features/setup/look_around.ts";
import { cloudModels, ranked, suggestedCloud } from "svc/features/setup/suggest.ts";
import { verifies } from "tests/kit/verifies.ts";

const OLLAMA = { provider: "ollama", endpoint: "http://127.0.0.1:11434/v1" };
const LLAMA = { provider: "llama.cpp", endpoint: "http://127.0.0.1:8080/v1" };
const KEY = { provider: "openai", endpoint: "https://api.openai.com/v1", keyEnv: "OPENAI_API_KEY" };
const OTHER = { provider: "gemini", endpoint: "https://g.example/v1", keyEnv: "GEMINI_API_KEY" };

const around = (more: Partial<Surroundings> = {}): Surroundings => ({
  servers: [],
  strangers: [],
  keys: [],
  ...more,
});
const wish = (more: Partial<ModelWish> = {}): ModelWish => ({
  inference: undefined,
  current: undefined,
  memoryBytes: 32e9,
  ...more,
});

Deno.test("of many models the one comes first that calls tools, writes code and fits", () => {
  const models = [
    { id: "llama3:8b", tools: false },
    { id: "qwen3:4b", tools: true },
    { id: "qwen3-coder:30b", tools: true },
    { id: "qwen3-coder:480b", tools: true },
    { id: "mystery" },
    { id: "gpt-oss:20b", tools: true },
  ];
  const order = (memoryBytes: number) =>
    ranked([{ ...OLLAMA, models }], { memoryBytes }).map(({ id }) => id);
  assert.deepEqual(order(32e9), [
    "qwen3-coder:30b",
    "gpt-oss:20b",
    "qwen3:4b",
    "qwen3-coder:480b",
    "mystery",
    "llama3:8b",
  ]);
  assert.equal(order(8e9)[0], "qwen3:4b");
});

Deno.test("of a cloud's models the newest general one comes first", () => {
  const entries = ["gpt-4.1", "gpt-5", "gpt-5-mini", "gpt-5.2", "o3", "gpt-image-1"].map((id) => ({
    id,
  }));
  const ids = cloudModels("openai", entries);
  assert.equal(suggestedCloud("openai", ids), "gpt-5.2");
  assert.equal(ids.length, entries.length);
  const claude = [
    "claude-haiku-4-5-20251001",
    "claude-sonnet-4-20250514",
    "claude-sonnet-4-5-20250929",
  ];
  const sonnets = cloudModels("anthropic", claude.map((id) => ({ id })));
  assert.equal(suggestedCloud("anthropic", sonnets), "claude-sonnet-4-5-20250929");
  assert.equal(suggestedCloud("openai", cloudModels("openai", [{ id: "ft:mine" }])), undefined);
});

Deno.test("what is kept, what was found, clouds, later: in this order", () => {
  const found = around({
    servers: [{ ...OLLAMA, models: [{ id: "a" }, { id: "b" }] }],
    keys: [KEY],
  });
  const kinds = (more: Partial<ModelWish>) =>
    choicesOf(found, wish(more)).map((choice) =>
      choice.kind === "server" ? choice.candidate.id : choice.kind
    );
  assert.deepEqual(kinds({}), ["a", "b", "cloud", "later"]);
  assert.deepEqual(kinds({ inference: "local" }), ["a", "b", "later"]);
  assert.deepEqual(kinds({ inference: "cloud" }), ["cloud", "later"]);
  const current = { ...OLLAMA, model: "b" };
  assert.deepEqual(kinds({ current }), ["given", "a", "cloud", "later"]);
  assert.deepEqual(kinds({ current, inference: "local" }), ["a", "b", "later"]);
});

Deno.test("a server of one model is not bound to the name of what it runs today", () => {
  const model = (server: typeof LLAMA, ids: readonly string[]) => {
    const found = around({ servers: [{ ...server, models: ids.map((id) => ({ id })) }] });
    const [first] = choicesOf(found, wish());
    return first?.kind === "server" && first.model.model;
  };
  assert.equal(model(LLAMA, ["qwen.gguf"]), undefined);
  assert.equal(model(LLAMA, ["a", "b"]), "a");
  assert.equal(model(OLLAMA, ["a"]), "a");
});

verifies(
  "4.5:setup:yes",
  "unasked, setup takes what runs on this machine, no cloud that nobody named, and says which answer it needs",
  () => {
    const local = around({ servers: [{ ...OLLAMA, models: [{ id: "a" }] }], keys: [KEY] });
    assert.equal(unattendedChoice(local, wish()).kind, "server");
    assert.equal(unattendedChoice(local, wish({ inference: "defer" })).kind, "later");
    assert.equal(unattendedChoice(around(), wish({ noneWillDo: true })).kind, "later");
    assert.equal(unattendedChoice(local, wish({ noneWillDo: true })).kind, "server");
    assert.equal(unattendedChoice(local, wish({ inference: "cloud" })).kind, "cloud");
    const current = { ...OLLAMA, model: "b" };
    assert.deepEqual(unattendedChoice(around(), wish({ current })), {
      kind: "given",
      model: current,
    });
    const cases: readonly [Partial<Surroundings>, Partial<ModelWish>, string, RegExp][] = [
      [{}, {}, "answer_needed", /--inference defer; or start a model server/],
      [{ keys: [KEY] }, {}, "answer_needed", /Add --inference cloud, --model-endpoint/],
      [
        { keys: [KEY, OTHER] },
        { inference: "cloud" },
        "answer_needed",
        /api\.openai\.com\/v1#<model>, or --model-endpoint https:\/\/g\.ex/,
      ],
      [{}, { inference: "cloud" }, "environment", /^export OPENAI_API_KEY/],
      [
        { keys: [KEY] },
        { inference: "local" },
        "environment",
        /^start a model server.*; or add --download --yes, and svc runs a model itself$/,
      ],
      [{}, { inference: "cloud", noneWillDo: true }, "environment", /^export OPENAI_API_KEY/],
    ];
    for (const [found, asked, code, remedy] of cases) {
      assert.throws(() => unattendedChoice(around(found), wish(asked)), (thrown: Error) => {
        assert.equal((thrown as Error & { code?: string }).code, code);
        assert.match((thrown as Error & { remedy: string }).remedy, remedy);
        return true;
      });
    }
  },
);

Deno.test("a server without a model is named, with the command that gets it one", () => {
  const empty = around({ servers: [{ ...OLLAMA, models: [] }] });
  for (const inference of [undefined, "local"] as const) {
    assert.throws(() => unattendedChoice(empty, wish({ inference })), (thrown: Error) => {
      assert.match(
        thrown.message,
        /ollama at http:\/\/127\.0\.0\.1:11434\/v1 has no model that chats/,
      );
      assert.match((thrown as Error & { remedy: string }).remedy, /ollama pull <model>/);
      return true;
    });
  }
  const embeds = around({ servers: [{ ...LLAMA, models: [] }] });
  assert.equal(localLack(embeds).way, "start it with a model that chats");
  const refuses = around({
    strangers: [{ endpoint: LLAMA.endpoint, why: 'it answers 503 to "/models"' }],
  });
  assert.match(
    localLack(refuses).why,
    /passed over: http:\/\/127\.0\.0\.1:8080\/v1: it answers 503/,
  );
});

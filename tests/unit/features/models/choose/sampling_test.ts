import assert from "node:assert/strict";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import { isNamed } from "svc/features/models/choose/model_names.ts";
import {
  families,
  familyOf,
  type OwnSampling,
  samplingChoices,
  withSampling,
} from "svc/features/models/choose/sampling.ts";
import { ollamaModels } from "tests/kit/chat_templates.ts";

/** As publishers, servers and clouds name them. */
const PUBLISHED: readonly [family: string, ids: readonly string[]][] = [
  ["Qwen3-Coder", [
    "qwen3-coder:30b",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct-GGUF",
    "hf.co/unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:Q4_K_M",
    "qwen/qwen3-coder-30b",
    "/models/Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf",
    "unsloth_Qwen3-Coder-30B-A3B-Instruct-GGUF_Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf",
    "qwen/qwen3-coder:free",
    "accounts/fireworks/models/qwen3-coder-480b-a35b-instruct",
    "qwen.qwen3-coder-30b-a3b-v1:0",
    "qwen-3-coder-480b",
    "C:/models/QWEN3-CODER-30B.gguf",
  ]],
  ["Qwen3-Coder-Next", ["Qwen/Qwen3-Coder-Next-FP8", "qwen3-coder-next:latest"]],
  ["Qwen3 Instruct", [
    "Qwen/Qwen3-4B-Instruct-2507",
    "qwen3:30b-a3b-instruct-2507-q4_K_M",
    "qwen/qwen3-4b-2507",
    "qwen/qwen3-30b-a3b-2507",
    "mlx-community/Qwen3-Next-80B-A3B-Instruct-4bit",
    "qwen-3-235b-a22b-instruct-2507",
  ]],
  ["Qwen3", [
    "Qwen/Qwen3-32B",
    "qwen3:0.6b",
    "Qwen3-30B-A3B-Thinking-2507-UD-Q4_K_XL.gguf",
    "qwen/qwen3-4b-thinking-2507",
    "models--Qwen--Qwen3-32B/snapshots/9216db5781bf21249d130ec9da846c4624c16137",
    "qwen3-next:80b",
  ]],
  ["Qwen3.5 and 3.6", ["Qwen/Qwen3.6-27B", "qwen3.5:35b"]],
  ["Qwen3.8", ["Qwen/Qwen3.8-27B"]],
  ["gpt-oss", ["gpt-oss:20b", "openai/gpt-oss-120b", "openai.gpt-oss-120b-1:0"]],
  ["Devstral", [
    "devstral:24b",
    "mistralai/Devstral-Small-2507",
    "mistralai_Devstral-Small-2507-Q4_K_M.gguf",
    "devstral-medium-2507",
    "Devstral-Small-2-24B-Instruct-2512-Q8_0.gguf",
  ]],
  ["Mistral Small 3", [
    "mistralai/Mistral-Small-3.2-24B-Instruct-2506",
    "mistral-small3.2:24b",
    "Mistral-Small-24B-Instruct-2501-Q4_K_M.gguf",
  ]],
  ["GLM-4.5", ["zai-org/GLM-4.5-Air-FP8", "z-ai/glm-4.5"]],
  ["GLM-4.6 and later", ["zai-org/GLM-4.6", "glm-4.7-flash:latest", "z-ai/glm-5.2"]],
  ["DeepSeek-R1", [
    "deepseek-r1:14b",
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
    "deepseek/deepseek-r1-0528-qwen3-8b",
  ]],
  ["DeepSeek-V3.1", ["deepseek-v3.1:671b-cloud", "deepseek/deepseek-chat-v3.1"]],
  ["DeepSeek-V3.2", ["deepseek-ai/DeepSeek-V3.2-Exp"]],
  ["Kimi K2", ["moonshotai/Kimi-K2-Instruct-0905", "kimi-k2:1t-cloud"]],
  ["Kimi K2 Thinking", ["moonshotai/kimi-k2-thinking"]],
  ["Kimi K2.5 and later", ["moonshotai/Kimi-K2.5"]],
  ["MiniMax-M2", ["MiniMaxAI/MiniMax-M2", "minimax-m2.1:cloud"]],
  ["Llama 3", [
    "llama3.1:8b",
    "meta-llama/Llama-3.3-70B-Instruct",
    "Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf",
    "llama-3.3-70b-versatile",
  ]],
  ["Llama 4", ["meta-llama/llama-4-scout-17b-16e-instruct"]],
  ["Gemma 3", ["google/gemma-3-27b-it", "gemma3:12b-it-qat", "gemma-3n-E4B-it-Q4_K_M.gguf"]],
  ["Gemma 4", ["google/gemma-4-31B-it"]],
  ["Phi-4-reasoning", ["microsoft/Phi-4-reasoning-plus", "phi4-reasoning:14b"]],
  ["Nemotron 3 Nano", ["nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"]],
];

/** Near to a name above, and another model: no advice, or not that one. */
const OTHERS = [
  "",
  "svc-fixture",
  "gpt-5",
  "gpt-4o-mini",
  "claude-sonnet-4-5-20250929",
  "gemini-3-pro-preview",
  "deepseek-chat",
  "deepseek-v3:671b",
  "mistral-large-latest",
  "mistral-small-latest",
  "mistralai/Mistral-Small-4-119B-2603",
  "Qwen/Qwen3-Embedding-8B",
  "Qwen/Qwen3-VL-8B-Instruct",
  "qwen3-max",
  "qwen3.6-plus",
  "qwen2.5vl:latest",
  "zai-org/GLM-4.6V",
  "glm4:9b",
  "nvidia/Llama-3.1-Nemotron-70B-Instruct-HF",
  "NousResearch/Hermes-3-Llama-3.1-8B",
  "llama-guard3:8b",
  "microsoft/phi-4",
  "phi4-mini:3.8b",
  "ibm-granite/granite-4.0-h-small",
  "my-qwen3-coder-tune",
];

Deno.test("familyOf knows models by the names that publishers, servers and clouds give them", () => {
  for (const [family, ids] of PUBLISHED) {
    for (const id of ids) assert.equal(familyOf(id)?.family, family, id);
  }
  for (const id of OTHERS) assert.equal(familyOf(id)?.family, undefined, id);
});

Deno.test("the advice is what Ollama's library says of the same model, in npm's @huggingface/ollama-utils", async () => {
  const names = {
    temperature: "temperature",
    top_p: "top_p",
    top_k: "top_k",
    repetition_penalty: "repeat_penalty",
  } as const;
  const compared: string[] = [];
  for (const { model, ollama: { params = {} } } of await ollamaModels()) {
    // Ollama's own 0.1 for this size is not what Google's staff names for the family.
    if (model === "library/gemma3:1b") continue;
    const advised = familyOf(model)?.sampling ?? {};
    for (const key of Object.keys(names) as (keyof typeof names)[]) {
      const [ours, theirs] = [advised[key], params[names[key]]];
      if (ours === undefined || theirs === undefined) continue;
      assert.equal(ours, theirs, `${model}: ${key}`);
      compared.push(`${model} ${key}`);
    }
  }
  assert.ok(compared.length >= 20, compared.join(", "));
});

Deno.test("every family has a page of its maker, and a stem that no earlier family takes", () => {
  for (const { family, stems, source } of families()) {
    assert.ok(
      /^https:\/\/(?:huggingface\.co|github\.com\/openai|docs\.z\.ai|ai\.google\.dev)\//.test(
        source,
      ),
      source,
    );
    const own = stems.map((stem) => stem.replaceAll("#", "7"))
      .filter((name) => familyOf(name)?.family === family);
    assert.ok(own.length > 0, family);
  }
});

const QWEN: ModelRoute = {
  provider: "ollama",
  endpoint: "http://127.0.0.1:11434/v1",
  model: "qwen3-coder:30b",
  because: "override role engineer",
};

Deno.test("samplingChoices: the override, then the user's config, then the maker's advice, value by value", () => {
  const own: OwnSampling = {
    "*-coder*": { top_p: 0.9, temperature: 0.5, reasoning_effort: "low" },
    "qwen*": { top_k: 5 },
  };
  const source = "https://huggingface.co/Qwen/Qwen3-Coder-30B-A3B-Instruct#best-practices";
  assert.deepEqual(samplingChoices({ ...QWEN, sampling: { temperature: 0.2 } }, own), [
    { key: "temperature", value: 0.2, from: "override role engineer" },
    { key: "top_p", value: 0.9, from: 'models.sampling "*-coder*" of your config' },
    { key: "top_k", value: 20, from: "advice for Qwen3-Coder", source },
    { key: "repetition_penalty", value: 1.05, from: "advice for Qwen3-Coder", source },
    { key: "reasoning_effort", value: "low", from: 'models.sampling "*-coder*" of your config' },
  ]);
  assert.deepEqual(withSampling({ ...QWEN, sampling: { minP: 0, temperature: 0 } }, own).sampling, {
    temperature: 0,
    topP: 0.9,
    topK: 20,
    minP: 0,
    repetitionPenalty: 1.05,
    reasoningEffort: "low",
  });
});

Deno.test("withSampling says nothing of a model of which nothing is known", () => {
  const unknown = { ...QWEN, model: "mystery" };
  assert.equal(withSampling(unknown, {}), unknown);
  const unnamed = { ...QWEN, model: "" };
  assert.equal(withSampling(unnamed, { "*": { temperature: 1 } }), unnamed);
});

Deno.test("isNamed takes a name, a path or a pattern of one, in any case, and compares long ids fast", () => {
  const id = "Qwen/Qwen3-Coder-30B-A3B-Instruct";
  for (const pattern of [id, "qwen/*", "qwen3-coder*", "*30b*", "QWEN3-CODER-30B-A3B-INSTRUCT"]) {
    assert.ok(isNamed(id, pattern), pattern);
  }
  for (const pattern of ["qwen3", "coder", "qwen3.coder*", "q*x"]) assert.ok(!isNamed(id, pattern));
  assert.ok(!isNamed("a".repeat(1_000_000), "*a*b"));
});

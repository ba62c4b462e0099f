/** The strict local servers are true to what clients that nobody here wrote expect: npm `openai`, and npm `ollama` of its maker. */
import assert from "node:assert/strict";
import { Ollama } from "ollama";
import { llamaCpp } from "tests/kit/servers/llama_cpp.ts";
import { lmStudio } from "tests/kit/servers/lm_studio.ts";
import { mlxLm } from "tests/kit/servers/mlx_lm.ts";
import { ollama } from "tests/kit/servers/ollama.ts";
import { CLIENT_SCENARIO, openai, openaiClientTests } from "tests/kit/servers/openai_client.ts";
import { sglang } from "tests/kit/servers/sglang.ts";
import { vllm } from "tests/kit/servers/vllm.ts";
import { openZoo } from "tests/kit/servers/zoo.ts";

openaiClientTests([
  llamaCpp({ jinja: true }),
  llamaCpp({ jinja: true, router: true }),
  ollama({ tools: true }),
  vllm({ autoToolChoice: true }),
  sglang({ toolParser: true }),
  lmStudio({ v1: true }),
  mlxLm(),
]);

Deno.test("npm ollama reads the models of Ollama, what one can do and what is running", async () => {
  await using zoo = await openZoo(ollama({ tools: true, window: 16_384 }), CLIENT_SCENARIO);
  const { model } = zoo.server;
  const client = new Ollama({ host: new URL(zoo.url).origin });
  assert.deepEqual((await client.list()).models.map(({ name }) => name), [model]);
  assert.match((await client.version()).version, /^\d+\.\d+/);
  const { capabilities, model_info, details } = await client.show({ model });
  assert.deepEqual(capabilities, ["completion", "tools"]);
  // The client types it as a Map, and gives the JSON's object.
  const info = model_info as unknown as Readonly<Record<string, number>>;
  assert.equal(info[`${details.family}.context_length`], 262_144);
  await assert.rejects(client.show({ model: "llama9" }), /model 'llama9' not found/);

  assert.deepEqual((await client.ps()).models, []);
  await openai(zoo).chat.completions.create({
    model,
    messages: [{ role: "user", content: "Read the files." }],
  });
  const [loaded] = (await client.ps()).models;
  assert.equal(loaded?.name, model);
  assert.equal((loaded as unknown as { context_length: number }).context_length, 16_384);
});

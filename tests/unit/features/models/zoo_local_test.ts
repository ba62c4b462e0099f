/** svc against the local servers of the strict zoo: what each of them publishes about itself, held to the letter. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { listServed } from "svc/features/models/local/local_runtimes.ts";
import { llamaCpp } from "tests/kit/servers/llama_cpp.ts";
import { lmStudio } from "tests/kit/servers/lm_studio.ts";
import { mlxLm } from "tests/kit/servers/mlx_lm.ts";
import { ollama } from "tests/kit/servers/ollama.ts";
import { sglang } from "tests/kit/servers/sglang.ts";
import { vllm } from "tests/kit/servers/vllm.ts";
import { openZoo } from "tests/kit/servers/zoo.ts";
import { openAt, type ZooEntry, zooTests } from "tests/kit/servers/zoo_flows.ts";

const USUAL = {
  tools: "native",
  statesWindow: true,
  overflow: "refused",
  keepsReasoning: true,
  countsCached: false,
} as const;

/** Where calls are text, so are the conversations: there is no field for reasoning. */
const TEXT = { tools: "text", keepsReasoning: false } as const;

const LOCAL: readonly ZooEntry[] = [
  {
    ...USUAL,
    server: (sizes) => llamaCpp({ jinja: true, ...sizes }),
    countsCached: true,
  },
  {
    ...USUAL,
    server: (sizes) => llamaCpp({ jinja: false, ...sizes }),
    countsCached: true,
    ...TEXT,
    learns: [/^500 .*tools param requires --jinja flag/],
  },
  {
    ...USUAL,
    server: (sizes) => llamaCpp({ jinja: true, router: true, ...sizes }),
    countsCached: true,
  },
  {
    ...USUAL,
    server: (sizes) => llamaCpp({ jinja: true, shared: true, ...sizes }),
    countsCached: true,
  },
  {
    ...USUAL,
    server: (sizes) => ollama({ tools: true, ...sizes }),
    overflow: "cut",
  },
  {
    ...USUAL,
    server: (sizes) => ollama({ tools: false, ...sizes }),
    overflow: "cut",
    ...TEXT,
    learns: [/^400 .*does not support tools/],
  },
  { ...USUAL, server: (sizes) => vllm({ autoToolChoice: true, ...sizes }) },
  {
    ...USUAL,
    server: (sizes) => vllm({ autoToolChoice: false, ...sizes }),
    ...TEXT,
    learns: [/^400 .*requires --enable-auto-tool-choice/],
  },
  { ...USUAL, server: (sizes) => sglang({ toolParser: true, ...sizes }) },
  { ...USUAL, ...TEXT, server: (sizes) => sglang({ toolParser: false, ...sizes }) },
  { ...USUAL, server: (sizes) => lmStudio({ v1: true, ...sizes }) },
  { ...USUAL, server: (sizes) => lmStudio({ v1: false, ...sizes }) },
  {
    ...USUAL,
    server: mlxLm,
    statesWindow: false,
    overflow: "none",
    countsCached: true,
  },
];

zooTests(LOCAL);

for (const { server } of LOCAL) {
  const { name, model } = server();

  Deno.test(`svc models list shows what ${name} has`, async () => {
    await using zoo = await openZoo(server(), {});
    const ports = { fetch, signal: new AbortController().signal };
    const { models } = await listServed(ports, { runtime: "vllm", endpoint: zoo.url }, registry());
    assert.ok(models.some(({ id }) => id === model));
  });

  Deno.test(`a path that ${name} does not have is said to be the fault`, async () => {
    await using zoo = await openZoo(server(), {});
    const { origin } = new URL(zoo.url);
    for (const asked of ["", model]) {
      const opened = openAt(`${origin}/openai`, { model: asked });
      await assert.rejects(opened, (thrown: unknown) => {
        assert.ok(thrown instanceof Failure);
        assert.match(thrown.message, /^Cannot list the models at .*\/openai"/);
        assert.ok(thrown.remedy?.includes(`Give the base URL, such as ${origin}/v1`));
        return true;
      });
    }
  });
}

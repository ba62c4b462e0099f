import assert from "node:assert/strict";
import { type Registry, registry } from "svc/features/models/choose/registry.ts";
import { lookAround } from "svc/features/setup/look_around.ts";
import { systemClock } from "svc/platform/clock.ts";
import { llamaCpp } from "tests/kit/servers/llama_cpp.ts";
import { lmStudio } from "tests/kit/servers/lm_studio.ts";
import { ollama } from "tests/kit/servers/ollama.ts";
import { vllm } from "tests/kit/servers/vllm.ts";
import { openZoo, type ZooServer } from "tests/kit/servers/zoo.ts";

const look = (
  runtimes: Registry["runtimes"],
  env: Readonly<Record<string, string>> = {},
  allowed: readonly string[] = ["OPENAI_API_KEY", "GEMINI_API_KEY"],
) =>
  lookAround(
    {
      fetch,
      clock: systemClock,
      env: { get: (name) => env[name] },
      signal: new AbortController().signal,
    },
    { ...registry(), runtimes },
    allowed,
  );

const at = (id: Registry["runtimes"][number]["id"], endpoint: string) => ({
  id,
  endpoint,
  start: "",
});

/** As each publishes it; the port says nothing here, so that only its own pages tell what it is. */
const KNOWN: readonly [ZooServer, provider: string, window: number, tools: boolean | undefined][] =
  [
    [ollama({ tools: true }), "ollama", 4_096, true],
    [ollama({ tools: false }), "ollama", 4_096, false],
    [lmStudio({ v1: true }), "lm-studio", 32_768, true],
    [lmStudio({ v1: false }), "lm-studio", 32_768, true],
    [llamaCpp({ jinja: true }), "llama.cpp", 65_536, undefined],
  ];

for (const [server, provider, window, tools] of KNOWN) {
  Deno.test(`${server.name} is known by its own pages, with its models, windows and tools`, async () => {
    await using zoo = await openZoo(server, {});
    const { servers, strangers } = await look([at("vllm", zoo.url)]);
    assert.deepEqual(strangers, []);
    assert.deepEqual(servers, [{
      provider,
      endpoint: zoo.url,
      models: [{
        id: server.model,
        contextWindow: window,
        ...(tools !== undefined && { tools }),
      }],
    }]);
    assert.deepEqual(await zoo.refusals(), []);
    assert.ok(zoo.targets.every((target) => !target.includes("completions")), "no model is asked");
  });
}

Deno.test("vLLM says its window, and nothing of tools", async () => {
  const server = vllm({ autoToolChoice: true });
  await using zoo = await openZoo(server, {});
  const { servers } = await look([at("vllm", zoo.url)]);
  assert.equal(servers[0]?.provider, "vllm");
  assert.equal(servers[0]?.models[0]?.tools, undefined);
});

Deno.test("ports where nobody listens, and pages of something else, are passed over", async () => {
  const pages: Readonly<Record<string, () => Response>> = {
    "/html/v1/models": () => new Response("<h1>my app</h1>"),
    "/gone/v1/models": () => new Response("no", { status: 404 }),
    "/odd/v1/models": () => Response.json({ models: [] }),
  };
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    return pages[pathname]?.() ?? assert.fail(pathname);
  });
  const root = `http://127.0.0.1:${server.addr.port}`;
  const found = await look([
    at("ollama", "http://127.0.0.1:2/v1"),
    at("llama.cpp", `${root}/html/v1`),
    at("vllm", `${root}/gone/v1`),
    at("lm-studio", `${root}/odd/v1`),
  ]);
  assert.deepEqual(found.servers, []);
  assert.deepEqual(found.strangers.map(({ why }) => why), [
    "it is no OpenAI-compatible server",
    'it answers 404 to "/models"',
    "it lists no models",
  ]);
});

Deno.test("Ollama before its first pull lists null: a server without a model", async () => {
  const list = () => Response.json({ object: "list", data: null });
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, list);
  const endpoint = `http://127.0.0.1:${server.addr.port}/v1`;
  const found = await look([at("ollama", endpoint)]);
  assert.deepEqual(found.servers, [{ provider: "ollama", endpoint, models: [] }]);
  assert.deepEqual(found.strangers, []);
});

Deno.test("a hostile list names nothing that could not be stored", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) =>
      new URL(request.url).pathname === "/v1/models"
        ? Response.json({
          data: [{ id: "evil\x1b[2J" }, { id: "--flag" }, { id: "nomic-embed-text" }, {
            id: "fine:1",
          }],
        })
        : new Response("no", { status: 404 }),
  );
  const found = await look([at("vllm", `http://127.0.0.1:${server.addr.port}/v1`)]);
  assert.deepEqual(found.servers[0]?.models.map(({ id }) => id), ["fine:1"]);
});

Deno.test("keys are found by name: those that are set, known and allowed", async () => {
  const env = {
    OPENAI_API_KEY: "sk-1",
    GEMINI_API_KEY: "  ",
    ANTHROPIC_API_KEY: "sk-2",
    GITHUB_TOKEN: "x",
  };
  const { keys } = await look([], env);
  assert.deepEqual(keys, [{
    provider: "openai",
    endpoint: "https://api.openai.com/v1",
    keyEnv: "OPENAI_API_KEY",
  }]);
});

import assert from "node:assert/strict";
import { openaiClient } from "svc/features/models/client/client.ts";
import { preflight } from "svc/features/models/local/preflight.ts";
import { type SaidWindow, saidWindow } from "svc/features/models/local/server_window.ts";
import { type ModelEndpoint, modelEndpoint, type OtherPaths } from "tests/kit/model_endpoint.ts";
import { hastyClock, route, UNHURRIED } from "tests/unit/features/models/asking.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

type Json = Readonly<Record<string, unknown>>;

const json = (body: unknown) => () => Response.json(body);

interface Place {
  readonly owner?: string;
  readonly model?: string;
  readonly entry?: Json;
  readonly paths: OtherPaths;
}

/** What `svc` finds out on a server with these pages; `look` does it again, as a later run does. */
async function visit(
  { owner, model = "m", entry, paths }: Place,
  then: (
    look: () => ReturnType<typeof preflight>,
    endpoint: ModelEndpoint,
  ) => Promise<void>,
): Promise<void> {
  await using store = await tempStore();
  const models = [{ id: model, ...(owner !== undefined && { owned_by: owner }), ...entry }];
  await using endpoint = modelEndpoint({ models }, { paths });
  const look = () =>
    preflight({
      clock: hastyClock(),
      redact: (text) => text,
      signal: new AbortController().signal,
      connect: (plan) => openaiClient({ ...plan, random: () => 0 }),
      limits: UNHURRIED,
      db: store.db,
    }, route(endpoint.url, { model }));
  await then(look, endpoint);
}

/** docs/api.md of Ollama: "Show Model Information", "List Running Models". */
function ollama(state: {
  loaded: boolean;
  context?: number;
  readonly parameters?: string;
  readonly remote?: string;
}, model = "qwen3-coder:30b"): OtherPaths {
  return {
    "/api/ps": () => {
      const { loaded, context } = state;
      const running = { name: model, model, ...(context && { context_length: context }) };
      return Response.json({ models: loaded ? [running] : [] });
    },
    "/api/show": async (request) => {
      assert.deepEqual([request.method, await request.json()], ["POST", { model }]);
      return Response.json({
        details: { family: "qwen3moe" },
        model_info: {
          "general.architecture": "qwen3moe",
          "qwen3moe.context_length": 262_144,
          "qwen3moe.block_count": 48,
        },
        capabilities: ["completion", "tools"],
        ...(state.parameters && { parameters: state.parameters }),
        ...(state.remote && { remote_host: state.remote, remote_model: "qwen3-coder:480b" }),
      });
    },
  };
}

const OLLAMA = { owner: "library", model: "qwen3-coder:30b" };

Deno.test("Ollama's window is the one that the loaded model runs with, asked again whenever it is loaded anew", async () => {
  const state = { loaded: false, context: 4_096 };
  const paths = ollama(state);
  await visit({ ...OLLAMA, paths }, async (look, endpoint) => {
    const looks = async () => {
      const before = endpoint.probes.length;
      const { profile, notes } = await look();
      return { window: profile.contextWindow, notes, probed: endpoint.probes.length - before };
    };
    // The answer to the probe loads the model.
    const shown = paths["/api/ps"]!;
    Object.assign(paths, {
      "/api/ps": (request: Request) => {
        state.loaded ||= endpoint.probes.length > 0;
        return shown(request);
      },
    });
    const { notes, ...first } = await looks();
    assert.deepEqual(first, { window: 4_096, probed: 1 });
    assert.ok(
      notes.includes(
        `"${endpoint.url}" runs "qwen3-coder:30b" with 4096 of its 262144 tokens; for more: ` +
          "OLLAMA_CONTEXT_LENGTH=65536 ollama serve",
      ),
      notes.join("\n"),
    );
    const kept = await looks();
    assert.deepEqual([kept.window, kept.probed], [4_096, 0]);
    // Somebody took the advice.
    state.context = 65_536;
    const larger = await looks();
    assert.deepEqual([larger.window, larger.probed], [65_536, 1]);
    assert.ok(!larger.notes.some((note) => note.includes("for more")));
  });
});

Deno.test("a profile of a model that Ollama has unloaded meanwhile is not taken for true", async () => {
  const state = { loaded: true, context: 65_536 };
  await visit({ ...OLLAMA, paths: ollama(state) }, async (look, endpoint) => {
    assert.equal((await look()).profile.contextWindow, 65_536);
    state.loaded = false;
    await look();
    assert.equal(endpoint.probes.length, 2);
  });
});

const OLLAMAS: readonly (readonly [what: string, Place, window: number, note: RegExp])[] = [
  [
    "a num_ctx of its Modelfile",
    {
      ...OLLAMA,
      paths: ollama({
        loaded: false,
        parameters:
          'stop                           "<|im_end|>"\nnum_ctx                        32768',
      }),
    },
    32_768,
    /^$/,
  ],
  [
    "a version that does not say what runs",
    { ...OLLAMA, paths: ollama({ loaded: true }) },
    4_096,
    /does not state its context window: 4096 tokens are assumed/,
  ],
  [
    "a model of another namespace",
    {
      owner: "unsloth",
      model: "hf.co/unsloth/Qwen3-GGUF:Q4_K_M",
      paths: ollama({ loaded: true, context: 16_384 }, "hf.co/unsloth/Qwen3-GGUF:Q4_K_M"),
    },
    16_384,
    /16384 of its 262144/,
  ],
  [
    "a model that runs at ollama.com",
    { ...OLLAMA, paths: ollama({ loaded: false, remote: "https://ollama.com:443" }) },
    262_144,
    /^$/,
  ],
];

for (const [what, place, window, note] of OLLAMAS) {
  Deno.test(`Ollama's window with ${what}`, async () => {
    await visit(place, async (look) => {
      const { profile, notes } = await look();
      assert.equal(profile.contextWindow, window);
      assert.match(notes.join("\n"), note);
    });
  });
}

const instance = (id: string, context_length: number) => ({ id, config: { context_length } });

function lmStudio(loaded_instances: readonly unknown[], key = "qwen/qwen3-coder-30b"): OtherPaths {
  return {
    "/api/v1/models": json({
      models: [
        { type: "embedding", key: "nomic", loaded_instances: [], max_context_length: 2_048 },
        { type: "llm", key, loaded_instances, max_context_length: 262_144 },
      ],
    }),
  };
}

/** LM Studio answers 200 to a path that it does not have (lmstudio-bug-tracker#1323). */
const unexpected = (path: string) =>
  json({ error: `Unexpected endpoint or method. (GET ${path})` });

function olderLmStudio(state: "loaded" | "not-loaded"): OtherPaths {
  return {
    "/api/v1/models": unexpected("/api/v1/models"),
    "/api/v0/models": json({
      object: "list",
      data: [{
        id: "qwen/qwen3-coder-30b",
        type: "llm",
        state,
        max_context_length: 262_144,
        ...(state === "loaded" && { loaded_context_length: 8_192 }),
      }],
    }),
  };
}

const LM_STUDIO = { owner: "organization_owner", model: "qwen/qwen3-coder-30b" };

const SERVERS: readonly (readonly [what: string, Place, window: number, note?: RegExp])[] = [
  [
    "LM Studio's loaded instance",
    { ...LM_STUDIO, paths: lmStudio([instance("qwen/qwen3-coder-30b", 8_192)]) },
    8_192,
    /8192 of its 262144 tokens; for more: lms load qwen\/qwen3-coder-30b --context-length/,
  ],
  [
    "the smallest of LM Studio's instances",
    {
      ...LM_STUDIO,
      paths: lmStudio([instance("qwen/qwen3-coder-30b:2", 65_536), instance("other", 16_384)]),
    },
    16_384,
  ],
  [
    "an instance of LM Studio by its own name",
    {
      ...LM_STUDIO,
      model: "large",
      paths: lmStudio([instance("small", 4_096), instance("large", 131_072)]),
    },
    131_072,
  ],
  [
    "LM Studio's name with a quantisation",
    {
      ...LM_STUDIO,
      model: "qwen/qwen3-coder-30b@q4_k_m",
      paths: lmStudio([instance("a", 32_768)]),
    },
    32_768,
  ],
  [
    "LM Studio where nothing is loaded yet",
    { ...LM_STUDIO, paths: lmStudio([]) },
    4_096,
    /does not state its context window: 4096 tokens are assumed/,
  ],
  ["LM Studio before 0.4", { ...LM_STUDIO, paths: olderLmStudio("loaded") }, 8_192],
  [
    "LM Studio without its own API",
    {
      ...LM_STUDIO,
      paths: {
        "/api/v1/models": unexpected("/api/v1/models"),
        "/api/v0/models": unexpected("/api/v0/models"),
      },
    },
    4_096,
  ],
  [
    "llama.cpp's slot",
    {
      owner: "llamacpp",
      entry: { meta: { n_ctx_train: 262_144 } },
      paths: { "/props": json({ default_generation_settings: { n_ctx: 16_384 }, total_slots: 4 }) },
    },
    16_384,
    /16384 of its 262144 tokens; for more: start llama-server with -c/,
  ],
  [
    "a llama-server that names no owner",
    { owner: "me", paths: { "/props": json({ default_generation_settings: { n_ctx: 4_096 } }) } },
    4_096,
  ],
  [
    "llama-swap's server of the model",
    {
      owner: "llama-swap",
      model: "qwen/coder 30b",
      paths: {
        "/upstream/qwen/coder%2030b/props": json({
          default_generation_settings: { n_ctx: 24_576 },
        }),
      },
    },
    24_576,
  ],
  ["vLLM's list", { owner: "vllm", entry: { max_model_len: 40_960 }, paths: {} }, 40_960],
  ["SGLang's list", { owner: "sglang", entry: { max_model_len: 32_768 }, paths: {} }, 32_768],
  [
    "an older SGLang",
    {
      owner: "sglang",
      paths: { "/get_server_info": json({ context_length: 65_536, max_req_input_len: 59_862 }) },
    },
    59_862,
  ],
  [
    "TGI",
    {
      owner: "m",
      paths: { "/info": json({ model_id: "m", max_input_tokens: 4_095, max_total_tokens: 4_096 }) },
    },
    4_095,
  ],
  [
    "a server that says nothing, such as mlx_lm's",
    { owner: "", paths: {} },
    8_192,
    /does not state its context window: 8192 tokens are assumed; to say it: svc models override --all --provider \S+ --endpoint http:\S+ --model \S+ --context-window 8192$/,
  ],
];

for (const [what, place, window, note] of SERVERS) {
  Deno.test(`the window of ${what}: ${window}`, async () => {
    await visit(place, async (look) => {
      const { profile, notes } = await look();
      assert.equal(profile.contextWindow, window);
      if (note !== undefined) assert.match(notes.join("\n"), note);
    });
  });
}

Deno.test("a model of llama.cpp's router is asked for by name, never loaded by the question, and again once it is", async () => {
  let loaded = false;
  const queries: string[] = [];
  const paths: OtherPaths = {
    "/props": (request) => {
      const { search, searchParams } = new URL(request.url);
      queries.push(search);
      if (!searchParams.has("model")) {
        return Response.json({ role: "router", default_generation_settings: { n_ctx: 0 } });
      }
      if (!loaded) {
        const error = { code: 400, message: "model is not loaded", type: "invalid_request_error" };
        return Response.json({ error }, { status: 400 });
      }
      return Response.json({ default_generation_settings: { n_ctx: 12_288 } });
    },
  };
  const entry = { status: { value: "unloaded" } };
  await visit({ owner: "llamacpp", model: "a/b", entry, paths }, async (look, endpoint) => {
    assert.equal((await look()).profile.contextWindow, 8_192);
    assert.deepEqual(queries, ["?model=a%2Fb&autoload=false", "?model=a%2Fb&autoload=false"]);
    loaded = true;
    assert.equal((await look()).profile.contextWindow, 12_288);
    assert.equal((await look()).profile.contextWindow, 12_288);
    assert.equal(endpoint.probes.length, 2);
  });
});

async function asked(
  endpoint: string,
  entry: Json,
  stated = false,
): Promise<{ readonly said: SaidWindow; readonly urls: readonly string[] }> {
  const urls: string[] = [];
  const target = route(endpoint, { model: "m" });
  const fetch = (url: string | URL | Request) => {
    urls.push(String(url));
    return Promise.resolve(new Response("not here", { status: 404 }));
  };
  const signal = new AbortController().signal;
  const server = { ports: { fetch, clock: hastyClock() }, target, signal };
  return { said: await saidWindow(server, { id: "m", ...entry }, { stated }), urls };
}

Deno.test("an unknown server is asked for pages over plain http alone, and only where it states no window", async () => {
  const nobody = { owned_by: "acme" };
  assert.deepEqual((await asked("https://models.example/v1", nobody)).urls, []);
  assert.deepEqual((await asked("http://10.0.0.8:8000/v1", nobody, true)).urls, []);
  assert.deepEqual((await asked("http://10.0.0.8:8000/v1", nobody)).urls, [
    "http://10.0.0.8:8000/api/ps",
    "http://10.0.0.8:8000/props",
    "http://10.0.0.8:8000/info",
  ]);
  const clouds = ["openai", "system", "google", "mistralai", "anthropic", "toString"];
  for (const owned_by of clouds) {
    assert.deepEqual((await asked("https://models.example/v1", { owned_by })).urls, [], owned_by);
  }
});

Deno.test("a server that names itself is asked for its own page, below the path of its gateway", async () => {
  const pages = async (endpoint: string, owned_by: string) =>
    (await asked(endpoint, { owned_by })).urls;
  assert.deepEqual(await pages("https://gpu.example/llama/v1", "llamacpp"), [
    "https://gpu.example/llama/props",
  ]);
  assert.deepEqual(await pages("https://gpu.example/api", "library"), [
    "https://gpu.example/api/ps",
  ]);
  assert.deepEqual(await pages("https://gpu.example/v1", "organization_owner"), [
    "https://gpu.example/api/v1/models",
    "https://gpu.example/api/v0/models",
  ]);
  assert.deepEqual(await pages("https://gpu.example/v1", "vllm"), []);
});

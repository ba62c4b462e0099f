import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { openaiClient } from "svc/features/models/client/client.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import { preflight, type PreflightPorts } from "svc/features/models/local/preflight.ts";
import { openModel } from "svc/features/models/local/open_model.ts";
import { systemClock } from "svc/platform/clock.ts";
import { modelEndpoint, type OtherPaths, type Scenario } from "tests/kit/model_endpoint.ts";
import { verifies } from "tests/kit/verifies.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";
import { hastyClock, QUESTION, route, SHORT } from "tests/unit/features/models/asking.ts";

function ports(other: Partial<PreflightPorts> = {}): PreflightPorts {
  return {
    clock: hastyClock(),
    redact: (text) => text,
    signal: new AbortController().signal,
    connect: (plan) => openaiClient({ ...plan, random: () => 0 }),
    limits: SHORT,
    ...other,
  };
}

async function failure(
  url: string,
  other: Partial<ModelRoute> = {},
  some: Partial<PreflightPorts> = {},
): Promise<Failure> {
  try {
    await preflight(ports(some), route(url, other));
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
  throw new Error("the preflight passed");
}

for (
  const [probe, tools] of [
    ["native", "native"],
    ["text", "text"],
    ["none", "text"],
    ["refuse", "text"],
  ] as const
) {
  Deno.test(`preflight finds that tools are called in ${tools} when the probe gets "${probe}"`, async () => {
    await using endpoint = modelEndpoint({ probe });
    const { profile, notes } = await preflight(ports(), route(endpoint.url));
    assert.equal(profile.tools, tools);
    assert.equal(profile.evidence, "fixture");
    assert.equal(profile.usageReported, true);
    assert.equal(notes.some((note) => note.includes("in text")), tools === "text");
    assert.ok(notes.some((note) => note.includes("test fixture")));
  });
}

Deno.test("preflight takes the endpoint's first model when none is named, and says so", async () => {
  await using endpoint = modelEndpoint({ models: [{ id: "first" }, { id: "second" }] });
  const { profile, route: taken, notes } = await preflight(
    ports(),
    route(endpoint.url, { model: "" }),
  );
  assert.deepEqual([profile.model, taken.model], ["first", "first"]);
  assert.ok(
    notes.includes(`No model was named: taking "first", the first of 2 at "${endpoint.url}"`),
  );
});

Deno.test("preflight takes a model by the names that servers give it", async () => {
  await using endpoint = modelEndpoint({
    models: [{ id: "qwen3:latest" }, { id: "models/gemini" }],
  });
  for (const [asked, found] of [["qwen3", "qwen3:latest"], ["gemini", "models/gemini"]] as const) {
    const { route: taken } = await preflight(ports(), route(endpoint.url, { model: asked }));
    assert.equal(taken.model, found);
  }
});

Deno.test("preflight names the nearest models and some of the rest when one is missing", async () => {
  const models = Array.from({ length: 12 }, (_, n) => ({ id: `other-${n}` }));
  await using endpoint = modelEndpoint({ models: [...models, { id: "qwen3:8b" }] });
  const { code, message, remedy } = await failure(endpoint.url, {
    provider: "ollama",
    model: "qwen3:7b",
  });
  assert.equal(code, "environment");
  assert.equal(
    message,
    `Cannot use the model "qwen3:7b" at "${endpoint.url}": it has "qwen3:8b", "other-0", "other-1", ` +
      '"other-2", "other-3", "other-4", "other-5", "other-6" and 5 more',
  );
  assert.match(remedy, /^Pull the model: ollama pull qwen3:7b; run svc setup, or give a real /);
  assert.equal(endpoint.probes.length, 0);
});

verifies(
  "7:cli:model-preflight-remedy",
  "a failed preflight names setup or a real endpoint as the way out",
  async () => {
    const gone = modelEndpoint({});
    await gone[Symbol.asyncDispose]();
    const unreachable = await failure(gone.url);
    assert.equal(unreachable.code, "environment");
    assert.match(unreachable.message, /nothing listens there$/);
    await using empty = modelEndpoint({ models: [] });
    const none = await failure(empty.url);
    assert.match(none.message, /it has none$/);
    await using plain = modelEndpoint({});
    const elsewhere = await failure(plain.url.replace("/v1", "/api"));
    assert.match(elsewhere.remedy, /^Give the base URL, such as http:\/\/127\.0\.0\.1:\d+\/v1; /);
    for (const { remedy } of [unreachable, none, elsewhere]) {
      assert.match(remedy, /run svc setup, or give a real --model-endpoint$/);
    }
  },
);

Deno.test("preflight refuses what is no model server", async () => {
  const answers: Readonly<Record<string, () => Response>> = {
    "/html/models": () => new Response("<html>", { headers: { "content-type": "text/html" } }),
    "/shape/models": () => Response.json({ models: [] }),
    "/key/models": () => new Response(null, { status: 401 }),
    "/hang/models": () => new Response(new ReadableStream({})),
  };
  await using endpoint = modelEndpoint({}, { paths: answers });
  const found: string[] = [];
  for (const name of ["html", "shape", "key", "hang"]) {
    const { message } = await failure(endpoint.url.replace("/v1", `/${name}`), {
      apiKeyEnv: "A_KEY",
    });
    found.push(message.slice(message.indexOf(": ") + 2));
  }
  assert.deepEqual(found, [
    "it is no OpenAI-compatible server: it answers no JSON",
    "its list of models has no `data`",
    "it refused the key (401)",
    `no byte came for ${SHORT.idleMs / 1000} s`,
  ]);
});

Deno.test("preflight sends a key over no network unencrypted, and asks nobody then", async () => {
  const asked: string[] = [];
  const watching: typeof fetch = (url) => {
    asked.push(String(url));
    return Promise.reject(new TypeError("fetch failed"));
  };
  const { message } = await failure("http://models.example/v1", {}, {
    key: "sk-test-0123456789",
    fetch: watching,
  });
  assert.match(message, /its key would go over a network unencrypted$/);
  assert.deepEqual(asked, []);
});

Deno.test("preflight ends as interrupted when it is aborted", async () => {
  await using endpoint = modelEndpoint({});
  const { code } = await failure(endpoint.url, {}, { signal: AbortSignal.abort() });
  assert.equal(code, "interrupted");
});

Deno.test("preflight asks a model once a week, or when its entry changed", async () => {
  await using store = await tempStore();
  let now = 1_000_000;
  const models = [{ id: "m", created: 1 as number, meta: { size: 1 } }];
  await using endpoint = modelEndpoint({ models });
  const clock = { ...systemClock, now: () => now };
  const check = () =>
    preflight(ports({ db: store.db, clock }), route(endpoint.url, { model: "m" }));
  const first = await check();
  assert.equal(endpoint.probes.length, 1);
  now += 6 * 24 * 3_600_000;
  models[0]!.created = 2; // the time of the question, for many servers
  assert.deepEqual(await check(), first);
  assert.equal(endpoint.probes.length, 1);
  now += 2 * 24 * 3_600_000;
  const later = await check();
  assert.equal(endpoint.probes.length, 2);
  assert.equal(later.profile.probedAt, now);
  models[0]!.meta.size = 2;
  await check();
  assert.equal(endpoint.probes.length, 3);
});

Deno.test("a kept profile serves a route that is configured otherwise", async () => {
  await using store = await tempStore();
  await using endpoint = modelEndpoint({ models: [{ id: "m", max_model_len: 16_384 }] });
  const window = async (contextWindow?: number) => {
    const asked = route(endpoint.url, { model: "m", ...(contextWindow && { contextWindow }) });
    return (await preflight(ports({ db: store.db }), asked)).profile.contextWindow;
  };
  assert.deepEqual(await Promise.all([window()]), [16_384]);
  assert.deepEqual([await window(4096), await window(99_999), await window()], [
    4096,
    16_384,
    16_384,
  ]);
  assert.equal(endpoint.probes.length, 1);
});

const WINDOWS: readonly (readonly [Record<string, unknown>, OtherPaths, number])[] = [
  [{}, {}, 8192],
  [{ context_length: 40_000, top_provider: { context_length: 30_000 } }, {}, 30_000],
  [{ context_window: 131_072 }, {}, 131_072],
  [
    { owned_by: "llamacpp", meta: { n_ctx_train: 40_960 } },
    { "/props": () => Response.json({ default_generation_settings: { n_ctx: 4096 } }) },
    4096,
  ],
  [{ owned_by: "llamacpp", meta: { n_ctx_train: 40_960 } }, {}, 40_960],
  [
    { owned_by: "library" },
    { "/api/ps": () => Response.json({ models: [{ name: "m", context_length: 4096 }] }) },
    4096,
  ],
];

for (const [entry, paths, window] of WINDOWS) {
  Deno.test(`preflight takes ${window} tokens from ${JSON.stringify(entry)} ${Object.keys(paths)}`, async () => {
    await using endpoint = modelEndpoint({ models: [{ id: "m", ...entry }] }, { paths });
    const { profile } = await preflight(ports(), route(endpoint.url, { model: "m" }));
    assert.equal(profile.contextWindow, window);
    assert.equal(profile.evidence, entry["owned_by"] === undefined ? "fixture" : "live");
  });
}

Deno.test("preflight notices that a server counts nothing, and asks it no more to", async () => {
  const scenario: Scenario = { usage: false, steps: [{ reply: { text: "hello" } }] };
  await using endpoint = modelEndpoint(scenario);
  const { client, profile } = await openModel({
    ...ports(),
    load: <T>(module: string) => import(`../../../../../${module}.ts`) as Promise<T>,
  }, route(endpoint.url));
  assert.equal(profile.usageReported, false);
  const reply = await client.ask(QUESTION, { signal: new AbortController().signal });
  assert.deepEqual([reply.text, reply.usage.estimated], ["hello", true]);
  assert.equal(endpoint.requests[0]!.request.stream_options, undefined);
});

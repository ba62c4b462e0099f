import assert from "node:assert/strict";
import type { Override } from "svc/features/models/choose/override_shape.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { routeFor, type RouteInputs } from "svc/features/models/choose/route.ts";
import { verifies } from "tests/kit/verifies.ts";

const OLLAMA: Override = { provider: "ollama", model: "role-model" };
const VLLM: Override = { provider: "vllm", model: "tier-model" };
const OPENAI: Override = { provider: "openai", model: "gpt-5" };

const BASE: RouteInputs = {
  role: "engineer",
  tier: "deep",
  overrides: { version: 1, tiers: {}, roles: {} },
  routing: undefined,
  registry: registry(),
  rules: {
    allowedOrigins: [],
    allowedKeyEnvs: ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"],
    configPath: "/home/ada/.svc/config.yaml",
  },
};

const role = { overrides: { version: 1, tiers: {}, roles: { engineer: OLLAMA } } } as const;
const tier = { overrides: { version: 1, tiers: { deep: VLLM }, roles: {} } } as const;
const both = {
  overrides: { version: 1, tiers: { deep: VLLM }, roles: { engineer: OLLAMA } },
} as const;
const cloud = {
  routing: {
    version: 1,
    mode: "cloud",
    cloud: {
      provider: "openai",
      model: "gpt-5",
      endpoint: "https://api.openai.com/v1",
      api_key_env: "OPENAI_API_KEY",
    },
  },
} as const;
const openaiAllowed = {
  rules: { ...BASE.rules, allowedOrigins: ["https://api.openai.com"] },
};

const chosen = (more: Partial<RouteInputs>) => routeFor({ ...BASE, ...more }).route;

verifies(
  ["4.5:models-override:role-before-tier", "4.5:models-override:default-route-last"],
  "routeFor takes the first rule that says something",
  () => {
    const flag = { modelEndpoint: "http://127.0.0.1:7777/v1" };
    const local = { routing: { version: 1, mode: "local" } } as const;
    const table: readonly [more: Partial<RouteInputs>, because: string, endpoint: string][] = [
      [{}, "registry default for tier deep", "http://127.0.0.1:8080/v1"],
      [
        { routing: { version: 1, mode: "defer" } },
        "registry default for tier deep",
        "http://127.0.0.1:8080/v1",
      ],
      [local, ".harness/model-routing.yaml", "http://127.0.0.1:8080/v1"],
      [{ ...local, ...tier }, "override tier deep", "http://127.0.0.1:8000/v1"],
      [
        { ...local, ...tier, tier: "small" },
        ".harness/model-routing.yaml",
        "http://127.0.0.1:8080/v1",
      ],
      [{ ...local, ...role }, "override role engineer", "http://127.0.0.1:11434/v1"],
      [{ ...local, ...both }, "override role engineer", "http://127.0.0.1:11434/v1"],
      [{ ...local, ...both, role: "qa" }, "override tier deep", "http://127.0.0.1:8000/v1"],
      [{ ...local, ...both, ...flag }, "flag --model-endpoint", "http://127.0.0.1:7777/v1"],
      [{ ...cloud, ...flag }, "flag --model-endpoint", "http://127.0.0.1:7777/v1"],
    ];
    for (const [more, because, endpoint] of table) {
      const route = chosen(more);
      assert.deepEqual([route.because, route.endpoint], [because, endpoint], JSON.stringify(more));
    }
  },
);

Deno.test("routeFor takes the user's own default where the repo names no model", () => {
  const ownDefault = { provider: "ollama", endpoint: "http://127.0.0.1:11434/v1", model: "own" };
  const local = { routing: { version: 1, mode: "local" } } as const;
  const defer = { routing: { version: 1, mode: "defer" } } as const;
  for (const more of [{}, local, defer]) {
    const { because, model, endpoint } = chosen({ ...more, ownDefault });
    assert.deepEqual([because, model], ["your default (models.default)", "own"]);
    assert.equal(endpoint, ownDefault.endpoint);
  }
  assert.equal(chosen({ ...role, ownDefault }).because, "override role engineer");
  assert.equal(chosen({ ...tier, ownDefault }).because, "override tier deep");
  // A repo that asks for models of this machine gets one of this machine.
  const away = { provider: "openai", endpoint: "https://api.openai.com/v1", model: "gpt-5" };
  assert.equal(chosen({ ...local, ownDefault: away }).because, ".harness/model-routing.yaml");
  const route = chosen({ ...defer, ownDefault: away });
  assert.deepEqual([route.apiKeyEnv, route.protocol], ["OPENAI_API_KEY", "responses"]);
});

Deno.test("routeFor sends the key of the user's default nowhere else", () => {
  const away = { provider: "openai", endpoint: "https://evil.example/v1", model: "gpt-5" };
  assert.throws(
    () => chosen({ ownDefault: { ...away, api_key_env: "OPENAI_API_KEY" } }),
    { code: "refused", message: /"OPENAI_API_KEY" would go to "https:\/\/evil.example"/ },
  );
});

Deno.test("routeFor explains every rule, the chosen one among them", () => {
  const { considered } = routeFor({ ...BASE, ...both, ...cloud });
  assert.deepEqual(considered, [
    { rule: "flag --model-endpoint", chosen: false, why: "it was not given" },
    {
      rule: "override role engineer",
      chosen: true,
      why: 'ollama at http://127.0.0.1:11434/v1, model "role-model"',
    },
    {
      rule: "override tier deep",
      chosen: false,
      why:
        'override role engineer comes first; else vllm at http://127.0.0.1:8000/v1, model "tier-model"',
    },
    {
      rule: ".harness/model-routing.yaml",
      chosen: false,
      why:
        "override role engineer comes first; else: Cannot use .harness/model-routing.yaml (mode cloud): " +
        'it would send this repo\'s code to "https://api.openai.com", which is not in your models.allowed_origins',
    },
    {
      rule: "your default (models.default)",
      chosen: false,
      why: "it names none; svc setup does",
    },
    {
      rule: "registry default for tier deep",
      chosen: false,
      why: "override role engineer comes first; else llama.cpp at http://127.0.0.1:8080/v1, " +
        "the model that it serves",
    },
  ]);
});

Deno.test("routeFor: a route of the repo that may not be used stops the run, not the choice above it", () => {
  assert.throws(() => chosen(cloud), { code: "refused" });
  const evil: Override = { provider: "openai", model: "m", endpoint: "https://evil.example/v1" };
  const broken: Override = {
    provider: "openai",
    model: "m",
    endpoint: "https://a:b@evil.example/v1",
  };
  for (const override of [evil, broken, OPENAI]) {
    const overrides = {
      version: 1,
      tiers: { deep: override },
      roles: { engineer: override },
    } as const;
    assert.throws(() => chosen({ overrides }), (thrown: Error & { code: string }) => {
      assert.equal(thrown.code, "refused");
      assert.match(
        thrown.message,
        /^Cannot use override role engineer \(\.harness\/model-overrides\.yaml\): /,
      );
      return true;
    });
    const fine = { version: 1, tiers: { deep: override }, roles: { engineer: OLLAMA } } as const;
    assert.equal(chosen({ overrides: fine }).because, "override role engineer");
    assert.equal(
      chosen({ overrides, modelEndpoint: "http://127.0.0.1:1/v1" }).because,
      "flag --model-endpoint",
    );
  }
});

Deno.test("routeFor gives a key to its own provider, and none to a place that the repo named", () => {
  assert.deepEqual(chosen({ ...cloud, ...openaiAllowed }), {
    provider: "openai",
    endpoint: "https://api.openai.com/v1",
    model: "gpt-5",
    apiKeyEnv: "OPENAI_API_KEY",
    protocol: "responses",
    because: ".harness/model-routing.yaml",
  });
  const at = (override: Override, more: Partial<RouteInputs> = openaiAllowed) =>
    chosen({ ...more, overrides: { version: 1, tiers: {}, roles: { engineer: override } } });
  assert.equal(at(OPENAI).apiKeyEnv, "OPENAI_API_KEY");
  // The name of a provider gives no key away: the address does.
  const loopback: Override = { ...OPENAI, endpoint: "http://127.0.0.1:4000/v1" };
  assert.equal(at(loopback).apiKeyEnv, undefined);
  assert.throws(() => at({ ...loopback, api_key_env: "OPENAI_API_KEY" }), { code: "refused" });
  assert.throws(() => at({ ...OPENAI, api_key_env: "ANTHROPIC_API_KEY" }, BASE), {
    code: "refused",
  });
  assert.throws(() => at({ ...OPENAI, api_key_env: "AWS_SECRET_ACCESS_KEY" }), { code: "refused" });
  assert.equal(at(OLLAMA).apiKeyEnv, undefined);
});

verifies(
  "1:models:real-endpoint-preferred",
  "routeFor: the flag goes where it says, and takes a provider's key to that provider alone",
  () => {
    const flag = (modelEndpoint: string, more: Partial<RouteInputs> = {}) =>
      chosen({ ...both, ...cloud, ...more, modelEndpoint });
    assert.deepEqual(flag("https://api.openai.com/v1"), {
      provider: "openai",
      endpoint: "https://api.openai.com/v1",
      model: "",
      apiKeyEnv: "OPENAI_API_KEY",
      protocol: "responses",
      because: "flag --model-endpoint",
    });
    assert.deepEqual(flag("http://localhost:8080"), {
      provider: "openai-compatible",
      endpoint: "http://127.0.0.1:8080/v1",
      model: "",
      because: "flag --model-endpoint",
    });
    const none = { rules: { ...BASE.rules, allowedKeyEnvs: [] } };
    assert.equal(flag("https://api.openai.com/v1", none).apiKeyEnv, undefined);
    assert.equal(flag("https://api.openai.com.evil.example/v1").apiKeyEnv, undefined);
    // Plain http on a person's word, and never with a key.
    assert.deepEqual(flag("http://10.0.0.8:8000/v1#m"), {
      provider: "openai-compatible",
      endpoint: "http://10.0.0.8:8000/v1",
      model: "m",
      because: "flag --model-endpoint",
    });
    assert.equal(flag("http://api.openai.com/v1").apiKeyEnv, undefined);
    assert.throws(() => flag("nonsense"), { code: "usage" });
  },
);

Deno.test("routeFor: a named bundle says its window, and auto does not", () => {
  const local = (bundle: "auto" | "local-quality-q8") =>
    chosen({ routing: { version: 1, mode: "local", local: { bundle } } }).contextWindow;
  assert.equal(local("auto"), undefined);
  assert.equal(local("local-quality-q8"), 131_072);
});

Deno.test("routeFor knows no override by a name that every object has", () => {
  assert.equal(chosen({ role: "constructor" }).because, "registry default for tier deep");
});

Deno.test("an endpoint that serves several models is asked for the one that follows #", () => {
  const names = [
    "http://127.0.0.1:7777#qwen3:8b",
    "http://127.0.0.1:7777/v1#a#b",
    "http://[::1]:1#",
  ]
    .map((modelEndpoint) => chosen({ modelEndpoint }))
    .map(({ endpoint, model }) => [endpoint, model]);
  assert.deepEqual(names, [
    ["http://127.0.0.1:7777/v1", "qwen3:8b"],
    ["http://127.0.0.1:7777/v1", "a#b"],
    ["http://[::1]:1/v1", ""],
  ]);
});

Deno.test("routeFor: an address says its protocol, and an override may say another", () => {
  const rules = {
    ...BASE.rules,
    allowedOrigins: ["https://api.openai.com", "https://api.anthropic.com", "https://gw.example"],
  };
  const at = (override: Override) =>
    chosen({ rules, overrides: { version: 1, tiers: {}, roles: { engineer: override } } }).protocol;
  assert.equal(at(OPENAI), "responses");
  assert.equal(at({ ...OPENAI, protocol: "chat" }), "chat");
  assert.equal(at({ provider: "anthropic", model: "claude-sonnet-4-5" }), "messages");
  assert.equal(at({ ...OPENAI, endpoint: "https://gw.example/v1" }), undefined);
  assert.equal(
    at({ provider: "anthropic", model: "m", endpoint: "https://gw.example", protocol: "messages" }),
    "messages",
  );
  assert.equal(at(OLLAMA), undefined);
  assert.equal(
    chosen({ modelEndpoint: "https://api.anthropic.com/v1#claude-sonnet-4-5" }).protocol,
    "messages",
  );
});

Deno.test("a window that an override declares of the endpoint that a person names holds there too", () => {
  const at = (endpoint: string, model: string, window: number) => ({
    provider: "acme",
    endpoint,
    model,
    context_window: window,
  });
  const overrides = {
    version: 1,
    roles: { engineer: at("http://localhost:8080", "coder", 40_960) },
    tiers: { deep: at("http://127.0.0.1:8000/v1", "coder", 20_480) },
  } as const;
  const windowAt = (modelEndpoint: string) => chosen({ overrides, modelEndpoint }).contextWindow;
  assert.equal(windowAt("http://127.0.0.1:8080/v1"), 40_960);
  assert.equal(windowAt("http://127.0.0.1:8080/v1#coder"), 40_960);
  assert.equal(windowAt("http://127.0.0.1:8000#coder"), 20_480);
  assert.equal(windowAt("http://127.0.0.1:8080/v1#other"), undefined);
  assert.equal(windowAt("http://127.0.0.1:9090/v1"), undefined);
  assert.equal(
    chosen({ overrides, modelEndpoint: "http://127.0.0.1:8080" }).provider,
    "openai-compatible",
  );
});

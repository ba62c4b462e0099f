import assert from "node:assert/strict";
import { BUNDLES } from "svc/core/local_bundles.ts";
import { type RoutingFlags, routingOf } from "svc/features/harness/model_routing.ts";
import { registry, RUNTIMES, TIERS } from "svc/features/models/choose/registry.ts";

const { bundles, providers, runtimes, defaults } = registry();

Deno.test("registry has each bundle that init offers, smallest first", () => {
  assert.deepEqual(bundles.map(({ id }) => id), BUNDLES.filter((id) => id !== "auto"));
  const memory = bundles.map(({ ram_gb }) => ram_gb);
  assert.deepEqual(memory, memory.toSorted((a, b) => a - b));
  for (const { context_window, trained_window } of bundles) {
    assert.ok(context_window <= trained_window);
  }
});

Deno.test("registry has the providers that init knows, with their endpoints and keys", () => {
  for (const { id, endpoint, api_key_env } of providers) {
    const asked: RoutingFlags = {
      modelRouting: "cloud",
      localBundle: undefined,
      cloudProvider: id,
      cloudModel: "m",
      cloudEndpoint: undefined,
      apiKeyEnv: undefined,
    };
    assert.deepEqual(routingOf(asked), {
      mode: "cloud",
      provider: id,
      model: "m",
      endpoint,
      api_key_env,
    });
  }
  assert.equal(providers.length, 4);
});

Deno.test("registry names a runtime and a bundle for each tier, and each runtime once", () => {
  assert.deepEqual(Object.keys(defaults), [...TIERS]);
  assert.deepEqual(runtimes.map(({ id }) => id), [...RUNTIMES]);
  for (const tier of TIERS) {
    const bundle = bundles.find(({ id }) => id === defaults[tier].bundle);
    assert.ok(bundle?.tiers.includes(tier), tier);
  }
  const names = [...providers, ...runtimes].map(({ id }) => id);
  assert.equal(new Set(names).size, names.length);
});

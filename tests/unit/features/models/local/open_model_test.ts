/** Which modules opening a model loads: the vendors' packages are two megabytes that others do not pay for. */
import assert from "node:assert/strict";
import type { Protocol } from "svc/core/model_protocol.ts";
import { openModel } from "svc/features/models/local/open_model.ts";
import { systemClock } from "svc/platform/clock.ts";
import { anthropic } from "tests/kit/servers/anthropic.ts";
import { llamaCpp } from "tests/kit/servers/llama_cpp.ts";
import { openaiResponses } from "tests/kit/servers/openai_responses.ts";
import { openZoo, type ZooServer } from "tests/kit/servers/zoo.ts";

async function loadedFor(server: ZooServer, protocol?: Protocol): Promise<string[]> {
  await using zoo = await openZoo(server, { steps: [] });
  const loaded: string[] = [];
  await openModel({
    clock: systemClock,
    redact: (text) => text,
    signal: new AbortController().signal,
    load: (module) => {
      loaded.push(module.replace("src/features/models/", ""));
      return import(`svc/${module.replace("src/", "")}.ts`);
    },
    ...(server.key !== undefined && { key: server.key }),
  }, {
    provider: "zoo",
    endpoint: zoo.url,
    model: server.model,
    because: "a test",
    ...(protocol && { protocol }),
  });
  return loaded.toSorted();
}

Deno.test("a vendor's package is loaded only where its protocol is spoken", async () => {
  const preflight = "local/preflight";
  assert.deepEqual(await loadedFor(llamaCpp({ jinja: true })), ["client/client", preflight]);
  const vendors = "client/vendors";
  assert.deepEqual(await loadedFor(openaiResponses(), "responses"), [
    `${vendors}/responses_client`,
    preflight,
  ]);
  assert.deepEqual(await loadedFor(anthropic(), "messages"), [
    `${vendors}/anthropic_client`,
    preflight,
  ]);
});

/** Value imports of a module, and of all that those import. */
async function imported(path: string, seen = new Set<string>()): Promise<Set<string>> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const text = await Deno.readTextFile(path);
  const names = text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from\s+"([^"]+)"/gm);
  for (const [, name = ""] of names) {
    if (name.startsWith("svc/")) await imported(`src/${name.slice(4)}`, seen);
    else if (name.startsWith("./")) await imported(path.replace(/[^/]+$/, name.slice(2)), seen);
    else seen.add(name);
  }
  return seen;
}

Deno.test("neither a start nor a run with a local model imports a vendor's package", async () => {
  for (
    const entry of [
      "main.ts",
      "src/cli/commands/run.ts",
      "src/runtime/job/run_job.ts",
      "src/features/models/client/client.ts",
      "src/features/models/local/preflight.ts",
    ]
  ) {
    const all = await imported(entry);
    const packages = [...all].filter((name) => /^(?:openai|@anthropic-ai)(?:\/|$)/.test(name));
    const parser = ["openai/core/error", "openai/core/streaming"];
    assert.deepEqual(packages.filter((name) => !parser.includes(name)), [], entry);
  }
  const vendor = await imported("src/features/models/client/vendors/anthropic_client.ts");
  assert.ok(vendor.has("@anthropic-ai/sdk"));
});

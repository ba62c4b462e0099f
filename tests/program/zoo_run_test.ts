/** `svc run` as a user has it, against two of the strict model servers: routes on the raw target, own errors, own streams. */
import assert from "node:assert/strict";
import { FIX, HOST, runSite } from "tests/kit/run_site.ts";
import { anthropic } from "tests/kit/servers/anthropic.ts";
import { llamaCpp } from "tests/kit/servers/llama_cpp.ts";
import { lmStudio } from "tests/kit/servers/lm_studio.ts";
import { openaiResponses } from "tests/kit/servers/openai_responses.ts";
import { openZoo } from "tests/kit/servers/zoo.ts";

for (const server of [llamaCpp({ jinja: true }), lmStudio({ v1: true })]) {
  Deno.test(`svc run mends a bug with a model of ${server.name}`, async () => {
    await using site = await runSite({ scenario: {} });
    await using zoo = await openZoo(server, { roles: { engineer: FIX } });
    await site.svc("tickets", "new", "--title", "Mend add", "--acceptance", "make test passes");
    const ran = await site.svc("run", "engineer", "--model-endpoint", zoo.url, ...HOST, "--json");
    assert.equal(ran.code, 0, ran.stderr);
    const report = ran.json();
    assert.deepEqual([report.disposition, report.checks], ["submitted", "passed"]);
    assert.equal(report.model.model, server.model);
    assert.equal(report.model.evidence, "live");
    const prompts = zoo.said.map(({ usage }) => usage.prompt);
    assert.equal(report.tokens_in, prompts.reduce((sum, prompt) => sum + prompt));
    assert.deepEqual(await zoo.refusals(), []);
    assert.ok(
      zoo.targets.every((target) => / \/(?:v1|api|props)\b/.test(target)),
      `${zoo.targets}`,
    );
  });
}

/** US dollars per million tokens; Anthropic alone bills what it takes into its cache. */
const PRICE = { input: 3, cached_input: 0.3, cache_write: 3.75, output: 15 };

/** Each in its vendor's own protocol, by its package, in the Worker that may not read the environment. */
for (const server of [openaiResponses(), anthropic()]) {
  Deno.test(`svc run mends a bug in the own protocol of ${server.name}`, async () => {
    await using site = await runSite({ scenario: {} });
    await using zoo = await openZoo(server, { roles: { engineer: FIX } });
    const { origin } = new URL(zoo.url);
    await Deno.writeTextFile(
      `${site.home}/config.yaml`,
      `models: {allowed_origins: ["${origin}"], prices: {"*": ${JSON.stringify(PRICE)}}}`,
    );
    const name = server.speaks === "messages" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
    const keys = `${site.repo.path}/.harness/.env.local`;
    await Deno.writeTextFile(keys, `${name}=${server.key}\n`, { mode: 0o600 });
    const route = ["--provider", "zoo", "--endpoint", zoo.url, "--model", server.model];
    const how = ["--protocol", server.speaks!, "--api-key-env", name];
    const set = await site.svc("models", "override", "--role", "engineer", ...route, ...how);
    assert.equal(set.code, 0, set.stderr);
    await site.svc("tickets", "new", "--title", "Mend add", "--acceptance", "make test passes");
    const ran = await site.svc("run", "engineer", ...HOST, "--json");
    assert.equal(ran.code, 0, ran.stderr);
    const report = ran.json();
    assert.deepEqual([report.disposition, report.checks], ["submitted", "passed"]);
    const prompts = zoo.said.map(({ usage }) => usage.prompt);
    assert.equal(report.tokens_in, prompts.reduce((sum, prompt) => sum + prompt));
    const fresh = server.speaks === "messages" ? PRICE.cache_write : PRICE.input;
    const micros = zoo.said.reduce(
      (sum, { usage: { prompt, cached, completion } }) =>
        sum + (prompt - cached) * fresh + cached * PRICE.cached_input + completion * PRICE.output,
      0,
    );
    assert.equal(report.cost_usd.toFixed(6), (micros / 1e6).toFixed(6));
    assert.deepEqual(await zoo.refusals(), []);
    for (const { headers } of zoo.asked) {
      assert.equal(headers.get("user-agent"), "svc");
      assert.deepEqual(
        [...headers.keys()].filter((key) => /stainless|organization|trace/.test(key)),
        [],
      );
    }
  });
}

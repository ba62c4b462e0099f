/** `svc run` as a user has it, against two of the strict model servers: routes on the raw target, own errors, own streams. */
import assert from "node:assert/strict";
import { FIX, HOST, runSite } from "tests/kit/run_site.ts";
import { llamaCpp } from "tests/kit/servers/llama_cpp.ts";
import { lmStudio } from "tests/kit/servers/lm_studio.ts";
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

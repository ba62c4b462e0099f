/** svc against the local servers of the strict zoo: what each of them publishes about itself, held to the letter. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { listServed } from "svc/features/models/local/local_runtimes.ts";
import { LOCAL } from "tests/kit/servers/local_entries.ts";
import { openZoo } from "tests/kit/servers/zoo.ts";
import { openAt, zooTests } from "tests/kit/servers/zoo_flows.ts";

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

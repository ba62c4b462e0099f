/** Every probe against every server of the strict zoo: none sends what a vendor refuses, and each is counted. */
import assert from "node:assert/strict";
import { probedModel } from "tests/kit/probed_model.ts";
import { CLOUDS } from "tests/kit/servers/cloud_entries.ts";
import { LOCAL } from "tests/kit/servers/local_entries.ts";
import { VENDORS } from "tests/kit/servers/vendor_entries.ts";
import { openZoo } from "tests/kit/servers/zoo.ts";
import { evaluateAt } from "./evaluating.ts";

for (const { server, route, learns = [], mayLearn = [] } of [...LOCAL, ...CLOUDS, ...VENDORS]) {
  const { name, key, speaks } = server();

  Deno.test(`the model of ${name} is evaluated, and the server refuses nothing that svc does not learn from`, async () => {
    await using zoo = await openZoo(server({ window: 8_192, stated: 8_192 }), probedModel());
    const found = await evaluateAt(zoo.url, {
      route: { ...(speaks && { protocol: speaks }), contextWindow: 4_096, ...route },
      ...(key !== undefined && { key }),
    });
    const weak = found.probes.filter(({ group, score }) => group !== "speed" && score < 100);
    assert.deepEqual(weak.map(({ id, why, checks }) => ({ id, why, checks })), []);
    assert.equal(found.verdict, "fit");
    assert.ok(found.probes.every(({ tokens_in, tokens_out }) => tokens_in > 0 && tokens_out > 0));
    const known = [...learns, ...mayLearn];
    const others = (await zoo.refusals()).filter((one) => !known.some((each) => each.test(one)));
    assert.deepEqual(others, []);
  });
}

const named = (name: string) => LOCAL.find(({ server }) => server().name === name)!;

/** It says that it reads 16k, and reads 5k. */
const BOASTS = { window: 5_000, stated: 16_384 };

Deno.test("a server that cuts prompts silently is seen by its count, and the window that it reads is advised", async () => {
  const { server } = named("Ollama");
  await using zoo = await openZoo(server(BOASTS), probedModel());
  const found = await evaluateAt(zoo.url, { route: { contextWindow: 16_384 } });
  const recall = found.probes.filter(({ group }) => group === "recall");
  assert.equal(recall[0]!.score, 100);
  for (const { checks } of recall.slice(1)) {
    const [cut] = checks.filter(({ what }) => what === "the server reads the whole prompt");
    assert.equal(cut!.ok, false);
  }
  assert.ok(found.advice.some((line) => /cuts long prompts.*OLLAMA_CONTEXT_LENGTH/.test(line)));
  const declares =
    `--provider test --endpoint ${zoo.url} --model ${zoo.server.model} --context-window `;
  assert.ok(found.advice.some((line) => line.includes(declares)), found.advice.join("\n"));
  const well = /reads (\d+) tokens well/.exec(found.advice.join("\n"))?.[1];
  assert.ok(Number(well) > 2_000 && Number(well) <= 5_000, well);
});

Deno.test("a server that refuses a long prompt ends the row of longer ones", async () => {
  const { server } = named("vLLM");
  await using zoo = await openZoo(server(BOASTS), probedModel());
  const found = await evaluateAt(zoo.url);
  const recall = found.probes.filter(({ group }) => group === "recall");
  assert.deepEqual(recall.map(({ status }) => status), ["passed", "fault", "skipped"]);
  assert.equal(found.groups.recall, 33);
  assert.match(found.advice[0]!, /^recall_8k could not be asked: .*prompt/);
});

import assert from "node:assert/strict";
import { redactor } from "svc/core/redact.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  queued,
  registered,
} from "tests/unit/runtime/engine_place.ts";
import { call, finish, turns } from "tests/unit/runtime/team.ts";

Deno.test("the inputs of a decision stay whole beside a secret that ends one text and begins the next", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  // The last word of the evidence, and the first letters of the trigger.
  const redact = redactor(["opensesame", '","trigger":"man']);
  await using parts = await enginePorts(base.path);
  const ports = { ...parts, redact };
  const said = call("finish", { disposition: "no_work", evidence: "the word is opensesame" });
  await using endpoint = modelEndpoint({
    roles: { ceo: turns(said), orchestrator: turns(finish("no_work")) },
  });
  await queued(ports, await registered(ports, repo.path), "ceo");
  await carryOut(ports, endpoint.url);
  const [decision] = await ports.db.selectFrom("decisions").selectAll().orderBy("id").execute();
  const inputs = JSON.parse(decision!.inputs);
  assert.deepEqual([inputs.evidence, inputs.trigger, inputs.reported], [
    ...["the word is [redacted]", "manual", "no_work"],
  ]);
});

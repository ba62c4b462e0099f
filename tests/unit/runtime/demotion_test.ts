/** Trust that a role loses by itself: three jobs of the host profile that the policy ended. */
import assert from "node:assert/strict";
import type { Profile } from "svc/core/permission.ts";
import { enqueue } from "svc/features/jobs/job_store.ts";
import { trustChanges, trustOf } from "svc/features/trust/trust_store.ts";
import { modelEndpoint, type Step } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
} from "./engine_place.ts";

/** What no role may do, until the loop gives up. */
const STUBBORN: Step = {
  always: true,
  reply: {
    calls: [{ name: "file_write", args: { path: ".harness/manifest.yaml", content: "x" } }],
  },
};

Deno.test("three jobs that the policy ended take the trust away; rehearsals never count", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using endpoint = modelEndpoint({ roles: { gardener: [STUBBORN] } });
  await using ports = await enginePorts(base.path);
  const id = await registered(ports, repo.path);
  const trust = () => trustOf(ports.db, id, "gardener", "contributor");
  const denied = async (profile: Profile, times: number) => {
    for (let n = 0; n < times; n++) {
      await ports.db.deleteFrom("lanes").execute(); // a person looks after each failure
      const own = { ...ports, profile };
      await queued(own, id, "gardener");
      await carryOut(own, endpoint.url);
    }
  };
  await denied("observer", 3);
  await denied("host", 2);
  assert.equal((await trust()).source, "manifest");
  await denied("host", 1);
  const { level, source } = await trust();
  assert.deepEqual([level, source], ["observer", "demotion"]);
  assert.deepEqual(
    (await trustChanges(ports.db, id)).map((one) => [one.who, one.from_level, one.to_level]),
    [["svc", "contributor", "observer"]],
  );
  assert.deepEqual(await jobLines(ports), Array(6).fill("gardener - failed policy_denied"));
});

Deno.test("what a stranger asks for takes no trust from the role that is denied it", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using endpoint = modelEndpoint({ roles: { gardener: [STUBBORN] } });
  await using ports = await enginePorts(base.path);
  const id = await registered(ports, repo.path);
  for (let n = 0; n < 3; n++) {
    await ports.db.deleteFrom("lanes").execute();
    await enqueue(ports.db, {
      ...{ repo_id: id, role: "gardener", trigger: "webhook", source_trust: "observer" },
      profile: ports.profile,
    }, ports.clock.now());
    await carryOut(ports, endpoint.url);
  }
  assert.deepEqual(await jobLines(ports), Array(3).fill("gardener - failed policy_denied"));
  assert.equal((await trustOf(ports.db, id, "gardener", "contributor")).source, "manifest");
  assert.deepEqual(await trustChanges(ports.db, id), []);
});

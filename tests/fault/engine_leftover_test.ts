/** What a killed engine's job had started is ended before the job is run again. */
import assert from "node:assert/strict";
import { taggedProcesses } from "svc/platform/process/sweep.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { exists, until } from "tests/kit/until.ts";
import {
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
  watchedEngine,
} from "tests/unit/runtime/engine_place.ts";
import { TEAM } from "tests/unit/runtime/team.ts";

Deno.test("a check that outlives its engine is ended, and the job is done again", async () => {
  await using base = await tempFolder();
  const began = `${base.path}/began`;
  const check = `test -e ${began} && exit 0
trap '' TERM INT HUP
echo > ${began}
while :; do sleep 1; done
`;
  await using repo = await harnessedRepo({ files: { "test.sh": check } });
  await using ports = await enginePorts(base.path);
  const engineer = TEAM.roles.engineer.filter((_, index) => index !== 1)
    .map((step, turn) => ({ ...step, when: { turn } }));
  await using endpoint = modelEndpoint({ roles: { ...TEAM.roles, engineer } });
  const id = await registered(ports, repo.path);
  const job = await queued(ports, id, "engineer", await ticketed(ports, repo.path));
  const doomed = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-all", "--no-check", "--quiet"],
      new URL("chaos/engine_program.ts", import.meta.url).href,
      JSON.stringify({ base: base.path, endpoint: endpoint.url }),
    ],
    ...{ stdin: "null", stdout: "null", stderr: "inherit" },
  }).spawn();
  await until(() => exists(began), () => "no program that began");
  doomed.kill("SIGKILL");
  await doomed.status;
  assert.ok(taggedProcesses(job.id).length > 0, "nothing was left to be ended");
  const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url });
  await seen(({ kind }) => kind === "rescued");
  assert.deepEqual(taggedProcesses(job.id), []);
  await engine.idle();
  await engine.stop();
  assert.deepEqual(await jobLines(ports), [
    "engineer T-0001 completed submitted",
    "qa T-0001 completed approved",
    "orchestrator - completed no_work",
  ]);
});

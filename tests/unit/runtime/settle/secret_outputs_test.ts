/** What set-ups and checks print of the repo's own secrets is hidden wherever svc runs them. */
import assert from "node:assert/strict";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { landOnce, mergePlace } from "tests/unit/runtime/merge_place.ts";
import { finish, turns } from "tests/unit/runtime/team.ts";

const SECRET = "tangerine-9f8e7d6c5b4a-harbour";

/** Reads the checkout's own file, as scripts for work trees do. */
const PRINTS = '. "$(git rev-parse --git-common-dir)/../.env"; echo "password: $SMTP_PASSWORD"\n';

const writeSecret = (path: string) =>
  Deno.writeTextFile(`${path}/.env`, `SMTP_PASSWORD=${SECRET}\n`);

async function outputs(base: string): Promise<string> {
  const texts: string[] = [];
  for await (const { name: job } of Deno.readDir(`${base}/home/traces/outputs`)) {
    for await (const { name } of Deno.readDir(`${base}/home/traces/outputs/${job}`)) {
      texts.push(await Deno.readTextFile(`${base}/home/traces/outputs/${job}/${name}`));
    }
  }
  return texts.join("\n");
}

Deno.test("a check of a merge that prints a secret of the repo writes it into no ticket", async () => {
  await using place = await mergePlace({ merge: "local" });
  const clash = `${PRINTS}if test -e fixed.txt && test -e other.txt; then exit 1; fi\n`;
  await place.repo.commit("meanwhile", { "test.sh": clash, "other.txt": "1\n" });
  await writeSecret(place.repo.path);
  const steps: string[] = [];
  const said = await landOnce(place, { step: (text) => steps.push(text) });
  const { ticket, text, settlements } = await place.state();
  assert.equal(ticket, "in-progress");
  assert.match(text, /password: /);
  for (const told of [text, JSON.stringify(settlements), said.join(), steps.join()]) {
    assert.ok(!told.includes(SECRET), told);
  }
  assert.ok(!(await outputs(place.base)).includes(SECRET));
});

Deno.test("a set-up that prints a secret of the repo leaves it in no log", async () => {
  await using base = await tempFolder();
  const run = JSON.stringify(["sh", "-ec", PRINTS.trim()]);
  await using repo = await harnessedRepo({
    manifest: (text) => text.replace("setup: []", `setup: [{ name: deps, run: ${run} }]`),
  });
  await writeSecret(repo.path);
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({ roles: { engineer: turns(finish("blocked")) } });
  const id = await registered(ports, repo.path);
  await queued(ports, id, "engineer", await ticketed(ports, repo.path));
  await carryOut(ports, endpoint.url);
  const printed = await outputs(base.path);
  assert.match(printed, /password: /);
  assert.ok(!printed.includes(SECRET), printed);
});

/** What jobs leave uncommitted, and what their checks leave, with the real engine and real git. */
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
  ticketsOf,
} from "./engine_place.ts";
import { call, finish, TEAM, turns } from "./team.ts";

/** Passes once fixed.txt is there, and leaves more than anybody would keep. */
const MESSY = `mkdir -p out
for nth in $(seq 300); do echo x > out/$nth; done
head -c 5000000 /dev/zero > out/huge
echo by the check >> app.txt
test -e fixed.txt
`;

Deno.test("what a check leaves is removed, however much it is, and blocks nothing", async () => {
  await using repo = await harnessedRepo({ files: { "test.sh": MESSY } });
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const engineer = turns(
    call("file_write", { path: "fixed.txt", content: "fixed\n" }),
    call("git_commit", { message: "fix: make the test pass" }),
    finish("submitted"),
  );
  await using endpoint = modelEndpoint({ roles: { ...TEAM.roles, engineer } });
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await queued(ports, id, "engineer", "T-0001");
  await carryOut(ports, endpoint.url);
  const [ticket] = await ticketsOf(ports, repo.path);
  assert.equal(ticket?.state, "done");
  assert.equal(await repo.git("for-each-ref", "refs/svc"), "");
  assert.equal(await repo.git("show", "main:app.txt"), "one\n");
  assert.deepEqual(await ports.worktrees.list(await ports.git.open(repo.path)), []);
});

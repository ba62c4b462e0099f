/** A Worker that is started before its permissions are known never ends up with others than those. */
import assert from "node:assert/strict";
import { runInWorker } from "svc/platform/confined/confine.ts";
import {
  permissionsFor,
  startWorker,
  type WorkerGrants,
} from "svc/platform/confined/start_worker.ts";
import { homeOf } from "svc/platform/home.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const HOST = "models.example:443";
const never = new AbortController().signal;
const overdue = new Promise<never>(() => {});

async function ran(more: Partial<WorkerGrants>) {
  await using folder = await tempFolder("svc-test-");
  const home = homeOf({ get: (name) => name === "HOME" ? folder.path : undefined });
  const programRoot = new URL("../../../../", import.meta.url).pathname;
  const base: WorkerGrants = { hosts: [], home, programRoot };
  const file = more.database ?? `${folder.path}/elsewhere.db`;
  using idle = startWorker({
    module: new URL("../../../kit/idle_worker.ts", import.meta.url).href,
    permissions: permissionsFor(base),
    ahead: { ahead: {} },
  });
  return await runInWorker(idle, {
    grants: { ...base, ...more },
    message: { host: HOST, file },
    offered: {},
    signal: never,
    hurry: never,
    overdue,
  });
}

Deno.test("a Worker that may do enough gets the work, and may do no more", async () => {
  assert.equal(await ran({}), 1);
});

Deno.test("for a host beyond this machine another Worker is started, which may reach it", async () => {
  assert.equal(await ran({ hosts: [HOST] }), 11);
});

Deno.test("for a database outside the home another Worker is started, which may write it", async () => {
  assert.equal(await ran({ database: "/tmp/svc-elsewhere/x.db" }), 101);
});

Deno.test("a database in svc's own folder is the first Worker's already", async () => {
  await using folder = await tempFolder("svc-test-");
  const home = homeOf({ get: (name) => name === "HOME" ? folder.path : undefined });
  const base: WorkerGrants = { hosts: [], home, programRoot: "/program/" };
  assert.deepEqual(
    permissionsFor({ ...base, database: `${home.db}/repo/svc.db` }),
    permissionsFor(base),
  );
  const beside = permissionsFor({ ...base, database: `${home.db}-beside/svc.db` });
  assert.ok(beside.write.includes(`${home.db}-beside/svc.db-wal`));
});

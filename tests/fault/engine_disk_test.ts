/** An engine whose database lies on a disk that is full. */
import assert from "node:assert/strict";
import { sql } from "svc/store/query.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { cannotMount, tmpfs } from "tests/kit/odd_disks.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  watchedEngine,
} from "tests/unit/runtime/engine_place.ts";
import { ORCHESTRATOR } from "tests/unit/runtime/team.ts";

/** Writes until nothing more fits. */
function fill(path: string): void {
  using file = Deno.openSync(path, { create: true, write: true });
  const chunk = new Uint8Array(4096);
  try {
    for (;;) file.writeSync(chunk);
  } catch (thrown) {
    assert.match(String(thrown), /os error 28/);
  }
}

Deno.test({
  name: "claims pause with the reason while the disk is full, and go on when there is room",
  ignore: await cannotMount(),
  async fn() {
    await using repo = await harnessedRepo();
    await using disk = await tmpfs(8 * 1024);
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path, { database: `${disk.path}/svc.db` });
    await using endpoint = modelEndpoint({ roles: { orchestrator: ORCHESTRATOR } });
    await queued(ports, await registered(ports, repo.path), "orchestrator");
    fill(`${disk.path}/filler`);
    const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url });
    await seen((event) => event.kind === "claiming" && event.reason !== undefined);
    assert.deepEqual([engine.state().claims, engine.state().running.length], ["paused", 0]);
    assert.match(engine.state().reason!, /the disk is full/);
    assert.deepEqual(await jobLines(ports), ["orchestrator - pending -"]);
    await Deno.remove(`${disk.path}/filler`);
    await seen(({ kind }) => kind === "ended");
    await engine.idle();
    await engine.stop();
    assert.deepEqual(await jobLines(ports), ["orchestrator - completed no_work"]);
    const { rows } = await sql<Record<string, string>>`PRAGMA integrity_check`.execute(ports.db);
    assert.deepEqual(rows.flatMap((row) => Object.values(row)), ["ok"]);
  },
});

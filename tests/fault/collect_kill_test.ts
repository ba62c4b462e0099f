/** kill -9 while reports come in: what was acknowledged is there, nothing is there twice. `make chaos` kills 200 times. */
import assert from "node:assert/strict";
import { ran } from "tests/kit/nginx.ts";
import { denoDir } from "tests/kit/script.ts";
import { serving } from "tests/kit/service_site.ts";
import { sampleReport } from "tests/kit/telemetry_place.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { dice } from "./chaos/dice.ts";

const KILLS = Number(Deno.env.get("SVC_COLLECT_KILLS") ?? 2);
const SENDERS = 4;
const PATH = "/v1/anonymous-telemetry/reports";

/** Undefined when the collector is gone. */
async function post(url: string, nth: number): Promise<number | undefined> {
  try {
    const response = await fetch(url + PATH, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: sampleReport(nth),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}

Deno.test(`a collector that is killed ${KILLS} times loses nothing it acknowledged, and doubles nothing`, async () => {
  await using folder = await tempFolder();
  const database = `${folder.path}/intake.db`;
  const env = {
    PATH: Deno.env.get("PATH") ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: folder.path,
    SVC_HOME: `${folder.path}/.svc`,
    DENO_DIR: denoDir(),
  };
  const roll = dice(23);
  const acknowledged = new Set<number>();
  /** Sent, and never answered: they may be there or not. */
  let unsure: number[] = [];
  let next = 0;
  let resent = 0;
  const seen = async () => {
    const text = await ran("sqlite3", database, "SELECT report_id FROM telemetry_intake");
    return text.trim().split("\n").filter((id) => id !== "").map((id) => Number(id.slice(-12)));
  };
  for (let kill = 0; kill <= KILLS; kill++) {
    const last = kill === KILLS;
    await using collector = serving({
      cwd: folder.path,
      env,
      args: ["telemetry", "collect", "--json", "--addr", "127.0.0.1:0", "--db", database],
    });
    const { url } = await collector.first;
    // A sender sends again what it has no answer to.
    for (const nth of unsure.splice(0)) {
      const status = await post(url, nth);
      assert.ok(status === 200 || status === 202, `${nth}: ${status}`);
      if (status === 200) resent++;
      acknowledged.add(nth);
    }
    if (last) break;
    // Dies after so many answers, while the other senders still wait for theirs.
    let until = 1 + Math.floor(roll() * 12);
    const sender = async () => {
      for (;;) {
        const nth = next++;
        const status = await post(url, nth);
        if (status === undefined) return void unsure.push(nth);
        assert.equal(status, 202);
        acknowledged.add(nth);
        if (--until === 0) collector.signal("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
    await collector.ended;
    const there = await seen();
    assert.equal(new Set(there).size, there.length, "a report is there twice");
    const missing = [...acknowledged].filter((nth) => !there.includes(nth));
    assert.deepEqual(missing, [], `lost by kill ${kill}`);
    unsure = [...new Set(unsure)];
    assert.equal(await ran("sqlite3", database, "PRAGMA integrity_check"), "ok\n");
  }
  assert.deepEqual(
    (await seen()).sort((a, b) => a - b),
    Array.from({ length: next }, (_, nth) => nth),
  );
  console.log(`${KILLS} kills, ${next} reports, ${resent} stored without an answer`);
});

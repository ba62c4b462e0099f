import assert from "node:assert/strict";
import { limitNow, limitOver, noteLimit } from "svc/features/access/host_limit_store.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

const NOW = Date.UTC(2026, 10, 21);
const HOST = "github.com";

Deno.test("a limit holds until its time, and one that a clock far ahead stored does not", async () => {
  await using store = await tempStore();
  const note = (at: number) => noteLimit(store.db, HOST, { limit: "primary", untilSecs: 600 }, at);
  await note(NOW);
  assert.equal((await limitNow(store.db, HOST, NOW + 599_000))?.kind, "primary");
  assert.equal(await limitNow(store.db, HOST, NOW + 600_000), undefined);
  await note(NOW + 400 * 86_400_000);
  assert.equal(await limitNow(store.db, HOST, NOW), undefined);
});

Deno.test("where the host tells no time, each refusal in a row doubles the wait, up to an hour", async () => {
  await using store = await tempStore();
  const untold = { limit: "secondary", untilSecs: undefined } as const;
  const note = async (host = HOST) => {
    const { until } = await noteLimit(store.db, host, untold, NOW);
    return (until - NOW) / 1000;
  };
  const waits: number[] = [];
  for (let refusal = 0; refusal < 8; refusal++) waits.push(await note());
  assert.deepEqual(waits, [60, 120, 240, 480, 960, 1920, 3600, 3600]);
  assert.equal(await note("ghe.example"), 60);
  await limitOver(store.db, HOST);
  assert.equal(await limitNow(store.db, HOST, NOW), undefined);
  assert.equal((await limitNow(store.db, "ghe.example", NOW))?.kind, "secondary");
  assert.equal(await note(), 60);
});

import assert from "node:assert/strict";
import { limitNow, noteLimit } from "svc/features/access/host_limit_store.ts";
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

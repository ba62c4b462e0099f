import assert from "node:assert/strict";
import { repoId, uuidV7 } from "svc/core/ids.ts";

Deno.test("uuidV7 has the form of RFC 9562 and sorts by time", () => {
  const now = Date.UTC(2022, 1, 22, 19, 22, 22);
  const ids = Array.from({ length: 100 }, (_, later) => uuidV7(now + later));
  for (const id of ids) {
    assert.match(id, /^017f22e2-7[0-9a-f]{3}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids.map((id) => id.slice(14))).size, 100);
});

Deno.test("ids of one millisecond sort by their turn", () => {
  const now = Date.UTC(2022, 1, 22, 19, 22, 22);
  const ids = Array.from({ length: 40_000 }, () => uuidV7(now));
  assert.equal(ids.findIndex((id, turn) => turn > 0 && id <= ids[turn - 1]!), -1);
  assert.equal(new Set(ids.map((id) => id.slice(-12))).size, ids.length);
  assert.ok(uuidV7(now - 1) < ids[0]!);
  for (const id of ids.slice(-100)) {
    assert.match(id, /^017f22e2-7[0-9a-f]{3}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

Deno.test("repoId is the start of the path's SHA-256", async () => {
  // printf /srv/app | sha256sum
  assert.equal(await repoId("/srv/app"), "dae668e4084f");
});

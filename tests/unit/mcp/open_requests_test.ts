import assert from "node:assert/strict";
import { type Batch, openRequests } from "svc/mcp/open_requests.ts";

Deno.test("openRequests passes the answer to a single request on, and knows when none is open", async () => {
  const open = openRequests();
  open.open(1);
  open.open("1");
  assert.deepEqual([open.size, open.has(1), open.has(2)], [2, true, false]);
  let idle = false;
  const waits = open.idle().then(() => idle = true);
  assert.equal(open.settle(1, "answer"), "answer");
  await Promise.resolve();
  assert.equal(idle, false);
  open.settle("1", "other");
  await waits;
  await open.idle();
});

Deno.test("openRequests gives a batch's answers together, and without those that are cancelled", () => {
  const open = openRequests();
  const batch: Batch = { waits: new Set(), answers: ["a fault"] };
  for (const id of [1, 2, 3]) open.open(id, batch);
  assert.equal(open.settle(2, "two"), undefined);
  assert.equal(open.settle(1, undefined), undefined);
  assert.deepEqual(open.settle(3, "three"), ["a fault", "two", "three"]);
  const silent: Batch = { waits: new Set(), answers: [] };
  open.open(4, silent);
  assert.equal(open.settle(4, undefined), undefined);
});

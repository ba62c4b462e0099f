import assert from "node:assert/strict";
import { CLAIM_RETRY_MAX_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { CLAIM_FREE_BYTES, ClaimGate, DISK_LOOK_MS } from "svc/runtime/engine/claim_gate.ts";

function gate(diskFree?: () => Promise<number>) {
  const told: (string | undefined)[] = [];
  const time = { now: 0 };
  const clock = {
    now: () => 0,
    monotonic: () => time.now,
    processor: () => time.now,
    sleep: () => Promise.resolve(),
  };
  const log = { write() {}, open() {}, path: () => undefined, close() {} };
  const ports = { clock, log, ...(diskFree && { diskFree }) };
  return { gate: new ClaimGate(ports, (reason) => told.push(reason)), told, time };
}

Deno.test("ClaimGate waits longer after each failure, and is open at once after a success", async () => {
  const { gate: it, told, time } = gate();
  assert.equal(await it.open(), true);
  const waits: number[] = [];
  for (let count = 0; count < 8; count++) {
    it.failed(new Failure("environment", "Cannot use the database: the disk is full"));
    const from = time.now;
    while (!await it.open()) time.now += 500;
    waits.push(time.now - from);
  }
  assert.deepEqual(waits.slice(0, 5), [1000, 2000, 4000, 8000, 16_000]);
  assert.equal(waits.at(-1), CLAIM_RETRY_MAX_MS);
  assert.match(it.reason!, /the disk is full/);
  it.passed();
  assert.equal(it.reason, undefined);
  it.failed(new Error("other"));
  assert.deepEqual(told.map((reason) => reason?.slice(0, 6)), ["Cannot", undefined, "Unexpe"]);
});

Deno.test("ClaimGate is shut while the disk is nearly full, and looks again after a while", async () => {
  let free = CLAIM_FREE_BYTES - 1;
  const { gate: it, told, time } = gate(() => Promise.resolve(free));
  assert.equal(await it.open(), false);
  assert.match(it.reason!, /1023 MiB left, and 1024 are wanted/);
  free++;
  assert.equal(await it.open(), false);
  time.now += DISK_LOOK_MS;
  assert.equal(await it.open(), true);
  assert.equal(told.length, 2);
});

Deno.test("ClaimGate is open where the room cannot be told", async () => {
  const { gate: it } = gate(() => Promise.reject(new Error("statfs")));
  assert.equal(await it.open(), true);
});

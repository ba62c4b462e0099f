import assert from "node:assert/strict";
import { CLAIM_RETRY_MAX_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { ClaimHold } from "svc/features/jobs/claim_limits.ts";
import { CLAIM_FREE_BYTES, ClaimGate, DISK_LOOK_MS } from "svc/runtime/engine/claim_gate.ts";

const HOLD: ClaimHold = {
  ...{ scope: "day", unit: "usd", amount: 5, spent: 5, unpriced: 0, repo_id: null, role: null },
  ...{ until: 86_400_000, setBy: "day", says: "held until 00:00 UTC: …", raise: "Raise it" },
};

function gate(
  diskFree?: () => Promise<number>,
  look?: () => Promise<readonly ClaimHold[]>,
  node?: () => string | undefined,
) {
  const told: (string | undefined)[] = [];
  const held: number[] = [];
  const time = { now: 0 };
  const clock = {
    now: () => 0,
    monotonic: () => time.now,
    processor: () => time.now,
    sleep: () => Promise.resolve(),
  };
  const log = { write() {}, open() {}, path: () => undefined, close() {} };
  const ports = { clock, log, ...(diskFree && { diskFree }) };
  const events = {
    changed: (reason: string | undefined) => void told.push(reason),
    held: (holds: readonly ClaimHold[]) => void held.push(holds.length),
  };
  return { gate: new ClaimGate(ports, events, look, undefined, node), told, held, time };
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

Deno.test("ClaimGate is shut while a limit of the day holds, open for other roles while a role's does", async () => {
  const now = { holds: [HOLD] as ClaimHold[] };
  const { gate: it, held, told } = gate(undefined, () => Promise.resolve(now.holds));
  assert.equal(await it.open(), false);
  now.holds = [{ ...HOLD, spent: 6 }];
  assert.equal(await it.open(), false);
  assert.deepEqual([held, told, it.reason, it.holds[0]!.spent], [[1], [], undefined, 6]);
  now.holds = [{ ...HOLD, scope: "role", repo_id: "0123456789ab", role: "qa" }];
  assert.equal(await it.open(), true);
  assert.deepEqual(it.heldRoles, ["0123456789ab/qa"]);
  now.holds = [];
  assert.equal(await it.open(), true);
  assert.deepEqual(held, [1, 1, 0]);
});

Deno.test("ClaimGate stays shut while limits cannot be read, and opens when they can", async () => {
  const limits = { fault: true };
  const { gate: it, told, time } = gate(undefined, () => {
    if (limits.fault) throw new Failure("environment", "Cannot read the config: line 3");
    return Promise.resolve([]);
  });
  assert.equal(await it.open(), false);
  limits.fault = false;
  assert.equal(await it.open(), false);
  time.now += 1_000;
  assert.equal(await it.open(), true);
  assert.deepEqual(told, ["Cannot read the config: line 3", undefined]);
});

Deno.test("ClaimGate is shut while its node is held, asks for nothing meanwhile, and says what changes", async () => {
  let hold: string | undefined = "node north drains";
  const asked: string[] = [];
  const look = () => {
    asked.push("limits");
    return Promise.resolve([]);
  };
  const { gate: it, told } = gate(() => Promise.resolve(1), look, () => hold);
  assert.equal(await it.open(), false);
  hold = "node north is drained";
  assert.equal(await it.open(), false);
  assert.equal(it.reason, "node north is drained");
  assert.equal(it.fault, undefined);
  assert.deepEqual([told, asked], [["node north drains", "node north is drained"], []]);
  hold = undefined;
  assert.equal(await it.open(), false); // the disk is full
  assert.match(told.join(), /is drained,the disk of svc's work trees has 0 MiB left/);
});

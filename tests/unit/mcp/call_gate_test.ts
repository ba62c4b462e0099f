import assert from "node:assert/strict";
import { callGate } from "svc/mcp/call_gate.ts";

const never = new AbortController().signal;

/** Lets all that is due happen. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

function watched(gate: ReturnType<typeof callGate>) {
  const inside: string[] = [];
  const leave = new Map<string, Disposable>();
  return {
    inside,
    enter(name: string, reads: boolean, signal = never) {
      return gate.enter(reads, signal).then((turn) => {
        inside.push(name);
        leave.set(name, turn);
      });
    },
    async leave(name: string) {
      inside.splice(inside.indexOf(name), 1);
      leave.get(name)![Symbol.dispose]();
      await settled();
    },
  };
}

Deno.test("callGate lets in so many reads, and one change alone", async () => {
  const gate = watched(callGate(2));
  for (const name of ["r1", "r2", "r3"]) gate.enter(name, true);
  gate.enter("w1", false);
  gate.enter("r4", true);
  await settled();
  assert.deepEqual(gate.inside, ["r1", "r2"]);
  await gate.leave("r1");
  assert.deepEqual(gate.inside, ["r2", "r3"]);
  await gate.leave("r2");
  assert.deepEqual(gate.inside, ["r3"], "a read does not pass the change that came before it");
  await gate.leave("r3");
  assert.deepEqual(gate.inside, ["w1"]);
  await gate.leave("w1");
  assert.deepEqual(gate.inside, ["r4"]);
});

Deno.test("callGate forgets a call that is given up while it waits", async () => {
  const gate = watched(callGate(2));
  const stop = new AbortController();
  gate.enter("r1", true);
  const given = gate.enter("w1", false, stop.signal);
  gate.enter("r2", true);
  await settled();
  assert.deepEqual(gate.inside, ["r1"]);
  stop.abort(new Error("enough"));
  await assert.rejects(given, /enough/);
  await settled();
  assert.deepEqual(gate.inside, ["r1", "r2"]);
  await assert.rejects(gate.enter("r3", true, stop.signal), /enough/);
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { chooseFiles, YOUNG_MS } from "svc/features/retention/choose_files.ts";

const HOUR = 3_600_000;
const NOW = 1000 * HOUR;
const file = (job: string, hours: number, bytes: number) => ({
  ...{ job, bytes, endedAt: NOW - hours * HOUR },
});
const names = (files: readonly { job: string }[]) => files.map(({ job }) => job).join("");

Deno.test("files past their time go, then the oldest until the rest fits", () => {
  const files = [file("c", 30, 5), file("a", 900, 5), file("d", 2, 5), file("b", 60, 5)];
  const { aged, crowded } = chooseFiles(files, {
    ...{ now: NOW, keepMs: 720 * HOUR, total: 20, most: 10 },
  });
  assert.deepEqual([names(aged), names(crowded)], ["a", "b"]);
});

Deno.test("nothing younger than a day goes for lack of room, nor anything that must stay", () => {
  const files = fc.array(
    fc.record({
      job: fc.uuid(),
      endedAt: fc.integer({ min: NOW - 100 * HOUR, max: NOW + HOUR }),
      bytes: fc.nat(100),
    }),
  );
  fc.assert(fc.property(files, fc.nat(1000), fc.nat(3000), (files, kept, most) => {
    const total = files.reduce((sum, { bytes }) => sum + bytes, kept);
    const plan = { now: NOW, keepMs: 80 * HOUR, total, most };
    const { aged, crowded } = chooseFiles(files, plan);
    for (const { endedAt } of aged) assert.ok(NOW - endedAt >= plan.keepMs);
    for (const { endedAt } of crowded) assert.ok(NOW - endedAt >= YOUNG_MS);
    const gone = [...aged, ...crowded];
    assert.equal(new Set(gone).size, gone.length);
    const left = total - gone.reduce((sum, { bytes }) => sum + bytes, 0);
    const old = files.filter((one) => NOW - one.endedAt >= YOUNG_MS && !gone.includes(one));
    assert.ok(left <= most || old.length === 0);
  }));
});

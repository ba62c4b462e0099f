import assert from "node:assert/strict";
import { duration, fileStamp, isOver, rfc3339 } from "svc/core/time.ts";

const AT = Date.UTC(2026, 10, 21, 10, 29, 3, 45);

Deno.test("fileStamp is YYYYMMDD-HHMMSS in UTC", () =>
  assert.equal(fileStamp(AT), "20261121-102903"));
Deno.test("rfc3339 keeps milliseconds", () =>
  assert.equal(rfc3339(AT), "2026-11-21T10:29:03.045Z"));
Deno.test("duration picks the unit a person would", () => {
  assert.deepEqual([0, 999, 1000, 59_949, 60_000, 184_000].map(duration), [
    "0 ms",
    "999 ms",
    "1.0 s",
    "59.9 s",
    "1 min 0 s",
    "3 min 4 s",
  ]);
  const hour = 3_600_000;
  assert.deepEqual(
    [999.7, 59_990, 119_700, hour - 1, hour, 5 * hour + 720_000, 24 * hour, 74 * hour].map(
      duration,
    ),
    [
      "1.0 s",
      "1 min 0 s",
      "2 min 0 s",
      "1 h 0 min",
      "1 h 0 min",
      "5 h 12 min",
      "1 d 0 h",
      "3 d 2 h",
    ],
  );
});
Deno.test("a stored wait is over at its time, and where it is longer than any that svc stores", () => {
  const day = 86_400_000;
  const found = [0, 1, day, day + 60_000, 2 * day, 400 * day].map((ms) => isOver(AT + ms, AT));
  assert.deepEqual(found, [true, false, false, false, true, true]);
});

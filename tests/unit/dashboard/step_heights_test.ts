import assert from "node:assert/strict";
import { farFrom, RowHeights } from "svc/dashboard/state/step_heights.ts";

Deno.test("rows stand where those above them end, guessed until they are measured", () => {
  const rows = new RowHeights();
  rows.grow(3);
  const guess = rows.above(1);
  assert.equal(rows.above(3), 3 * guess);
  assert.equal(rows.measured(0, guess + 16), 16);
  assert.equal(rows.measured(0, guess + 16), 0, "known now");
  rows.grow(1_000);
  assert.deepEqual([rows.above(1), rows.above(1_000)], [guess + 16, 1_000 * guess + 16]);
});

Deno.test("rows in sight are those that touch the window, at least one of them", () => {
  const rows = new RowHeights();
  assert.deepEqual(rows.within(-100, 500), { first: 0, last: 0 });
  rows.grow(10);
  for (let nth = 0; nth < 10; nth++) rows.measured(nth, 100);
  assert.deepEqual(rows.within(-900, -300), { first: 0, last: 0 });
  assert.deepEqual(rows.within(-50, 50), { first: 0, last: 1 });
  assert.deepEqual(rows.within(250, 450), { first: 2, last: 5 });
  assert.deepEqual(rows.within(5_000, 6_000), { first: 9, last: 10 });
});

Deno.test("of too many the farthest from what is seen are forgotten", () => {
  const all = [0, 1, 2, 50, 51, 52, 99];
  assert.deepEqual(farFrom({ first: 50, last: 52 }, all, 4), [0, 1, 2]);
  assert.deepEqual(farFrom({ first: 0, last: 2 }, all, 6), [99]);
  assert.deepEqual(farFrom({ first: 0, last: 2 }, all, 7), []);
});

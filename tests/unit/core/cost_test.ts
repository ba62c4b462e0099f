import assert from "node:assert/strict";
import { type Cost, costSum, costText, NO_COST } from "svc/core/cost.ts";
import { cost as shownCost } from "svc/dashboard/state/words.ts";

const paid = (cost_usd: number): Cost => ({ cost_basis: "price", cost_usd });
const of = (cost_basis: Cost["cost_basis"]): Cost => ({ cost_basis, cost_usd: null });

Deno.test("costs are said in dollars where a price is known, and in words elsewhere; pages say the same", () => {
  const table: readonly [cost: Parameters<typeof costText>[0], text: string][] = [
    [paid(0.1234), "$0.12"],
    [paid(12), "$12.00"],
    [paid(0), "$0.00"],
    [paid(0.004), "<$0.01"],
    [{ ...paid(1.2), cost_unknown: 2 }, "$1.20 and 2 unknown"],
    [of("local"), "no price (local)"],
    [of("fixture"), "fixture"],
    [of("unknown"), "unknown"],
    [{ ...of("unknown"), cost_unknown: 3 }, "unknown"],
    [NO_COST, "–"],
  ];
  for (const [cost, text] of table) {
    assert.equal(costText(cost), text);
    assert.equal(shownCost(cost), text);
  }
});

Deno.test("costSum adds what is priced, counts what is not, and leaves no rest of floating numbers", () => {
  const sum = (...costs: Cost[]) => Object.values(costSum(costs));
  assert.deepEqual(sum(paid(0.1), paid(0.2), of("local"), of("fixture"), NO_COST), [
    "price",
    0.3,
    0,
  ]);
  assert.deepEqual(sum(paid(0.1), of("unknown"), of("unknown")), ["price", 0.1, 2]);
  assert.deepEqual(sum(of("local"), of("unknown")), ["unknown", null, 1]);
  assert.deepEqual(sum(of("fixture"), of("local")), ["local", null, 0]);
  assert.deepEqual(sum(of("fixture")), ["fixture", null, 0]);
  assert.deepEqual(sum(), [null, null, 0]);
});

import assert from "node:assert/strict";
import { budgetOf } from "svc/core/budget.ts";

Deno.test("budgetOf reads tokens and dollars as people write them, and nothing else", () => {
  const read: Readonly<Record<string, ReturnType<typeof budgetOf>>> = {
    "200000": { tokens: 200_000 },
    "200k": { tokens: 200_000 },
    "1m": { tokens: 1_000_000 },
    "$2": { usd: 2 },
    "$0.05": { usd: 0.05 },
    "2.50usd": { usd: 2.5 },
    "3 USD": { usd: 3 },
  };
  for (const [text, budget] of Object.entries(read)) assert.deepEqual(budgetOf(text), budget, text);
  for (const text of ["", "$", "$0", "$-1", "0", "-5", "2 €", "$1,50", "2 dollars", "1e6", "$2k"]) {
    assert.equal(budgetOf(text), undefined, text);
  }
});

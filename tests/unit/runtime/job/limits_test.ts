import assert from "node:assert/strict";
import { boundsOf, limitsOf } from "svc/runtime/job/limits.ts";

const route = {
  provider: "own",
  endpoint: "https://models.example/v1",
  model: "m",
  because: "named",
};
const priceOf = () => 0.01;

Deno.test("limitsOf: a flag replaces the role's budgets; a model that costs nothing has none", () => {
  const both = { limits: { budget: "$2", budget_tokens: "400k" } };
  const budgets = (
    limits: Parameters<typeof limitsOf>[0]["limits"],
    ...[flags, free]: [
      Parameters<typeof limitsOf>[1],
      boolean,
    ]
  ) => {
    const { budgetTokens, budgetUsd } = limitsOf({ limits }, flags, free);
    return [budgetTokens, budgetUsd];
  };
  assert.deepEqual(budgets(both.limits, {}, false), [400_000, 2]);
  assert.deepEqual(budgets({}, {}, false), [500_000, undefined]);
  assert.deepEqual(budgets(both.limits, {}, true), [undefined, undefined]);
  assert.deepEqual(budgets(both.limits, { budget: { tokens: 10 } }, false), [10, undefined]);
  assert.deepEqual(budgets(both.limits, { budget: { usd: 1 } }, false), [undefined, 1]);
  assert.deepEqual(budgets(both.limits, { budget: { tokens: 10 } }, true), [10, undefined]);
  assert.deepEqual(budgets({}, { budget: { usd: 1 } }, true), [undefined, undefined]);
});

Deno.test("boundsOf refuses money where no price is known, and says what to do", () => {
  const role = { limits: { budget: "$2" } };
  assert.throws(() => boundsOf(role, {}, { pricing: "unknown", route }), {
    message: 'Cannot keep the budget of $2.00: no price is known for model "m"',
    remedy: /models\.prices in ~\/\.svc\/config\.yaml, or give the budget in tokens/,
  });
  assert.equal(boundsOf(role, {}, { pricing: "free", route }).limits.budgetUsd, undefined);
  assert.equal(boundsOf(role, {}, { pricing: priceOf, route }).priceOf, priceOf);
  const tokens = { budget: { tokens: 9_000 } };
  assert.equal(boundsOf(role, tokens, { pricing: "unknown", route }).limits.budgetTokens, 9_000);
});

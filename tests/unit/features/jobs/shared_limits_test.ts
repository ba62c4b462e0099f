import assert from "node:assert/strict";
import { raiseText, sharedLimits, standText } from "svc/features/jobs/shared_limits.ts";

const TICKET = { ticket_id: "T-0001" };

Deno.test("a manifest can lower what the config sets, and not raise it: each holds", () => {
  const found = sharedLimits(
    { budgets: { day: "$5", role_tokens: "2m" } },
    { budgets: { day: "$50", ticket: "3usd", role_tokens: 1_000 } },
    TICKET,
  );
  assert.deepEqual(
    found.map(({ scope, unit, amount, everyRepo, setBy }) => [
      ...[scope, unit, amount, everyRepo, setBy.replace(/ in .*\//, " in ")],
    ]),
    [
      ["role", "tokens", 2_000_000, false, "budgets.role_tokens in config.yaml"],
      ["day", "usd", 5, true, "budgets.day in config.yaml"],
      ["ticket", "usd", 3, false, "budgets.ticket in manifest.yaml"],
      ["role", "tokens", 1_000, false, "budgets.role_tokens in manifest.yaml"],
      ["day", "usd", 50, false, "budgets.day in manifest.yaml"],
    ],
  );
});

Deno.test("work without a ticket has no ticket's budget; without budgets there is none", () => {
  const ticket = { budgets: { ticket: "$1" } };
  assert.deepEqual(sharedLimits(ticket, ticket, { ticket_id: null }), []);
  assert.deepEqual(sharedLimits({ budgets: {} }, { budgets: {} }, TICKET), []);
});

Deno.test("a budget that is used up says whose it is, who set it, and the way out", () => {
  const [day, ticket] = [
    sharedLimits({ budgets: { day: "$5" } }, { budgets: {} }, TICKET)[0]!,
    sharedLimits({ budgets: {} }, { budgets: { ticket_tokens: "1k" } }, TICKET)[0]!,
  ];
  const about = { role: "qa", ...TICKET, day: "2026-05-04" };
  assert.equal(
    standText(day, { spent: 4.98, held: 0.02 }, about),
    "the day's budget of $5.00 (budgets.day in ~/.svc/config.yaml): $4.98 is spent on 2026-05-04 " +
      "(UTC), and $0.02 is set aside for jobs that run",
  );
  assert.match(raiseText(day), /or wait for the next day, which begins at 00:00 UTC/);
  assert.equal(
    standText(ticket, { spent: 1_000, held: 0 }, about),
    "the budget of T-0001 of 1000 tokens (budgets.ticket_tokens in .harness/manifest.yaml): " +
      "1000 tokens are spent",
  );
  assert.doesNotMatch(raiseText(ticket), /day/);
});

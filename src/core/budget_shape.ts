/** Budgets as manifest and config write them. */
import { z } from "zod";
import { usdAmount } from "./budget.ts";

/** `500000`, `400k`, `1m`. */
export const tokenBudget = z.union([z.int().positive(), z.string().regex(/^[1-9]\d*[km]?$/i)]);

/** `$2`, `2.50usd`. */
export const moneyBudget = z.string().refine((text) => usdAmount(text) !== undefined, {
  error: "must be an amount in US dollars, such as $2",
});

/** Budgets that jobs share: of a ticket in all, of each role and of all roles together each day (UTC). */
export const SharedBudgets = z.strictObject({
  ticket: moneyBudget.optional(),
  ticket_tokens: tokenBudget.optional(),
  role: moneyBudget.optional(),
  role_tokens: tokenBudget.optional(),
  day: moneyBudget.optional(),
  day_tokens: tokenBudget.optional(),
});
export type SharedBudgets = z.infer<typeof SharedBudgets>;

/** What may be used in a day (UTC) before no new job begins: by all roles together, and by each. */
export const ClaimLimits = SharedBudgets.pick({
  day: true,
  day_tokens: true,
  role: true,
  role_tokens: true,
});
export type ClaimLimits = z.infer<typeof ClaimLimits>;

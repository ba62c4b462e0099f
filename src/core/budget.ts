/** Budgets as people write them: tokens (`200000`, `200k`, `1m`) or US dollars (`$2`, `2.50usd`). */
import { tokenCount } from "./token_count.ts";

/** At least one of both is set. */
export interface Budget {
  readonly tokens?: number;
  /** US dollars. */
  readonly usd?: number;
}

const MONEY = /^(?:\$(\d{1,7}(?:\.\d{1,4})?)|(\d{1,7}(?:\.\d{1,4})?) ?usd)$/i;

/** US dollars; undefined for anything else, and for nothing. */
export function usdAmount(text: string): number | undefined {
  const [, before, after] = MONEY.exec(text) ?? [];
  const amount = Number(before ?? after ?? 0);
  return amount > 0 ? amount : undefined;
}

export function budgetOf(text: string): Budget | undefined {
  const usd = usdAmount(text);
  if (usd !== undefined) return { usd };
  const tokens = tokenCount(text);
  return tokens === undefined ? undefined : { tokens };
}

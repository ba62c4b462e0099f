/** What the use of a model costs. It is stored with the use, since prices change. Pure. */

/** `local`: the person's own machine or network; `fixture`: a model that plays back; `unknown`: no price is known. */
export const COST_BASES = ["price", "local", "fixture", "unknown"] as const;
export type CostBasis = typeof COST_BASES[number];

export interface Cost {
  /** Null where no model was asked. */
  readonly cost_basis: CostBasis | null;
  /** US dollars; set exactly with the basis `price`. */
  readonly cost_usd: number | null;
}

export interface CostSum extends Cost {
  /** Uses without a known price, which `cost_usd` leaves out. */
  readonly cost_unknown: number;
}

export const NO_COST: Cost = { cost_basis: null, cost_usd: null };

/** The first that applies is said of a sum: a price, else that one is missing. */
const BASES_OF_SUMS = ["price", "unknown", "local", "fixture"] as const;

export function costSum(costs: readonly Cost[]): CostSum {
  const count = (basis: CostBasis) => costs.filter((cost) => cost.cost_basis === basis).length;
  const basis = BASES_OF_SUMS.find((each) => count(each) > 0) ?? null;
  const usd = costs.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0);
  return {
    cost_basis: basis,
    cost_usd: basis === "price" ? rounded(usd) : null,
    cost_unknown: count("unknown"),
  };
}

/** To a hundred-thousandth of a cent, so that sums of floating numbers show no rest. */
export function rounded(usd: number): number {
  return Math.round(usd * 1e7) / 1e7;
}

/** `$0.12`, `<$0.01`, `$1.20 and 2 unknown`, `no price (local)`, `fixture`, `unknown`. */
export function costText(cost: Cost & { readonly cost_unknown?: number }): string {
  const { cost_basis: basis, cost_usd: usd, cost_unknown: unknown = 0 } = cost;
  if (basis === null) return "–";
  if (basis === "local") return "no price (local)";
  if (basis !== "price" || usd === null) return basis;
  const amount = usdText(usd);
  return unknown === 0 ? amount : `${amount} and ${unknown} unknown`;
}

export function usdText(usd: number): string {
  return usd > 0 && usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

interface UsedTokens {
  readonly tokens_local: number;
  readonly tokens_unknown: number;
}

/** `$1.20`, `$1.20, and 40 k tokens without a price`, `no price (local)`, `no price known`, `–`. */
export function spentText(used: Cost & UsedTokens): string {
  const { cost_basis: basis, cost_usd: usd, tokens_local, tokens_unknown } = used;
  if (basis === null) return "–";
  if (basis === "local") return "no price (local)";
  if (basis === "unknown") return "no price known";
  if (basis !== "price" || usd === null) return basis;
  const rest = tokens_local + tokens_unknown;
  return rest === 0 ? usdText(usd) : `${usdText(usd)}, and ${tokensText(rest)} without a price`;
}

/** `950 tokens`, `31 k tokens`, `1.2 M tokens`. */
export function tokensText(count: number): string {
  if (count < 1_000) return `${count} tokens`;
  return count < 999_500
    ? `${Math.round(count / 1_000)} k tokens`
    : `${(count / 1_000_000).toFixed(1)} M tokens`;
}

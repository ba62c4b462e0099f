/** What jobs used and cost, by day, ticket, role or model; one function for the command and the page. */
import { type CostBasis, type CostSum, rounded } from "svc/core/cost.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { dayOf } from "./use_store.ts";

export const COST_GROUPS = ["day", "ticket", "role", "model"] as const;
export type CostGroup = typeof COST_GROUPS[number];

export const COST_DAYS = 30;
/** As long as records are kept by default. */
export const COST_DAYS_MOST = 400;
/** Rows of an answer; the sum has the others too. */
export const COST_ROWS = 200;

const DAY_MS = 86_400_000;

export interface UsedSum extends CostSum {
  readonly jobs: number;
  readonly turns: number;
  readonly tokens_in: number;
  readonly tokens_cached: number;
  readonly tokens_out: number;
  /** Tokens in and out of models of the person's own machine or network, without a price of the person's. */
  readonly tokens_local: number;
  /** What models used for which no price is known. */
  readonly tokens_unknown: number;
}

export interface CostRow extends UsedSum {
  /** A day such as `2026-05-04`, or the name of a ticket, role or model; null for what has none. */
  readonly key: string | null;
  /** Set where the key is a ticket. */
  readonly repo_id: string | null;
}

export interface Costs {
  readonly by: CostGroup;
  readonly days: number;
  /** First and last day; all are days in UTC, and have 24 hours. */
  readonly from: string;
  readonly to: string;
  /** Days in order, without a gap; else what costs most first. */
  readonly rows: readonly CostRow[];
  readonly left_out: number;
  readonly total: UsedSum;
}

export interface CostsAsked {
  readonly by: CostGroup;
  readonly days: number;
  readonly repoIds: readonly string[];
  /** Epoch ms. */
  readonly now: number;
}

type SummedRow = Omit<CostRow, "cost_basis" | "cost_usd"> & {
  readonly usd: number;
  readonly priced: number;
  readonly fixture: number;
};

const KEYS = { day: "day", ticket: "ticket_id", role: "role", model: "model" } as const;

const NOTHING: Omit<SummedRow, "key" | "repo_id"> = {
  ...{ jobs: 0, turns: 0, tokens_in: 0, tokens_cached: 0, tokens_out: 0 },
  ...{ tokens_local: 0, tokens_unknown: 0, cost_unknown: 0, usd: 0, priced: 0, fixture: 0 },
};

/** The first that applies is said of a sum, as `costSum` does. */
function basisOf(row: Omit<SummedRow, "key" | "repo_id">): CostBasis | null {
  if (row.priced > 0) return "price";
  if (row.cost_unknown > 0) return "unknown";
  if (row.tokens_local > 0) return "local";
  return row.fixture > 0 ? "fixture" : null;
}

function usedSum(
  { usd, priced, fixture, ...row }: Omit<SummedRow, "key" | "repo_id">,
): UsedSum {
  const cost_basis = basisOf({ ...row, usd, priced, fixture });
  return { ...row, cost_basis, cost_usd: cost_basis === "price" ? rounded(usd) : null };
}

async function summed(db: Db, asked: CostsAsked, key: string | undefined): Promise<SummedRow[]> {
  const { by, days, repoIds, now } = asked;
  const [from, to] = [dayOf(now - (days - 1) * DAY_MS), dayOf(now)];
  const grouped = key === undefined ? [] : by === "ticket" ? ["repo_id", key] : [key];
  const tokens = sql`used.tokens_in + used.tokens_out`;
  const { rows } = await sql<SummedRow>`SELECT
    ${key === undefined ? sql`NULL` : sql.ref(`used.${key}`)} AS key,
    ${grouped.length === 2 ? sql`used.repo_id` : sql`NULL`} AS repo_id,
    count(DISTINCT used.job_id) AS jobs,
    coalesce(sum(used.turns), 0) AS turns,
    coalesce(sum(used.tokens_in), 0) AS tokens_in,
    coalesce(sum(used.tokens_cached), 0) AS tokens_cached,
    coalesce(sum(used.tokens_out), 0) AS tokens_out,
    coalesce(sum(CASE WHEN used.cost_basis = 'local' THEN ${tokens} ELSE 0 END), 0) AS tokens_local,
    coalesce(sum(CASE WHEN used.cost_basis = 'unknown' THEN ${tokens} ELSE 0 END), 0) AS tokens_unknown,
    count(DISTINCT CASE WHEN used.cost_basis = 'unknown' THEN used.job_id END) AS cost_unknown,
    coalesce(sum(used.cost_usd), 0) AS usd,
    count(CASE WHEN used.cost_basis = 'price' THEN 1 END) AS priced,
    count(CASE WHEN used.cost_basis = 'fixture' THEN 1 END) AS fixture
    FROM job_uses AS used WHERE used.day BETWEEN ${from} AND ${to}
    AND used.repo_id IN (SELECT value FROM json_each(${JSON.stringify(repoIds)}))
    AND used.turns + used.tokens_in + used.tokens_out > 0
    ${
    grouped.length === 0
      ? sql``
      : sql`GROUP BY ${sql.join(grouped.map((name) => sql.ref(`used.${name}`)))}`
  }`.execute(db);
  return rows;
}

const ofSummed = ({ key, repo_id, ...row }: SummedRow): CostRow => ({
  key,
  repo_id,
  ...usedSum(row),
});

/** @param db undefined where no job has run yet. A job whose uses lie on two days, or with two models, is counted in both rows and once in the sum. */
export async function costs(db: Db | undefined, asked: CostsAsked): Promise<Costs> {
  const { by, days, now } = asked;
  const [rows, [total]] = db === undefined
    ? [[], [{ key: null, repo_id: null, ...NOTHING }]]
    : await Promise.all([summed(db, asked, KEYS[by]), summed(db, asked, undefined)]);
  const known = new Map(rows.map((row) => [row.key, row]));
  const all = Array.from({ length: days }, (_, at) => dayOf(now - (days - 1 - at) * DAY_MS));
  const inOrder = by === "day"
    ? all.map((key) => known.get(key) ?? { key, repo_id: null, ...NOTHING })
    : rows.toSorted((a, b) =>
      b.usd - a.usd || b.tokens_in + b.tokens_out - a.tokens_in - a.tokens_out ||
      ((a.key ?? "") < (b.key ?? "") ? -1 : 1)
    );
  const shown = by === "day" ? inOrder : inOrder.slice(0, COST_ROWS);
  const { key: _, repo_id: __, ...sum } = total!;
  return {
    by,
    days,
    from: all[0]!,
    to: all.at(-1)!,
    rows: shown.map(ofSummed),
    left_out: inOrder.length - shown.length,
    total: usedSum(sum),
  };
}

/** `GET /api/costs`: what jobs used and cost, by day, ticket, role or model. */
import {
  COST_DAYS,
  COST_DAYS_MOST,
  COST_GROUPS,
  type CostRow,
  costs,
} from "svc/features/jobs/cost_views.ts";
import { chosenRepos, dashboardRead } from "./read.ts";
import { costSumShape, count, type ShapeOf, type Z } from "./shape.ts";

const usedShape = (z: Z) => ({
  jobs: count(z),
  turns: count(z),
  tokens_in: count(z),
  /** Those among `tokens_in` that the server had in its cache. */
  tokens_cached: count(z),
  tokens_out: count(z),
  /** Tokens of models of this machine or network, without a price. */
  tokens_local: count(z),
  /** Tokens for which no price is known, which `cost_usd` leaves out. */
  tokens_unknown: count(z),
  ...costSumShape(z),
});

export const costsShape = (z: Z) =>
  z.strictObject({
    by: z.enum(COST_GROUPS),
    /** All days are days in UTC. */
    zone: z.literal("UTC"),
    days: count(z),
    from: z.iso.date(),
    to: z.iso.date(),
    rows: z.array(z.strictObject({
      /** A day, or the name of a ticket, role or model; null for what has none. */
      key: z.string().nullable(),
      repo_id: z.string().nullable(),
      repo: z.string().nullable(),
      ...usedShape(z),
    })),
    /** Rows beyond the first ones; `total` counts them. */
    left_out: count(z),
    total: z.strictObject(usedShape(z)),
  });
export type CostsAnswer = ShapeOf<typeof costsShape>;

/** Undefined for what is no number of days. */
function daysOf(text: string | undefined): number | undefined {
  if (text === undefined) return COST_DAYS;
  const days = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  return days >= 1 && days <= COST_DAYS_MOST ? days : undefined;
}

export const costsRead = dashboardRead({
  name: "costs",
  about: "Tokens and cost of jobs by `day`, `ticket`, `role` or `model`, of the last days (UTC).",
  query: { by: COST_GROUPS, days: "optional", repo_id: "optional" },
  shape: costsShape,
  missing: { status: 400, error: `days must be a whole number from 1 to ${COST_DAYS_MOST}` },
  async read({ ports: { db, clock }, scope }, { by = "day", days: typed, repo_id }) {
    const days = daysOf(typed);
    if (days === undefined) return undefined;
    const repoIds = chosenRepos(scope, repo_id).map(({ id }) => id);
    const found = await costs(db, { by, days, repoIds, now: clock.now() });
    return costsAnswer(found, scope.nameOf);
  },
});

/** @param nameOf a repo's name by its id */
export function costsAnswer(
  { rows, ...rest }: Awaited<ReturnType<typeof costs>>,
  nameOf: (repoId: string) => string,
): CostsAnswer {
  const named = (row: CostRow) => ({
    ...row,
    repo: row.repo_id === null ? null : nameOf(row.repo_id),
  });
  return { ...rest, zone: "UTC", rows: rows.map(named) };
}

import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, database, otherwise, repo, whole } from "svc/cli/flags.ts";
import { COST_BASES, spentText } from "svc/core/cost.ts";
import { COST_DAYS, COST_DAYS_MOST, COST_GROUPS, costs } from "svc/features/jobs/cost_views.ts";
import { ofServe, openStoredRepo, serveDatabase } from "svc/runtime/session/stored_repo.ts";

export default command({
  about: "Show what jobs used and cost, by day, ticket, role or model",
  details:
    "Days are days in UTC, as for budgets and limits, so each has 24 hours. A cost is computed " +
    "with the price at the time of use. Models on this machine have tokens and no price; tokens " +
    "of a model without a known price are named beside the sum, and never count as free. The " +
    "repo's own database has the jobs of svc start; --db names the shared one of svc serve.",
  examples: [
    { line: "svc costs", about: `the last ${COST_DAYS} days, one line each` },
    { line: "svc costs --by ticket --days 7", about: "what cost most in a week" },
    { line: "svc costs --by model --json | jq '.total.cost_usd'", about: "for scripts" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: {
    repo,
    by: otherwise(choice(COST_GROUPS, "What each row is about"), "day"),
    days: otherwise(
      whole("n", "How many days to count, today included", { min: 1, max: COST_DAYS_MOST }),
      COST_DAYS,
    ),
    db: database("Database that holds the jobs (default: the repo's own)"),
  },
  result: (z) => {
    const count = z.int().min(0);
    const used = {
      ...{ jobs: count, turns: count, tokens_in: count, tokens_cached: count, tokens_out: count },
      ...{ tokens_local: count, tokens_unknown: count },
      cost_basis: z.enum(COST_BASES).nullable(),
      cost_usd: z.number().nullable(),
      /** Jobs without a known price, which `cost_usd` leaves out. */
      cost_unknown: count,
    };
    return z.strictObject({
      repo: z.string(),
      database: z.string().nullable(),
      /** The database of `svc serve`, which has the repo too and was not asked. */
      not_asked: z.string().nullable(),
      by: z.enum(COST_GROUPS),
      zone: z.literal("UTC"),
      days: count,
      from: z.string(),
      to: z.string(),
      rows: z.array(z.strictObject({
        key: z.string().nullable(),
        repo_id: z.string().nullable(),
        ...used,
      })),
      left_out: count,
      total: z.strictObject(used),
    });
  },

  async run(app: App, { repo = app.cwd(), by, days, db }) {
    await using stored = await openStoredRepo(app, { repo, db });
    const { root, id, store } = stored;
    const found = await costs(store?.db, { by, days, repoIds: [id], now: app.clock.now() });
    const not_asked = await serveDatabase(app, { root, db });
    const database = store?.path ?? null;
    return { repo: root, database, not_asked, zone: "UTC" as const, ...found };
  },

  show({ repo, database, not_asked, by, rows, left_out, total, from, to }, page) {
    if (total.jobs === 0 && not_asked !== null) page.line(page.tone("dim", ofServe(not_asked)));
    if (database === null) return page.line(`No job has run in ${repo} yet: there is no database`);
    const number = (count: number) => count.toLocaleString("en");
    const line = (name: string, row: typeof total) => [
      ...[name, number(row.jobs), number(row.tokens_in), number(row.tokens_cached)],
      ...[number(row.tokens_out), spentText(row)],
    ];
    // A new machine has a month of days before its first job.
    const first = by === "day" ? Math.max(0, rows.findIndex(({ jobs }) => jobs > 0)) : 0;
    page.table(
      [by, "jobs", "tokens in", "cached", "out", "cost"],
      [...rows.slice(first).map((row) => line(row.key ?? "–", row)), line("all", total)],
    );
    const none = first === 0 ? "" : `; no job before ${rows[first]!.key}`;
    page.line(page.tone("dim", `${from} to ${to}, days in UTC${none}`));
    if (left_out > 0) page.line(`${left_out} more are counted in the last line alone`);
    if (total.cost_unknown > 0) {
      page.line(
        `What ${
          total.cost_unknown === 1 ? "1 job" : `${total.cost_unknown} jobs`
        } cost is not known: ` +
          "write prices under models.prices in ~/.svc/config.yaml",
      );
    }
  },
});

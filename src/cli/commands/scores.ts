import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo } from "svc/cli/flags.ts";
import { ofServe, openStoredRepo, serveDatabase } from "svc/runtime/session/stored_repo.ts";
import { COST_BASES, costText } from "svc/core/cost.ts";
import { SCORE_SAMPLES, SCORE_WINDOW_DAYS } from "svc/core/bounds.ts";
import { rfc3339 } from "svc/core/time.ts";
import { causesText, scoreText } from "svc/features/scores/quality_page.ts";
import { readScores } from "svc/features/scores/read_scores.ts";

export default command({
  about: "Show how well each role does, by outcomes that others judged",
  details:
    `Counts outcomes of the last ${SCORE_WINDOW_DAYS} days. No role judges itself: work is a success if ` +
    "another role approved it and it was merged, a verdict if it held, a plan if what it led to " +
    "began. Failures of a server or machine do not count. A score is the lower end of the " +
    "95 % interval (Wilson) of the share of successes, times 100, so few outcomes never score high; " +
    `with fewer than ${SCORE_SAMPLES} there is none. The trend is the difference to the window before.`,
  examples: [
    { line: "svc scores", about: "roles of the repo of the current folder" },
    {
      line: "svc scores --repo ~/work/app --db ~/.svc-harness/db/svc.db",
      about: "as svc serve has them",
    },
    { line: "svc scores --json | jq '.roles[] | {role, score, samples}'", about: "for scripts" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: {
    repo,
    db: database("Database that holds the jobs (default: the repo's own)"),
  },
  result: (z) => {
    const count = z.int().min(0);
    return z.strictObject({
      repo: z.string(),
      repo_id: z.string(),
      database: z.string().nullable(),
      /** The database of `svc serve`, which has the repo too and was not asked. */
      not_asked: z.string().nullable(),
      window_days: count,
      roles: z.array(z.strictObject({
        role: z.string(),
        score: z.number().nullable(),
        upper: z.number().nullable(),
        samples: count,
        successes: count,
        failures: count,
        trend: z.number().nullable(),
        causes: z.array(z.strictObject({
          category: z.string(),
          count,
          tickets: z.array(z.string()),
        })),
        /** Outcomes that nobody has judged yet. */
        open: count,
        /** Outcomes of a model that only plays back. */
        fixture: count,
        tokens: count,
        cost_basis: z.enum(COST_BASES).nullable(),
        cost_usd: z.number().nullable(),
        /** Jobs without a known price, which `cost_usd` leaves out. */
        cost_unknown: count,
        last_at: z.iso.datetime().nullable(),
      })),
    });
  },

  async run(app: App, asked) {
    const { repo = app.cwd(), db } = asked;
    await using stored = await openStoredRepo(app, { repo, db });
    const { root, id, manifest, store } = stored;
    const roles = Object.keys(manifest?.roles ?? {});
    const { scores } = store === undefined
      ? { scores: [] }
      : await readScores(store.db, { repoId: id, roles, now: app.clock.now() });
    return {
      repo: root,
      repo_id: id,
      database: store?.path ?? null,
      not_asked: await serveDatabase(app, { root, db }),
      window_days: SCORE_WINDOW_DAYS,
      roles: scores.map((one) => {
        const { role, score, upper, samples, successes, failures, trend, open, fixture } = one;
        return {
          role,
          score,
          upper,
          samples,
          successes,
          failures,
          trend,
          causes: one.categories,
          open,
          fixture,
          tokens: one.tokens,
          ...one.cost,
          last_at: one.lastAt === null ? null : rfc3339(one.lastAt),
        };
      }),
    };
  },

  show({ repo, database, not_asked, window_days, roles }, page) {
    const none = roles.every(({ last_at }) => last_at === null);
    if (none && not_asked !== null) page.line(page.tone("dim", ofServe(not_asked)));
    if (database === null) return page.line(`No job has run in ${repo} yet: there is no database`);
    if (roles.length === 0) return page.line(`No job has run in ${repo} yet`);
    page.table(
      ["role", "score", "n", "open", "trend", "cost", "last", "largest causes of failure"],
      roles.map(({ role, score, upper, samples, open, trend, last_at, causes, ...cost }) => [
        ...[role, scoreText({ score, upper }), String(samples), String(open)],
        trend === null ? "–" : trend > 0 ? `+${trend}` : String(trend),
        costText(cost),
        last_at ?? "–",
        causesText(causes) || "–",
      ]),
    );
    page.line(page.tone("dim", `Outcomes of ${window_days} days; open: not judged yet`));
    const fixture = roles.reduce((sum, one) => sum + one.fixture, 0);
    if (fixture > 0) {
      page.line(`${fixture} of these outcomes are fixture evidence: from a scripted model`);
    }
  },
});

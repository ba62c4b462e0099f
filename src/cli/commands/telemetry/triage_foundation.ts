import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { otherwise, path, repo, whole } from "svc/cli/flags.ts";
import { SCORE_WINDOW_DAYS, SCORE_WINDOW_MAX_DAYS } from "svc/core/bounds.ts";
import { intakeCounts, repeatedPatterns } from "svc/features/telemetry/intake_store.ts";
import { TRIAGE_REPORTS, TRIAGE_TICKETS, triageDrafts } from "svc/features/telemetry/triage.ts";
import { listTickets } from "svc/features/tickets/ticket_list.ts";
import { createTickets } from "svc/features/tickets/tickets.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { findIntake, openIntake } from "svc/store/placement.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export default command({
  about: "Make tickets in the source repo of the failures that collected reports repeat",
  details:
    "Reads what `svc telemetry collect` stored. A pattern is a failure category with a standard role " +
    `and a kind of model; it counts if at least ${TRIAGE_REPORTS} reports of the window have it. Each ` +
    "pattern gets one ticket unless one is open, the most frequent first, " +
    `${TRIAGE_TICKETS} at a time, in one commit.`,
  examples: [
    { line: "svc telemetry triage-foundation --dry-run", about: "shows the tickets" },
    {
      line: "svc telemetry triage-foundation --repo ~/work/svc --window-days 7",
      about: "of the last week",
    },
  ],
  effect: "writes_target",
  givenBy: { who: "person", because: "roles work on its tickets as on a person's" },
  modes: ["json", "plain", "dry-run"],
  flags: {
    repo,
    db: path(
      "file",
      "Database of the collector (default: ~/.svc/db/foundation-telemetry/intake.db)",
    ),
    windowDays: otherwise(
      whole("days", "How far back received reports count", { min: 1, max: SCORE_WINDOW_MAX_DAYS }),
      SCORE_WINDOW_DAYS,
    ),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      database: z.string().nullable(),
      window_days: z.int(),
      reports: z.int(),
      patterns: z.array(z.strictObject({
        role: z.string(),
        model: z.string(),
        category: z.string(),
        reports: z.int(),
        jobs: z.int(),
        versions: z.array(z.string()),
      })),
      created: z.array(z.strictObject({
        id: z.string(),
        path: z.string(),
        title: z.string(),
        priority: z.string(),
        source: z.string(),
      })),
      deduplicated: z.int(),
      held: z.int(),
      commit: z.string().exactOptional(),
      dry_run: z.boolean(),
    }),

  async run(app: App, { repo = app.cwd(), db, windowDays: days, dryRun }) {
    using checkout = await openCheckout(app, repo);
    const there = await findIntake(app, db) !== undefined;
    await using store = there ? await openIntake(app, db) : undefined;
    const since = app.clock.now() - days * DAY_MS;
    const patterns = store === undefined
      ? []
      : await repeatedPatterns(store.db, { since, least: TRIAGE_REPORTS });
    const { tickets } = await listTickets(checkout);
    const open = tickets.filter(({ state }) => state !== "done")
      .flatMap(({ fingerprint }) => fingerprint ?? []);
    const { drafts, held } = triageDrafts(patterns, { days, open: new Set(open) });
    const { created, deduplicated, commit } = drafts.length === 0
      ? { created: [], deduplicated: [], commit: undefined }
      : await createTickets(checkout, drafts, { actor: "telemetry", dryRun });
    return {
      repo: checkout.root,
      database: store?.path ?? null,
      window_days: days,
      reports: store === undefined ? 0 : (await intakeCounts(store.db, since)).reports,
      patterns,
      created: created.map(({ id, path, title, priority, source }) => ({
        ...{ id, path, title, priority, source },
      })),
      deduplicated: deduplicated.length,
      held,
      ...(commit !== undefined && { commit }),
      dry_run: dryRun,
    };
  },

  show(found, page) {
    const { database, reports, patterns, created, deduplicated, held, dry_run } = found;
    if (database === null) {
      page.line("There is no intake yet: no report was collected here");
      return page.next("svc telemetry collect");
    }
    page.line(
      `Reports of ${found.window_days} days: ${reports}; patterns that repeat: ${patterns.length}`,
    );
    for (const { id, title } of created) {
      page.line(`${dry_run ? "Would create" : "Created"} ${id} ${title}`);
    }
    if (created.length === 0) page.line("No ticket to create");
    if (deduplicated > 0) page.line(`Open already: ${deduplicated}`);
    if (held > 0) page.line(`Left for the next triage: ${held}`);
    if (created.length > 0 && !dry_run) page.next("svc tickets list");
  },
});

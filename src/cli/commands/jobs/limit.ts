import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, text } from "svc/cli/flags.ts";
import { Failure } from "svc/core/failure.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { LIMIT_SCOPES } from "svc/features/jobs/job_limit_table.ts";
import { openShared } from "svc/store/placement.ts";

export default command({
  about: "Show or set how many jobs may run at a time: of all, of a repo, a role or a node",
  details:
    "A limit applies to every svc on the database, within five seconds; running jobs go on. The " +
    "limit of a role counts its jobs in all repos. With 0 no job begins. In addition each svc has " +
    "its own --concurrency. Without --db it is the limit in the database of svc serve; svc start " +
    "has a database for each repo.",
  examples: [
    { line: "svc jobs limit", about: "shows the limits of svc serve" },
    { line: "svc jobs limit role:engineer 4", about: "four engineers at a time, in all repos" },
    { line: "svc jobs limit repo:app none", about: "takes a limit away" },
    { line: "svc jobs limit team 20 --db postgres://team@db.example.org/svc", about: "of a team" },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "it says how much of the machines work may take" },
  modes: ["json", "plain", "dry-run"],
  args: {
    of: text("of", "team, repo:<name>, role:<name> or node:<name>"),
    most: text("most", "How many; none takes the limit away"),
  },
  flags: { db: database("Database, outside every repo (default: ~/.svc-harness/db/svc.db)") },
  result: (z) =>
    z.strictObject({
      limits: z.array(z.strictObject({
        scope: z.enum(LIMIT_SCOPES),
        /** Id of the repo or the node; "" for the team. */
        key: z.string(),
        /** As it is typed. */
        of: z.string(),
        most: z.int(),
      })),
      database: z.string(),
      changed: z.boolean(),
      dry_run: z.boolean(),
    }),

  async run(app: App, { of, most, db: named, dryRun }) {
    const [asked, stored] = await Promise.all([
      app.load("src/runtime/service/limit_asked"),
      app.load("src/features/jobs/job_limit_store"),
    ]);
    if (of !== undefined && most === undefined) {
      throw new Failure("usage", `Cannot limit ${of}: how many is not said`, {
        remedy: `svc jobs limit ${of} 4; or none`,
      });
    }
    const file = named ?? `${app.home.sharedDb}/svc.db`;
    if (of === undefined && !isServerAddress(file) && await app.files.stat(file) === undefined) {
      return { limits: [], database: file, changed: false, dry_run: dryRun };
    }
    await using store = await openShared(app, { db: named });
    const { db } = store;
    const before = await stored.jobLimits(db);
    let limits = before;
    if (of !== undefined) {
      const which = await asked.limitOf(db, of);
      const count = asked.mostOf(most!);
      const others = before.filter(({ scope, key }) => scope !== which.scope || key !== which.key);
      limits = count === undefined ? others : [...others, { ...which, most: count }];
      if (!dryRun && count === undefined) await stored.dropJobLimit(db, which);
      if (!dryRun && count !== undefined) await stored.setJobLimit(db, { ...which, most: count });
    }
    const names = await asked.limitNames(db, limits);
    return {
      limits: limits.map((limit, at) => ({ ...limit, of: names[at]! })),
      database: store.path,
      changed: JSON.stringify(limits) !== JSON.stringify(before),
      dry_run: dryRun,
    };
  },

  show({ limits, database, changed, dry_run }, page) {
    page.line(`database: ${database}`);
    if (changed && dry_run) page.line("Nothing was changed; the limits would be:");
    if (limits.length === 0) {
      return page.line("No limit: each svc runs as many as its --concurrency");
    }
    page.table(["of", "most"], limits.map(({ of, most }) => [of, String(most)]));
    page.next(`svc jobs list --all --status pending --db ${shellWord(database)}`);
  },
});

import { counted } from "svc/core/counted.ts";
import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, on } from "svc/cli/flags.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { Failure } from "svc/core/failure.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import { rfc3339 } from "svc/core/time.ts";
import { refuseInsideRepo } from "svc/platform/files/outside_repo.ts";
import { prune } from "svc/runtime/retention/prune.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** One fault of a folder is one of each file in it. */
const PROBLEMS_SHOWN = 5;

const WHY = { age: "older than kept", size: "too many bytes" } as const;

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** To open one that is not there would make it. @throws Failure `not_found` */
async function mustBeThere({ files }: App, db: string): Promise<void> {
  await refuseInsideRepo(db, "--db");
  if (isServerAddress(db) || await files.stat(db) !== undefined) return;
  throw new Failure("not_found", `Cannot prune the database "${db}": there is none`, {
    remedy: "Correct --db, or leave it out",
  });
}

export default command({
  about: "Remove old traces, outputs, logs and records, as a service does each day; shows it first",
  details: "Without --apply it changes nothing, and counts what it would remove. `retention` in " +
    "~/.svc/config.yaml says how long svc keeps things: traces_days (30) and traces_mb (2048) for " +
    "traces, outputs and leftovers of jobs, records_days (400) for jobs and decisions, logs_days " +
    "(30) for command logs and caches. What a waiting or running job, a ticket that is not done, " +
    "a work tree or a pending merge needs stays. So do changes of trust, models and settings, and " +
    "everything in your repos except svc's own refs (refs/svc/leftovers, refs/svc/aside). A " +
    "symbolic link is removed without its target.",
  examples: [
    { line: "svc prune", about: "shows what would go, and changes nothing" },
    { line: "svc prune --apply", about: "removes it" },
    { line: "svc prune --json | jq '.groups[] | {what, count, bytes}'", about: "for scripts" },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "it removes records and traces", with: ["apply"] },
  modes: ["json", "plain", "dry-run"],
  flags: {
    db: database("Only the records of this database (default: all of ~/.svc)"),
    apply: on("Do it; without this flag it is only shown"),
    trustClock: on("The clock is right, although it is far ahead of what svc saw last"),
  },
  result: (z) =>
    z.strictObject({
      home: z.string(),
      dry_run: z.boolean(),
      retention: z.strictObject({
        traces_days: z.int(),
        traces_bytes: z.int(),
        records_days: z.int(),
        logs_days: z.int(),
      }),
      databases: z.array(z.strictObject({
        path: z.string(),
        state: z.enum(["read", "older", "failed"]),
        counted_to: z.string().nullable(),
        clock_doubted: z.boolean(),
        needed: z.int(),
        compacted_bytes: z.int(),
      })),
      groups: z.array(z.strictObject({
        what: z.string(),
        because: z.enum(["age", "size"]),
        count: z.int(),
        bytes: z.int(),
      })),
      bytes: z.int(),
      held_bytes: z.int(),
      problems: z.array(z.string()),
    }),

  async run(app: App, { db, apply, dryRun, trustClock }) {
    if (db !== undefined) await mustBeThere(app, db);
    const removes = apply && !dryRun;
    const { policy, databases, groups, problems, held } = await prune(app, {
      ...{ db, apply: removes, trustClock },
    });
    return {
      home: app.home.root,
      dry_run: !removes,
      retention: {
        traces_days: policy.tracesMs / DAY_MS,
        traces_bytes: policy.tracesBytes,
        records_days: policy.recordsMs / DAY_MS,
        logs_days: policy.logsMs / DAY_MS,
      },
      databases: databases.map(({ now, compacted, ...rest }) => ({
        ...rest,
        counted_to: now === null ? null : rfc3339(now),
        compacted_bytes: compacted,
      })),
      groups: [...groups],
      bytes: groups.reduce((sum, group) => sum + group.bytes, 0),
      held_bytes: held,
      problems: [...problems],
    };
  },

  exit: ({ problems }) => problems.length > 0 ? 1 : 0,

  show({ dry_run, databases, groups, bytes, held_bytes, problems }, page, asked) {
    if (groups.length === 0) page.line("There is nothing to remove.");
    else {
      page.table(
        [dry_run ? "would go" : "removed", "because", "count", "size"],
        groups.map(({ what, because, count, bytes }) => [
          ...[what, WHY[because], String(count)],
          /refs|records/.test(what) ? "-" : sizeText(bytes),
        ]),
      );
    }
    page.line(
      `${sizeText(bytes)} of files; the traces and outputs of jobs had ${sizeText(held_bytes)}`,
    );
    const needed = databases.reduce((sum, one) => sum + one.needed, 0);
    if (needed > 0) {
      page.line(
        `old, and needed still: the files of ${counted(needed, "job")} (open tickets, owed work)`,
      );
    }
    for (const { path, state, counted_to, clock_doubted } of databases) {
      if (state === "older") page.line(`not looked at, an older svc wrote it: ${path}`);
      // A damaged page can turn up at any step, so the table above may contain what was done before.
      if (state === "failed") {
        page.line(`not gone through to its end; what is left of its jobs stays: ${path}`);
      }
      if (clock_doubted) {
        page.line(`${path}: the clock is far ahead of what svc saw; counted to ${counted_to}`);
      }
    }
    for (const problem of problems.slice(0, PROBLEMS_SHOWN)) page.line(page.tone("bad", problem));
    const more = problems.length - PROBLEMS_SHOWN;
    if (more > 0) page.line(page.tone("bad", `and ${more} more; --json lists them all`));
    if (databases.some((one) => one.clock_doubted)) {
      page.next(`if the clock is right: svc prune --trust-clock${samePlace(asked)}`);
    } else if (dry_run && groups.length > 0) page.next(`svc prune --apply${samePlace(asked)}`);
  },
});

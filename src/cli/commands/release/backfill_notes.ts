import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { on, repo, text } from "svc/cli/flags.ts";
import { reportShape, showReport } from "svc/cli/page/harness_report.ts";
import { typedLine } from "svc/cli/typed_line.ts";
import { Failure } from "svc/core/failure.ts";
import { compareSemver, parseSemver, type SemVer } from "svc/core/semver.ts";
import { together } from "svc/core/together.ts";
import { carryOut, openHarnessTarget, pending } from "svc/features/harness/operate.ts";
import { releaseLinks } from "svc/features/release/links.ts";
import { planBackfill } from "svc/features/release/plan_backfill.ts";
import { obstacleIn, refuseObstacle, refuseShallow } from "svc/features/release/source.ts";

/** @throws Failure `usage` */
function bound(flag: string, given: string | undefined): SemVer | undefined {
  const version = given === undefined ? undefined : parseSemver(given.replace(/^v/, ""));
  if (given === undefined || version !== undefined) return version;
  throw new Failure("usage", `Cannot use --${flag} ${JSON.stringify(given)}: it is no version`, {
    remedy: `svc release backfill-notes --${flag} 1.2.0`,
  });
}

const FLAGS = {
  repo,
  check: on("Write nothing; fail when an entry would change"),
  minVersion: text("version", "Leave older entries alone"),
  maxVersion: text("version", "Leave newer entries alone"),
} as const;

/** @throws Failure `usage` for what is no version, and for bounds that no version lies between */
function boundsOf({ minVersion, maxVersion }: {
  readonly minVersion: string | undefined;
  readonly maxVersion: string | undefined;
}) {
  const min = bound("min-version", minVersion);
  const max = bound("max-version", maxVersion);
  if (min === undefined || max === undefined || compareSemver(min, max) <= 0) return { min, max };
  const between = `${JSON.stringify(minVersion)} and --max-version ${JSON.stringify(maxVersion)}`;
  throw new Failure("usage", `Cannot use --min-version ${between}: no version lies between`, {
    remedy: `svc release backfill-notes --min-version ${maxVersion} --max-version ${minVersion}`,
  });
}

export default command({
  about: "Write the changelog's entries of releases that were made, from their tags and commits",
  details:
    "Each tag of a version (v1.2.0 or 1.2.0, without prereleases) in the history of HEAD gets its " +
    "entry: a missing one is added in its place, and one that svc wrote is brought up to date. " +
    "What a person wrote or edited is never changed; to have svc write such an entry, delete it " +
    "first. Exit status of --check: 0 all entries are up to date, 1 one would change.",
  examples: [
    { line: "svc release backfill-notes --dry-run", about: "shows what would change, as a diff" },
    { line: "svc release backfill-notes --check", about: "fails when an entry is out of date" },
    {
      line: "svc release backfill-notes --min-version 1.0.0 --max-version 1.9.9",
      about: "only entries of 1.x",
    },
  ],
  effect: "writes_target",
  givenBy: { who: "person", because: "it rewrites what was told of releases" },
  modes: ["json", "plain", "dry-run"],
  flags: FLAGS,
  result: (z) =>
    z.strictObject({
      ...reportShape(z),
      check: z.boolean(),
      entries: z.array(z.strictObject({
        version: z.string(),
        outcome: z.enum(["added", "rewritten", "unchanged", "kept"]),
        why: z.string().exactOptional(),
      })),
      /** Why the run without --dry-run or --check would be refused. */
      obstacle: z.string().nullable(),
    }),

  async run(app: App, asked) {
    const bounds = boundsOf(asked);
    using target = await openHarnessTarget(app, asked.repo ?? app.cwd());
    const { git, root } = target;
    const [links] = await together(releaseLinks(git, app.settings), refuseShallow(git));
    const plan = () => planBackfill(target, { ...bounds, links });
    const report = { repo: root, dry_run: asked.dryRun || asked.check, check: asked.check };
    if (report.dry_run) {
      const [obstacle, { changes, kept, entries }, earlier] = await together(
        obstacleIn(git),
        plan(),
        pending(target),
      );
      return { ...report, changes, kept, entries, earlier, obstacle: obstacle?.why ?? null };
    }
    const { plan: drafted, ...done } = await carryOut(
      target,
      "release backfill-notes",
      async () => {
        refuseObstacle("rewrite release notes", await obstacleIn(git));
        return await plan();
      },
    );
    const { changes, kept, entries } = drafted;
    return { ...report, changes, kept, entries, ...done, obstacle: null };
  },

  exit: ({ check, changes }) => check && changes.length > 0 ? 1 : 0,

  show(result, page, asked) {
    const { entries, changes, dry_run, obstacle } = result;
    showReport(result, page);
    if (obstacle !== null) {
      page.line(`${page.tone("warn", "note:")} it would be refused now: ${obstacle}`);
    }
    const told = entries.filter(({ outcome }) => outcome !== "unchanged");
    if (told.length > 0) {
      page.table(
        ["entry", "outcome", "why"],
        told.map(({ version, outcome, why = "" }) => [
          version,
          outcome,
          why,
        ]),
      );
    }
    const bounded = asked.minVersion !== undefined || asked.maxVersion !== undefined;
    const within = bounded ? " within these bounds" : "";
    if (entries.length === 0) page.line(`No tag of a version${within} is in the history of HEAD.`);
    else if (changes.length === 0) page.line("The changelog is up to date.");
    else if (dry_run) page.next(typedLine("release backfill-notes", FLAGS, asked, ["check"]));
    else page.next("git diff CHANGELOG.md; a commit makes it final");
  },
});

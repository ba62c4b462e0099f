import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, many, otherwise, repo, text } from "svc/cli/flags.ts";
import { reportShape, showReport } from "svc/cli/page/harness_report.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { together } from "svc/core/together.ts";
import { carryOut, openHarnessTarget, pending } from "svc/features/harness/operate.ts";
import { releaseLinks } from "svc/features/release/links.ts";
import { planNotes } from "svc/features/release/plan_notes.ts";
import { obstacleIn, refuseObstacle, refuseShallow } from "svc/features/release/source.ts";

const BUMPS = ["auto", "major", "minor", "patch"] as const;

export default command({
  about: "Write the notes of the next release, and its version, from Conventional Commits",
  details:
    "Reads the commits since the last release: since the tag of the version in VERSION, or since " +
    "the commit that set VERSION. A breaking change raises the major number (before 1.0.0 the " +
    "minor one), feat the minor one, any other change that users get the patch number; docs, " +
    "style, chore, refactor, test, bench, build and ci alone release nothing. Writes VERSION, " +
    "puts the entry on top of CHANGELOG.md without touching another byte, and sets the version in " +
    "deno.json, package.json, Cargo.toml, pyproject.toml and constants in files named version.*, " +
    "where the old version stands. Nothing is committed or tagged. Refused while tracked files " +
    "have changes, and in a shallow clone.",
  examples: [
    { line: "svc release notes --dry-run", about: "shows what it would write, as a diff" },
    { line: "svc release notes", about: "writes it; commit and tag it then" },
    { line: "svc release notes --bump major", about: "such as for 1.0.0" },
    {
      line: "svc release notes --version-file src/app.ts",
      about: "sets the constant in a file of another name too",
    },
    { line: "svc release notes --dry-run --json | jq -r .notes", about: "the entry alone" },
  ],
  effect: "writes_target",
  givenBy: { who: "person", because: "a version is a promise to those who use the program" },
  modes: ["json", "plain", "dry-run"],
  flags: {
    repo,
    bump: otherwise(choice(BUMPS, "Which number to raise; auto decides by the commits"), "auto"),
    versionFile: many(text("path", "Another file with a version constant, below the repo's root")),
  },
  result: (z) =>
    z.strictObject({
      ...reportShape(z),
      previous: z.strictObject({
        version: z.string(),
        tag: z.string().nullable(),
        commit: z.string().nullable(),
      }),
      /** Null, like version, tag and notes, when there is nothing to release. */
      bump: z.enum(["major", "minor", "patch"]).nullable(),
      version: z.string().nullable(),
      tag: z.string().nullable(),
      notes: z.string().nullable(),
      commits: z.strictObject({
        all: z.int().min(0),
        listed: z.int().min(0),
        breaking: z.int().min(0),
      }),
      contributors: z.array(z.string()),
      /** Why the run without --dry-run would be refused. */
      obstacle: z.string().nullable(),
    }),

  async run(app: App, asked) {
    using target = await openHarnessTarget(app, asked.repo ?? app.cwd());
    const { git, root } = target;
    const [links] = await together(releaseLinks(git, app.settings), refuseShallow(git));
    const plan = () => {
      const { bump, versionFile: named } = asked;
      return planNotes(target, { bump, named, now: app.clock.now(), links });
    };
    const told = ({ previous, bump, version, tag, notes, commits, contributors }: Awaited<
      ReturnType<typeof plan>
    >) => ({ previous, bump, version, tag, notes, commits, contributors });
    const report = { repo: root, dry_run: asked.dryRun };
    if (asked.dryRun) {
      const [obstacle, drafted, earlier] = await together(
        obstacleIn(git),
        plan(),
        pending(target),
      );
      const { changes, kept } = drafted;
      const why = obstacle?.why ?? null;
      return { ...report, changes, kept, earlier, ...told(drafted), obstacle: why };
    }
    const { plan: drafted, ...done } = await carryOut(target, "release notes", async () => {
      refuseObstacle("write release notes", await obstacleIn(git));
      return await plan();
    });
    const { changes, kept } = drafted;
    return { ...report, changes, kept, ...done, ...told(drafted), obstacle: null };
  },

  show(result, page) {
    const { previous, version, tag, bump, commits, changes, dry_run, obstacle } = result;
    showReport(result, page);
    if (obstacle !== null) {
      page.line(`${page.tone("warn", "note:")} it would be refused now: ${obstacle}`);
    }
    if (version === null) {
      page.line(
        commits.all === 0
          ? `Nothing to release: there is no commit since ${previous.version}.`
          : `Nothing to release: of ${commits.all} commits since ${previous.version} none changes ` +
            "what users get.",
      );
      if (commits.all > 0) page.next("svc release notes --bump patch, to release it still");
      return;
    }
    page.line(
      `${previous.version} → ${version} (${bump}): ${commits.listed} of ${commits.all} commits` +
        (commits.breaking > 0 ? `, ${commits.breaking} breaking` : ""),
    );
    page.next(
      dry_run
        ? "the same command without --dry-run"
        : `git add ${changes.map(({ path }) => shellWord(path)).join(" ")} && ` +
          `git commit -m "chore(release): ${version}" && git tag ${tag}`,
    );
  },
});

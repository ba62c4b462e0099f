import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { repo } from "svc/cli/flags.ts";
import { reportShape, showReport } from "svc/cli/page/harness_report.ts";
import { quoted } from "svc/core/repo_path.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { detect } from "svc/features/harness/detect.ts";
import { readMetadata } from "svc/features/harness/metadata.ts";
import { carryOut, openHarnessTarget, pending } from "svc/features/harness/operate.ts";
import { planUpdate } from "svc/features/harness/plan_update.ts";

export default command({
  about: "Add what a newer svc brings to a repo's harness, and write over nothing of yours",
  details:
    "Adds generated files that are missing and refreshes those that nobody has changed. The " +
    "manifest, role prompts, knowledge routes, guardrails, tickets, plans, references and " +
    "AGENTS.md are yours: if one of them has a newer default, svc puts that into " +
    ".harness/updates/, beside the default that your file began as, ready for git merge-file. " +
    "Delete the two when you are done with them.",
  examples: [
    { line: "svc update harness", about: "the repo of the current folder" },
    { line: "svc update harness --dry-run", about: "shows what it would change" },
    { line: "svc upgrade --repo ~/work/app --json", about: "the same command, for scripts" },
  ],
  effect: "writes_target",
  givenBy: { who: "person", because: "it writes roles, their rights and their guardrails" },
  modes: ["json", "plain", "yes", "dry-run"],
  aliases: ["update target", "update bundle", "upgrade"],
  flags: { repo },
  result: (z) =>
    z.strictObject({
      ...reportShape(z),
      /** Newer defaults beside files that stay as they are. */
      proposals: z.array(z.strictObject({
        path: z.string(),
        base: z.string(),
        newer: z.string(),
      })),
    }),

  async run(app: App, asked) {
    using target = await openHarnessTarget(app, asked.repo ?? app.cwd());
    const makePlan = async () => {
      const { draft, offers } = await planUpdate(target, {
        before: await readMetadata(target),
        project: (await detect(target)).project,
      });
      return Object.assign(draft, { offers });
    };
    const report = { repo: target.root, dry_run: asked.dryRun };
    if (asked.dryRun) {
      const { changes, kept, offers } = await makePlan();
      return { ...report, changes, kept, proposals: offers, earlier: await pending(target) };
    }
    const { plan, ...done } = await carryOut(target, "update harness", makePlan);
    const { changes, kept, offers } = plan;
    return { ...report, changes, kept, proposals: offers, ...done };
  },

  show(result, page, asked) {
    // Its paths are from the root.
    const git = asked.repo === undefined ? "git" : `git -C ${shellWord(result.repo)}`;
    showReport(result, page);
    for (const { path, base, newer } of result.proposals) {
      page.line(
        `${page.tone("warn", "newer default:")} ${git} merge-file ${
          [path, base, newer].map(quoted).join(" ")
        }`,
      );
    }
    if (result.changes.length === 0) page.line("The harness is up to date.");
    else if (result.dry_run) page.next("the same command without --dry-run");
  },
});

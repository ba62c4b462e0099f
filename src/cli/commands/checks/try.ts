import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { repo } from "svc/cli/flags.ts";
import { showTrial } from "svc/cli/page/trial_page.ts";
import { mayTry, trialFlags, tryOut } from "svc/cli/try_checks.ts";
import { Failure } from "svc/core/failure.ts";
import { trialShape } from "svc/features/harness/candidates/trial_report.ts";
import { manifestGroups } from "svc/features/harness/candidates/manifest_groups.ts";
import { detect } from "svc/features/harness/detect.ts";
import { manifestIn } from "svc/features/harness/manifest.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import { openHarnessTarget } from "svc/features/harness/operate.ts";

const { acknowledgeHostExecution, sandbox } = trialFlags;

export default command({
  about: "Try set-up and checks once in a fresh work tree",
  details:
    "Runs the set-up and checks of the manifest (without a manifest, those that init would find) " +
    "on the last commit, in a work tree that is removed afterwards. Each gets a verdict: runs; " +
    "red; needs files that only the checkout has; changes files; missing program, with the " +
    "command that installs it; or cannot fail, because it passed although its tests were broken " +
    "on purpose. No file of the repo changes; svc doctor shows the verdicts later. Exit status: 0 " +
    "all run, 1 some do not.",
  examples: [
    { line: "svc checks try", about: "asks first" },
    {
      line: "svc checks try --yes --acknowledge-host-execution --json",
      about: "for scripts",
    },
  ],
  effect: "writes_home",
  net: { to: "run the repo's own checks" },
  givenBy: {
    who: "person",
    because: "it acknowledges that programs of the repo run with the user's authority",
  },
  modes: ["json", "plain", "yes"],
  flags: { repo, acknowledgeHostExecution, sandbox },
  result: (z) => z.strictObject({ repo: z.string(), trial: trialShape(z) }),

  async run(app: App, asked) {
    using target = await openHarnessTarget(app, asked.repo ?? app.cwd());
    const { project, groups } = await detect(target);
    const manifest = await manifestIn(target.folder);
    const plan = {
      setup: manifest?.project.setup ?? project.setup,
      source: manifest === undefined ? "files of the project" : MANIFEST_PATH,
      groups: manifest === undefined ? groups : manifestGroups(manifest, groups),
    };
    if (plan.groups.length === 0) {
      throw new Failure("not_found", `Cannot try the checks of "${target.root}": it has none`, {
        remedy: `Name them under project.checks in ${MANIFEST_PATH}`,
      });
    }
    const triesAll = { ...asked, dryRun: false, tryChecks: true };
    if (!await mayTry(app, triesAll, plan, "Add --acknowledge-host-execution")) {
      throw new Failure("refused", "Cannot try the checks: the answer was no; nothing ran", {
        remedy: "Run it again and answer y, or add --acknowledge-host-execution",
      });
    }
    const { report } = await tryOut(app, target, plan);
    return { repo: target.root, trial: report };
  },

  exit: ({ trial }) =>
    trial.commands.every(({ verdict }) => verdict === "runs" || verdict === "not_tried") ? 0 : 1,

  show({ trial }, page) {
    showTrial(trial, page);
  },
});

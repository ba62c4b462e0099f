/** Asks whether what may become set-up and checks is tried, and tries it in a fresh work tree. */
import type { App } from "svc/app.ts";
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import { keepReport } from "svc/features/harness/candidates/trial_report.ts";
import type { HarnessTarget } from "svc/features/harness/operate.ts";
import type { Trial, TrialPlan } from "svc/runtime/trial/try_project.ts";
import { asksHere, unanswered } from "./ask.ts";
import type { CommonOptions } from "./command.ts";
import { on, type Values } from "./flags.ts";
import { sandboxFlags } from "./profile_flags.ts";

const ACKNOWLEDGE = on(
  "The commands that are tried have the full authority of your user; only a sandbox contains them",
);

export const trialFlags = {
  tryChecks: on("Run set-up and checks that were found, once, in a fresh work tree"),
  acknowledgeHostExecution: ACKNOWLEDGE,
  ...sandboxFlags,
};

type TrialAsked = CommonOptions & Omit<Values<typeof trialFlags>, "sandbox">;

const FULL = "with the full authority of your user";
const CONTAINED = "contained by the sandbox";

/**
 * A terminal is asked, a script says it by flags. The way out names flags that the command has.
 * @throws Failure `answer_needed` where nobody can be asked; `environment` where the sandbox that is asked
 *   for cannot be had; as `unanswered`
 */
export async function mayTry(
  app: Pick<
    App,
    "prompt" | "progress" | "sandbox" | "signal" | "stderr" | "stdinTerminal" | "stdout"
  >,
  asked: TrialAsked,
  { setup, groups }: TrialPlan,
  wayOut = "Add --acknowledge-host-execution, or leave --try-checks out",
): Promise<boolean> {
  if (groups.length === 0 || asked.dryRun) return false;
  if (asked.tryChecks && asked.acknowledgeHostExecution) return true;
  if (asked.yes || !asksHere(app, asked)) {
    if (!asked.tryChecks) return false;
    throw new Failure(
      "answer_needed",
      "Cannot try the checks: they are programs of the repo, and to run them is not acknowledged",
      { remedy: wayOut },
    );
  }
  const how = await app.sandbox() === undefined ? FULL : CONTAINED;
  app.progress.done();
  for (const { run } of setup) app.stderr.write(`set-up: ${run.join(" ")}\n`);
  for (const { name, candidates } of groups) {
    const lines = candidates.map(({ run }) => run.join(" "));
    app.stderr.write(`${name}: ${lines.join(", or ")}\n`);
  }
  const question = `Try these once in a fresh work tree, ${how} (your files stay)?`;
  const answer = await app.prompt.confirm(question, app.signal);
  if (answer === undefined) throw unanswered("try the checks");
  return answer;
}

/** The results are stored for `svc doctor`. @throws Failure as `tryProject` */
export async function tryOut(app: App, target: HarnessTarget, plan: TrialPlan): Promise<Trial> {
  const { tryProject } = await app.load("src/runtime/trial/try_project");
  const repo = { ...target, id: await repoId(target.root) };
  const trial = await tryProject(app, repo, plan, {
    programs: target.programs,
    signal: app.signal,
    progress: (text) => app.progress.update(text),
  });
  app.progress.done();
  await keepReport(app, target.root, trial.report);
  return trial;
}

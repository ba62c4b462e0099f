/**
 * Runs candidates for the set-up and checks of a project once, in a fresh work tree, and chooses by the
 * results. Needs a person's consent, since the programs have the full authority of the user.
 */
import { Failure } from "svc/core/failure.ts";
import { uuidV7 } from "svc/core/ids.ts";
import { redactor } from "svc/core/redact.ts";
import {
  absentIn,
  type Candidate,
  type DetectedCommand,
} from "svc/features/harness/candidates/candidate.ts";
import { type CandidateGroup, untried } from "svc/features/harness/candidates/choose.ts";
import { folderBegun } from "svc/features/harness/candidates/in_folder.ts";
import { installHint } from "svc/features/harness/candidates/install_hints.ts";
import {
  type Judged,
  type TrialReport,
  type TriedCommand,
  type Verdict,
  VERDICTS,
} from "svc/features/harness/candidates/trial_report.ts";
import { printableSecrets } from "svc/features/models/choose/repo_secrets.ts";
import type { Programs } from "svc/platform/process/program.ts";
import { atCommit } from "svc/runtime/job/tree_at.ts";
import { tryCheck, trySetup, withOwnFiles } from "./judge_trial.ts";
import { type TrialPorts, type TrialRepo, TrialTree } from "./trial_tree.ts";

export interface TrialPlan {
  readonly setup: readonly DetectedCommand[];
  /** The file that names the set-up, for the report. */
  readonly source: string;
  readonly groups: readonly CandidateGroup[];
}

export interface Trial {
  readonly report: TrialReport;
  readonly setup: readonly DetectedCommand[];
  readonly checks: readonly DetectedCommand[];
}

export interface TrialWish {
  readonly programs: Programs;
  readonly signal: AbortSignal;
  progress(text: string): void;
}

function judgedWithout(
  kind: TriedCommand["kind"],
  { name, run, source }: Candidate,
  verdict: Verdict,
  said: string,
): Judged {
  return { kind, name, run: [...run], source, verdict, said, seconds: 0 };
}

function missing(kind: TriedCommand["kind"], one: Candidate, programs: Programs) {
  const absent = absentIn(one, programs);
  if (absent === undefined) return undefined;
  const said = `no such program on PATH: ${absent}`;
  return {
    ...judgedWithout(kind, one, "missing_program", said),
    remedy: installHint(absent, programs),
  };
}

/** A set-up step in the root counts for all folders. */
const isBefore = (step: Pick<Judged, "run">, one: Pick<Judged, "run">) =>
  ["", folderBegun(one)].includes(folderBegun(step));

async function trySteps(
  tree: TrialTree,
  { setup, source }: TrialPlan,
  programs: Programs,
): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const step of setup) {
    const one = { ...step, source };
    // Projects side by side need nothing of each other.
    const failed = judged.find((done) => done.verdict !== "runs" && isBefore(done, one));
    judged.push(
      failed === undefined
        ? missing("setup", one, programs) ?? await trySetup(tree, one)
        : judgedWithout("setup", one, "not_tried", `"${failed.name}" comes first`),
    );
  }
  return judged;
}

async function tryGroup(
  tree: TrialTree,
  { candidates }: CandidateGroup,
  programs: Programs,
): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const one of candidates) {
    const runs = judged.some(({ verdict }) => verdict === "runs");
    judged.push(
      runs
        ? judgedWithout("check", one, "not_tried", "another one runs")
        : missing("check", one, programs) ?? await tryCheck(tree, one),
    );
  }
  return judged;
}

/** A check that cannot fail proves nothing, and one that was not tried is not chosen. */
function best(judged: readonly Judged[]): Judged | undefined {
  const fit = judged.filter(({ verdict }) => verdict !== "cannot_fail" && verdict !== "not_tried");
  return fit.toSorted((a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict))[0];
}

/**
 * In a tree whose set-up failed only a passing check means something; if none passes, the first is taken, as
 * without a trial.
 */
function chosenOf(
  group: CandidateGroup,
  judged: readonly Judged[],
  isSetUp: boolean,
  programs: Programs,
): Judged | undefined {
  const found = best(judged);
  if (isSetUp || found === undefined || found.verdict === "runs") return found;
  const first = judged[group.candidates.indexOf(untried(group, programs))]!;
  return first.verdict === "cannot_fail" ? found : first;
}

/**
 * A set-up that fails is left out if the tests pass without it; a venv into which nothing is installed is left
 * out too.
 */
function neededIn(steps: readonly Judged[], checks: readonly Judged[]): readonly Judged[] {
  const failed = steps.some(({ verdict }) => verdict !== "runs");
  const tests = checks.filter(({ name }) => /^(?:.+-)?test$/.test(name));
  const tested = tests.some(({ verdict }) => verdict === "runs");
  if (!failed || !tested) return steps;
  const fit = steps.filter(({ verdict }) => verdict === "runs");
  const isA = (name: string, step: Judged) => step.name === name || step.name.endsWith(`-${name}`);
  return fit.some((step) => isA("pip", step)) ? fit : fit.filter((step) => !isA("venv", step));
}

/** The set-up of each folder is judged by that folder's tests. */
function neededSteps(steps: readonly Judged[], checks: readonly Judged[]): readonly Judged[] {
  return [...Map.groupBy(steps, folderBegun)].flatMap(([folder, own]) =>
    neededIn(own, checks.filter((check) => folder === "" || folderBegun(check) === folder))
  );
}

const commandOf = ({ name, run }: Judged): DetectedCommand => ({ name, run });

/** @throws Failure `refused` where no work tree can be made, `environment` without a commit; the signal's reason */
export async function tryProject(
  ports: TrialPorts,
  repo: TrialRepo,
  plan: TrialPlan,
  { programs, signal, progress }: TrialWish,
): Promise<Trial> {
  const commit = (await repo.git.log({ max: 1 }))[0]?.id;
  if (commit === undefined) {
    throw new Failure("environment", "Cannot try the checks: the repo has no commit yet", {
      remedy: "Commit your files, then: svc checks try",
    });
  }
  // The checks may run with the checkout's own files, such as `.env`.
  const redact = redactor(await printableSecrets(repo), ports.redact);
  const job = `trial-${uuidV7(ports.clock.now())}`;
  const all = [...plan.setup, ...plan.groups.flatMap(({ candidates }) => candidates)];
  const { steps, groups } = await atCommit(
    ports,
    repo,
    { job, name: "tree", commit, bare: true },
    async (at) => {
      const work = { job, role: "init", tree: at, signal, progress };
      const tree = new TrialTree({ ...ports, redact }, repo, work, all);
      const steps = await trySteps(tree, plan, programs);
      const groups: (readonly Judged[])[] = [];
      for (const group of plan.groups) groups.push(await tryGroup(tree, group, programs));
      return { steps, groups: await withOwnFiles(tree, groups) };
    },
  );
  const isSetUp = ({ candidates: [one] }: CandidateGroup) =>
    steps.every((step) => step.verdict === "runs" || !isBefore(step, one!));
  const checks = plan.groups
    .map((group, at) => chosenOf(group, groups[at]!, isSetUp(group), programs))
    .filter((one) => one !== undefined);
  const setup = neededSteps(steps, checks);
  const chosen = new Set<Judged>([...setup, ...checks]);
  const commands = [...steps, ...groups.flat()]
    .map((one) => ({ ...one, chosen: chosen.has(one) }));
  return {
    report: { commit, tried_at: ports.clock.now(), commands },
    setup: setup.map(commandOf),
    checks: checks.map(commandOf),
  };
}

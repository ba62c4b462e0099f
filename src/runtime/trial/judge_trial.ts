/** The verdict on one command of a trial: how it ended, what it changed, and whether it can fail. */
import { quoted } from "svc/core/repo_path.ts";
import type { Candidate } from "svc/features/harness/candidates/candidate.ts";
import { moduleHint } from "svc/features/harness/candidates/install_hints.ts";
import type { Judged, Verdict } from "svc/features/harness/candidates/trial_report.ts";
import type { RanCommand } from "svc/runtime/job/run_in_tree.ts";
import { breakagesFor } from "./breakages.ts";
import type { Leavings, TrialTree } from "./trial_tree.ts";

const SHOWN_PATHS = 3;

function shown(paths: readonly string[]): string {
  const rest = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : "";
  return paths.slice(0, SHOWN_PATHS).map(quoted).join(", ") + rest;
}

interface Finding {
  readonly verdict: Verdict;
  readonly said: string;
  readonly remedy?: string;
}

const seconds = ({ record }: RanCommand) => Math.round(record.duration_ms / 100) / 10;

function judged(
  kind: Judged["kind"],
  { name, run, source }: Candidate,
  ran: RanCommand,
  finding: Finding,
): Judged {
  return { kind, name, run: [...run], source, seconds: seconds(ran), ...finding };
}

/** Undefined for one that passed. */
function failure({ run }: Candidate, { record, fault, said }: RanCommand): Finding | undefined {
  if (record.outcome === "passed") return undefined;
  if (fault === undefined) {
    const remedy = "Mend it, or name another command in .harness/manifest.yaml";
    return { verdict: "red", said, remedy };
  }
  const module = /^Python has no module "([\w.]+)"$/.exec(fault.why)?.[1];
  const words = run.flatMap((word) => word.split(" "));
  const python = words[words.indexOf("-m") - 1] ?? "python3";
  const remedy = module === undefined ? fault.remedy : moduleHint(python, module);
  return { verdict: "missing_program", said: fault.why, remedy };
}

export async function trySetup(tree: TrialTree, one: Candidate): Promise<Judged> {
  const ran = await tree.run(one, { label: `try set-up ${one.name}`, step: "set_up" });
  const failed = failure(one, ran);
  const { rewrote, left } = await tree.leavings();
  await tree.putBack();
  if (failed !== undefined) return judged("setup", one, ran, failed);
  if (left.length > 0) {
    const said = `it leaves ${shown(left)}`;
    const remedy = "Add what it makes to .gitignore and commit that";
    return judged("setup", one, ran, { verdict: "changes_files", said, remedy });
  }
  const note = rewrote.length === 0 ? "" : `; it rewrites ${shown(rewrote)}, which svc puts back`;
  return judged("setup", one, ran, { verdict: "runs", said: `passes${note}` });
}

function changed({ rewrote, left }: Leavings): Finding | undefined {
  if (rewrote.length > 0) {
    const remedy = "Name a command that only looks in project.checks";
    return { verdict: "changes_files", said: `passes, but rewrites ${shown(rewrote)}`, remedy };
  }
  if (left.length === 0) return undefined;
  const remedy = "Add what it makes to .gitignore and commit that";
  return { verdict: "changes_files", said: `passes, but leaves ${shown(left)}`, remedy };
}

/** In a broken project a check may hang; that is a failure too, and svc waits only this long for it. */
const BROKEN_SECONDS = 60;
const BROKEN_TIMES = 3;

async function noticing(tree: TrialTree, one: Candidate, ran: RanCommand): Promise<Finding> {
  const source = { paths: await tree.tracked(), read: (path: string) => tree.read(path) };
  const breakages = await breakagesFor(one.name, source);
  const limit = Math.max(BROKEN_SECONDS, Math.ceil(seconds(ran) * BROKEN_TIMES));
  for (const breakage of breakages) {
    await tree.breakFiles(breakage);
    const label = `try ${one.name} although ${breakage.what}`;
    const broken = await tree.run(one, { label, seconds: Math.min(limit, 600) });
    await tree.putBack();
    if (broken.record.outcome !== "passed") continue;
    const remedy = "Name the command that runs the tests in project.checks";
    return { verdict: "cannot_fail", said: `passes although ${breakage.what}`, remedy };
  }
  const what = breakages.map(({ what }) => what).join(", and where ");
  const can = what === "" ? "no file is known that it would miss" : `fails where ${what}`;
  return { verdict: "runs", said: `passes; ${can}` };
}

export async function tryCheck(tree: TrialTree, one: Candidate): Promise<Judged> {
  const ran = await tree.run(one, { label: `try ${one.name}` });
  const failed = failure(one, ran);
  const change = failed ?? changed(await tree.leavings());
  await tree.putBack();
  if (failed !== undefined) return judged("check", one, ran, failed);
  // A check that changes files may still be chosen, but never one that cannot fail.
  const noticed = await noticing(tree, one, ran);
  const found = noticed.verdict === "cannot_fail" ? noticed : change ?? noticed;
  return judged("check", one, ran, found);
}

/** Runs red checks again with files that only the checkout has, since svc cannot make those in a fresh tree. */
export async function withOwnFiles(
  tree: TrialTree,
  groups: readonly (readonly Judged[])[],
): Promise<readonly (readonly Judged[])[]> {
  const isOpen = (group: readonly Judged[]) =>
    group.some(({ verdict }) => verdict === "red") &&
    !group.some(({ verdict }) => verdict === "runs");
  if (!groups.some(isOpen)) return groups;
  const names = await tree.bringOwnFiles();
  if (names.length === 0) return groups;
  const result: (readonly Judged[])[] = [];
  for (const group of groups) {
    const open = isOpen(group);
    const again: Judged[] = [];
    for (const one of group) {
      again.push(open && one.verdict === "red" ? await onceMore(tree, one, names) : one);
    }
    result.push(again);
  }
  return result;
}

async function onceMore(tree: TrialTree, one: Judged, names: readonly string[]): Promise<Judged> {
  const { record } = await tree.run(one, { label: `try ${one.name} with the checkout's files` });
  if (record.outcome !== "passed") return one;
  const own = shown(names);
  const said = `fails; passes with what only the checkout has: ${own}`;
  const remedy = "Let project.setup make it, or commit what the tests need";
  return { ...one, verdict: "needs_files", said, remedy };
}

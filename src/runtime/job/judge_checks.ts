/** Runs the manifest's checks in a tree, and separates what the work broke from what was red before. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { namedIn } from "svc/features/checks/named_checks.ts";
import { type EnvironmentFault, mayPassAgain } from "svc/features/checks/why_red.ts";
import type { Manifest, ManifestCommand } from "svc/features/harness/manifest_shape.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { type BaseVerdict, onBase } from "./base_checks.ts";
import { tracelessly } from "./leftovers.ts";
import { type RanCommand, runInTree, type TreeWork } from "./run_in_tree.ts";
import { setUpTree } from "./set_up.ts";

export interface ChecksAsked extends TreeWork {
  readonly manifest: Manifest;
  /** Commit from which the work started. Undefined: no check is excused by its result there. */
  readonly base: string | undefined;
  /** The acceptance: a check that is named in it must pass, even if it is red on the base. */
  readonly acceptance: readonly string[];
}

export interface ChecksSeen {
  /** `red_before`: all that failed also fail on the base; `unjudged`: and no other check is there. */
  readonly checks: "passed" | "red_before" | "unjudged" | "failed" | "none";
  readonly failedChecks: readonly string[];
  /**
   * How each failed check ended, with the end of its output and the path of the whole output; empty if none
   * failed.
   */
  readonly checkOutput: string;
  /** They fail with the work and without it; a new fault may hide behind the old one. */
  readonly redBefore: readonly string[];
  /** As `checkOutput`, with the work. */
  readonly redBeforeOutput: string;
  /** Red, and green when it was run once more. */
  readonly flaky: readonly string[];
  /** The last lines of the output of each check in `failedChecks`, for the role that has to mend it. */
  readonly tails: string;
}

export const NO_CHECKS: ChecksSeen = {
  checks: "none",
  failedChecks: [],
  checkOutput: "",
  redBefore: [],
  redBeforeOutput: "",
  flaky: [],
  tails: "",
};

interface RedCheck {
  readonly command: ManifestCommand;
  readonly ran: RanCommand;
  /** Why the base does not excuse the check, if a person should know that. */
  readonly note?: string;
}

/**
 * Runs each check once. One that is red is looked up on the base, which is checked only then and once for each
 * commit; where it was green there, or is named in the acceptance, it is run once more, unless it took all its
 * time: red counts only when it comes twice.
 * @throws Failure `environment` for a check that this machine cannot run, or a set-up that fails; the reason
 *   of the work's signal
 */
export async function judgeChecks(
  ports: RuntimePorts,
  repo: Repo,
  asked: ChecksAsked,
): Promise<ChecksSeen> {
  const { checks } = asked.manifest.project;
  if (checks.length === 0) return NO_CHECKS;
  // The role may have changed a lock file.
  await setUpTree(ports, repo, asked.manifest, asked);
  return await tracelessly(ports, repo, asked.tree, () => judged(ports, repo, asked));
}

async function judged(
  ports: RuntimePorts,
  repo: Repo,
  asked: ChecksAsked,
): Promise<ChecksSeen> {
  const { checks } = asked.manifest.project;
  const red: RedCheck[] = [];
  for (const command of checks) {
    const ran = await runOnce(ports, repo, asked, command);
    if (ran.record.outcome !== "passed") red.push({ command, ran });
  }
  const excusable = red.map(({ command }) => command)
    .filter((command) => !namedIn(asked.acceptance, command));
  const known = asked.base === undefined || excusable.length === 0
    ? new Map<string, BaseVerdict>()
    : await onBase(ports, repo, { ...asked, base: asked.base, checks: excusable });
  const before = red.filter(({ command }) => known.get(command.name)?.kind === "red");
  const own = red.filter((one) => !before.includes(one));
  const [failed, flaky] = await again(ports, repo, asked, own, known);
  return seen({ before, failed, flaky, all: checks.length });
}

async function runOnce(
  ports: RuntimePorts,
  repo: Repo,
  asked: ChecksAsked,
  command: ManifestCommand,
): Promise<RanCommand> {
  const { name } = command;
  const ran = await runInTree(ports, repo, asked, { label: `check ${name}`, name, command });
  if (ran.fault !== undefined) throw cannotCheck(command, ran.fault);
  return ran;
}

function cannotCheck({ name, run }: ManifestCommand, fault: EnvironmentFault): Failure {
  const line = quoted(run.join(" "));
  return new Failure("environment", `Cannot run check "${name}", ${line}: ${fault.why}`, {
    remedy: `${fault.remedy}; then unblock the ticket`,
  });
}

async function again(
  ports: RuntimePorts,
  repo: Repo,
  asked: ChecksAsked,
  red: readonly RedCheck[],
  known: ReadonlyMap<string, BaseVerdict>,
): Promise<[failed: RedCheck[], flaky: string[]]> {
  const failed: RedCheck[] = [];
  const flaky: string[] = [];
  for (const { command, ran } of red) {
    const second = mayPassAgain(ran.record) ? await runOnce(ports, repo, asked, command) : ran;
    if (second.record.outcome === "passed") {
      flaky.push(command.name);
      continue;
    }
    const verdict = known.get(command.name);
    const note = verdict?.kind === "unknown" ? { note: verdict.why } : {};
    failed.push({ command, ran: second, ...note });
  }
  return [failed, flaky];
}

const listed = (red: readonly RedCheck[]) =>
  red.map(({ command, ran, note }) =>
    `${command.name}: ${ran.said}${note === undefined ? "" : ` (${note})`}`
  ).join(". ");

function seen({ before, failed, flaky, all }: {
  readonly before: readonly RedCheck[];
  readonly failed: readonly RedCheck[];
  readonly flaky: readonly string[];
  /** How many checks there are. */
  readonly all: number;
}): ChecksSeen {
  const names = (red: readonly RedCheck[]) => red.map(({ command }) => command.name);
  const excused = before.length === all ? "unjudged" : "red_before";
  return {
    checks: failed.length > 0 ? "failed" : before.length > 0 ? excused : "passed",
    failedChecks: names(failed),
    checkOutput: listed(failed),
    redBefore: names(before),
    redBeforeOutput: listed(before),
    flaky,
    tails: failed.map(({ command, ran }) =>
      `--- ${command.name}: ${ran.record.reason}; the last lines of its output:\n${ran.tail}`
    ).join("\n"),
  };
}

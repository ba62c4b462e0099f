/** Refuses commands that speak for a person to programs that a job started. */
import { Failure } from "svc/core/failure.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import { WHOLE } from "svc/platform/git/worktree_mark.ts";
import { type JobSign, jobSign, underTerminal } from "svc/platform/process/job_mark.ts";
import { TAG_VARIABLE } from "svc/platform/process/sweep.ts";
import type { CommandText, CommonOptions, GivenBy } from "./command.ts";
import { flagName } from "./flags.ts";

interface GivenCommand {
  readonly path: string;
  readonly text: Pick<CommandText, "givenBy">;
  readonly given: CommonOptions & Readonly<Record<string, unknown>>;
}

type SpeakerPorts = Pick<Entrance, "cwd" | "env" | "stdinTerminal" | "stdout">;

/** Keys of the flags that make it a person's; undefined where it is nobody's alone. */
function spokenWith({ who, with: flags }: GivenBy, given: GivenCommand["given"]) {
  if (who === "anyone" || given.dryRun) return undefined;
  const used = (flags ?? []).filter((key) => given[key] !== undefined && given[key] !== false);
  return flags !== undefined && used.length === 0 ? undefined : used;
}

function signText(sign: JobSign): string {
  switch (sign.kind) {
    case "variable":
      return `this program belongs to job ${sign.job}`;
    case "mark":
      return "this program bears the mark of what svc starts for a job (RLIMIT_LOCKS is 0)";
    case "ancestor":
      return `a job's process, ${sign.pid}, started this program`;
    case "work_tree":
      return `this program runs without a terminal in a job's work tree, ${sign.root}`;
  }
}

/** @throws Failure `refused` inside a job, `answer_needed` where nobody sits and nobody added `--yes` */
export function mustBePersons(ports: SpeakerPorts, { path, text, given }: GivenCommand): void {
  const { givenBy } = text;
  const used = spokenWith(givenBy, given);
  if (used === undefined) return;
  const line = ["svc", path, ...used.map((key) => `--${flagName(key)}`)].join(" ");
  const sign = jobSign({
    variable: ports.env.get(TAG_VARIABLE),
    cwd: ports.cwd(),
    treeMark: WHOLE,
  });
  if (sign !== undefined) {
    throw new Failure(
      "refused",
      `Cannot run ${line} inside a job: ${givenBy.because}, and ${signText(sign)}`,
      { remedy: `A person runs it, in a terminal of their own: ${line}` },
    );
  }
  if (!givenBy.asks || given.yes) return;
  if (underTerminal() ?? (ports.stdinTerminal || ports.stdout.terminal)) return;
  throw new Failure(
    "answer_needed",
    `Cannot run ${line}: ${givenBy.because}, and no terminal is here`,
    {
      remedy: "Run it in a terminal, or add --yes if a person wants it",
    },
  );
}

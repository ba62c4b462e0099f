/** Runs a command of the manifest in a job's work tree: shown, recorded, its whole output in a file. */
import { uuidV7 } from "svc/core/ids.ts";
import { recordCheck } from "svc/features/checks/check_store.ts";
import type { Check } from "svc/features/checks/check_table.ts";
import { runCheck } from "svc/features/checks/run_check.ts";
import {
  type EnvironmentFault,
  environmentFault,
  OutputTail,
} from "svc/features/checks/why_red.ts";
import type { ManifestCommand } from "svc/features/harness/manifest_shape.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { commandLog } from "svc/platform/log.ts";
import type { Processes } from "svc/platform/process/process.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { JobTree } from "./job_tree.ts";

export interface TreeWork {
  readonly job: string;
  readonly role: string;
  readonly tree: JobTree;
  readonly signal: AbortSignal;
  progress(text: string): void;
}

export interface RanCommand {
  readonly record: Check;
  /** The machine's, not the work's. */
  readonly fault: EnvironmentFault | undefined;
  /** How it ended, the end of its output, and the path of the whole; one line. */
  readonly said: string;
  /** The last lines of its output. */
  readonly tail: string;
}

/** Tickets are committed, so a path in them must not contain the user's name. */
function homely(path: string, home: string | undefined): string {
  return home && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

interface TreeCommand {
  /** Such as `check test`. */
  readonly label: string;
  /** In the record. */
  readonly name: string;
  /** `checks` unless said otherwise. */
  readonly step?: "checks" | "set_up";
  readonly command: ManifestCommand;
}

/** @throws the reason of the work's signal */
export async function runInTree(
  ports: RuntimePorts,
  repo: Repo,
  work: TreeWork,
  command: TreeCommand,
): Promise<RanCommand> {
  const ran = await runShown(ports, repo, work, command);
  await recordCheck(ports.db, ran.record);
  return ran;
}

export type ShownPorts = Pick<RuntimePorts, "clock" | "redact" | "env" | "home" | "processes">;

/** Nothing is stored but its whole output. @throws the reason of the work's signal */
export async function runShown(
  ports: ShownPorts,
  repo: Pick<Repo, "id">,
  { job, role, tree, signal, progress }: TreeWork,
  { label, name, step = "checks", command }: TreeCommand,
): Promise<RanCommand> {
  progress(label);
  const { clock, redact, env, home } = ports;
  // Its processes end with the job.
  const processes: Pick<Processes, "run"> = {
    run: (asked) => ports.processes.run({ ...asked, tag: job }),
  };
  const folder = `${home.traces}/outputs/${job}`;
  const log = commandLog({ folder: () => folder, command: label, clock, redact });
  const tail = new OutputTail();
  const show = (text: string) => {
    tail.push(text);
    const line = text.trimEnd().split("\n").at(-1);
    if (line) progress(`${label}: ${line}`);
  };
  try {
    const record = await runCheck({ processes, clock, log, redact, signal, show }, {
      id: uuidV7(clock.now()),
      repo: { id: repo.id, root: tree.root, commonDir: tree.git.commonDir },
      step,
      name,
      role,
      words: command.run,
      env: env.all(),
      timeoutMs: command.timeout_seconds * 1000,
    });
    const text = tail.text();
    const fault = environmentFault(record, command.run, text);
    const ends = text === "" ? "" : `; its output ends: ${text}`;
    const whole = homely(record.log_path, env.get("HOME"));
    const said = `${record.reason ?? "passed"}${ends} (whole output: ${whole})`;
    return { record, fault, said, tail: tail.lines() };
  } finally {
    log.close();
  }
}

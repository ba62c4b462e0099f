/** Starts a child as the leader of a session of its own, unless it needs none; a failure tells why it
 * cannot be started. */
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { TOO_MANY_FILES } from "svc/platform/files/os_errors.ts";
import type { Ended, Run } from "./child.ts";
import { hasTerminal } from "./foreground.ts";
import { marked } from "./job_mark.ts";
import { TAG_VARIABLE } from "./sweep.ts";

/** setsid(1) of util-linux or busybox. Deno's own `detached` forks, which copies the page tables of svc
 * (1 to 4 ms in a run) and then each page that svc writes to. */
const SETSID = "/usr/bin/setsid";

type CommandLine = readonly [
  program: string,
  args: readonly string[],
  options: { detached: boolean },
];

/** Cached for this thread: neither programs of the system nor permissions come and go. */
let setsid: boolean | undefined;

function hasSetsid(): boolean {
  if (Deno.build.os !== "linux") return false;
  // At a terminal Deno would ask the person for a permission that is not granted.
  const run = Deno.permissions.querySync({ name: "run", command: SETSID });
  return run.state === "granted" && isProgram(SETSID);
}

function isProgram(path: string): boolean {
  try {
    const { isFile, mode } = Deno.statSync(path);
    return isFile && ((mode ?? 0) & 0o111) !== 0;
  } catch {
    return false;
  }
}

const scripts = new Map<string, boolean>();

/** A script may start the program that it stands for as another process. True for what cannot be read. */
function isScript(program: string): boolean {
  const known = scripts.get(program);
  if (known !== undefined) return known;
  let script = true;
  try {
    using file = Deno.openSync(program);
    const start = new Uint8Array(4);
    // An ELF file is a program itself (elf(5)).
    script = file.readSync(start) !== 4 || new TextDecoder().decode(start) !== "\x7fELF";
  } catch {
    // Its error comes when it is started.
  }
  scripts.set(program, script);
  return script;
}

/** Asked once: no process gets a terminal that it did not have, unless it opens one (setsid(2)). */
let terminal: boolean | undefined;

/** Without a session Ctrl-C ends a program too. It is run again then, unless a part of its output was given to
 * somebody: so one whose output is given needs a session where there is a terminal. */
export function needsSession({ leaf, onOutput }: Run, program: string): boolean {
  if (leaf !== true || Deno.build.os !== "linux" || isScript(program)) return true;
  return onOutput !== undefined && (terminal ??= hasTerminal());
}

/** Best first. What is no program is left to Deno, whose error says why. */
function linesFor(program: string, { args }: Run, of: StartOptions): readonly CommandLine[] {
  if (!of.session) return [[program, args, { detached: false }]];
  const own: CommandLine = [program, args, { detached: true }];
  setsid ??= hasSetsid();
  if (!setsid || !isProgram(program)) return [own];
  const line = [SETSID, [program, ...args]] as const;
  return [[...(of.tag === undefined ? line : marked(line)), { detached: false }], own];
}

interface StartOptions {
  /** The path in the child's environment. */
  readonly tag: string | undefined;
  /** Whether it gets one of its own. */
  readonly session: boolean;
}

/** In a session and group of its own, made within half a millisecond: the whole group can be signalled, and
 * Ctrl-C reaches svc alone; neither holds without `of.session`. @throws Failure */
export function start(command: Run, program: string, of: StartOptions): Deno.ChildProcess {
  const { tag } = of;
  mustBeFolder(command.cwd, program);
  const [first, then] = linesFor(program, command, of);
  const spawned = (line: CommandLine) => spawn(command, line, tag);
  try {
    if (then === undefined) return spawned(first!);
    try {
      return spawned(first!);
    } catch {
      // Nothing was started: either setsid is missing, or starting without it fails too and says why.
      return spawned(then);
    }
  } catch (thrown) {
    throw cannotStart(program, thrown);
  }
}

function spawn(
  command: Run,
  [program, args, options]: CommandLine,
  tag: string | undefined,
): Deno.ChildProcess {
  return new Deno.Command(program, {
    args: [...args],
    cwd: command.cwd,
    env: tag === undefined ? command.env : { ...command.env, [TAG_VARIABLE]: tag },
    clearEnv: true,
    ...options,
    stdin: command.stdin === undefined && command.input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

function mustBeFolder(cwd: string, program: string): void {
  try {
    if (Deno.statSync(cwd).isDirectory) return;
  } catch (cause) {
    if (cause instanceof Deno.errors.NotCapable) throw cannotStart(program, cause);
  }
  // Somebody removed it since it was found, such as the work tree of a job, whose next attempt makes another.
  throw new Failure("environment", `Cannot run "${program}" in "${cwd}": no such folder`, {
    waits: true,
  });
}

/** setsid exits with 126 or 127, as shells do, when it cannot become the program. @throws Failure */
export function mustHaveStarted(
  program: string,
  { code, stdout, stderr }: Pick<Ended, "code" | "stdout" | "stderr">,
): void {
  if (code !== 126 && code !== 127 || stdout.totalBytes > 0 || !setsid) return;
  const said = new TextDecoder().decode(stderr.head).trim();
  if (!said.startsWith("setsid: ") || !said.includes(program) || said.includes("\n")) return;
  const Cause = code === 127 ? Deno.errors.NotFound : Deno.errors.PermissionDenied;
  throw cannotStart(program, new Cause(said));
}

/** What there is too little of for any program, by the errno name of fork(2) and pipe(2); it may be there again soon. */
const LACKS: Readonly<Record<string, { readonly why: string; readonly remedy: string }>> = {
  EAGAIN: {
    why: "no more processes may run here",
    remedy:
      "End some, or raise the limit: ulimit -u, TasksMax of systemd, or that of the container",
  },
  ...TOO_MANY_FILES,
  ENOMEM: { why: "there is no memory left", remedy: "End what takes most of it: top -o %MEM" },
};

export function cannotStart(program: string, cause: unknown): Failure {
  const what = `Cannot run "${program}"`;
  if (cause instanceof Deno.errors.NotFound) {
    return new Failure("environment", `${what}: it, or the interpreter it names, does not exist`, {
      cause,
      remedy: "Install it, or correct the path",
    });
  }
  if (cause instanceof Deno.errors.PermissionDenied) {
    return new Failure("environment", `${what}: it is not an executable file`, {
      cause,
      remedy: `chmod +x ${shellWord(program)}`,
    });
  }
  if (cause instanceof Deno.errors.NotCapable) {
    return new Failure("refused", `${what}: this profile may not start it`, { cause });
  }
  const { code } = cause as { code?: string };
  if (code === "E2BIG") {
    const remedy = "Give long data by a file or by standard input";
    return new Failure("usage", `${what}: its arguments are too long`, { cause, remedy });
  }
  if (code === "EINVAL") {
    const remedy = "Give data with NUL bytes by a file";
    return new Failure("usage", `${what}: an argument holds a NUL byte`, { cause, remedy });
  }
  const lack = LACKS[code ?? ""];
  return lack === undefined
    ? new Failure("environment", `${what}: the system refuses to start it`, { cause })
    : new Failure("environment", `${what}: ${lack.why}`, {
      ...{ cause, remedy: lack.remedy, waits: true },
    });
}

/** Marks what svc starts for a job, and tells whether this process descends from a marked one (Linux alone). */
import { TAG_VARIABLE } from "./sweep.ts";

/** prlimit(1) of util-linux. */
const PRLIMIT = "/usr/bin/prlimit";

/** Linux gives this limit no effect since 2.4.25 (getrlimit(2)), so it serves as a mark: fork, exec, setsid
 * and an emptied environment keep it, and only CAP_SYS_RESOURCE raises a hard limit again. */
const MARK = "--locks=0:0";
const MARKED = /^Max file locks +\d+ +0 /m;

/** A chain is some ten processes long; this bounds a walk that the system changes meanwhile. */
const ANCESTORS_READ = 64;

type CommandLine = readonly [program: string, args: readonly string[]];

/** Cached for this thread; a system may lack the program, or forbid the call. */
let marks: boolean | undefined;

function canMark(): boolean {
  const run = Deno.permissions.querySync({ name: "run", command: PRLIMIT });
  if (run.state !== "granted") return false;
  try {
    const { success } = new Deno.Command(PRLIMIT, {
      args: [MARK, PRLIMIT, "--version"],
      stdin: "null",
      stdout: "null",
      stderr: "null",
      clearEnv: true,
    }).outputSync();
    return success;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return false;
    throw thrown;
  }
}

/** The same line where this system sets no marks. */
export function marked([program, args]: CommandLine): CommandLine {
  marks ??= canMark();
  return marks ? [PRLIMIT, [MARK, "--", program, ...args]] : [program, args];
}

/** What shows that a process belongs to a job. */
export type JobSign =
  | { readonly kind: "variable"; readonly job: string }
  | { readonly kind: "mark" }
  | { readonly kind: "ancestor"; readonly pid: number }
  | { readonly kind: "work_tree"; readonly root: string };

/** Undefined for a process that has ended, and where the system does not tell. */
function readOr(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotCapable) throw thrown;
    return undefined;
  }
}

const readProc = (pid: number | "self", name: string) => readOr(`/proc/${pid}/${name}`);

/** Fields of proc_pid_stat(5) from the third on; the name before them may hold anything, also ") ". */
function statOf(pid: number | "self") {
  const stat = readProc(pid, "stat");
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields && { parent: Number(fields[1]), terminal: fields[4] !== "0" };
}

const hasMark = (pid: number | "self") => MARKED.test(readProc(pid, "limits") ?? "");

const hasVariable = (pid: number) =>
  (readProc(pid, "environ") ?? "").split("\0").some((entry) =>
    entry.startsWith(`${TAG_VARIABLE}=`)
  );

function markedAncestor(): JobSign | undefined {
  let pid = statOf("self")?.parent;
  for (let read = 0; read < ANCESTORS_READ && pid !== undefined && pid > 0; read++) {
    if (hasVariable(pid) || hasMark(pid)) return { kind: "ancestor", pid };
    pid = statOf(pid)?.parent;
  }
  return undefined;
}

/** What lost its ancestors and its mark may still be where it worked. @param folder absolute */
function workTreeAround(folder: string, mark: string): JobSign | undefined {
  for (let root = folder; root !== ""; root = root.slice(0, root.lastIndexOf("/"))) {
    const link = /^gitdir: (.+)$/m.exec(readOr(`${root}/.git`) ?? "")?.[1];
    if (link !== undefined && readOr(`${link}/${mark}`) !== undefined) {
      return { kind: "work_tree", root };
    }
  }
  return undefined;
}

/** Whether a terminal controls this process (tty_nr), wherever its input and output go. Undefined where the
 * system does not tell. */
export function underTerminal(): boolean | undefined {
  return Deno.build.os === "linux" ? statOf("self")?.terminal : undefined;
}

interface SelfFacts {
  /** Its own `SVC_JOB_ID`. */
  readonly variable: string | undefined;
  readonly cwd: string;
  /** File in git's folder of each work tree of a job. */
  readonly treeMark: string;
}

/** Sync, as it is a handful of reads. */
export function jobSign({ variable, cwd, treeMark }: SelfFacts): JobSign | undefined {
  // The path ends with the command's own number (`Run.tag`).
  if (variable) {
    return { kind: "variable", job: variable.split("/").at(-2) ?? variable };
  }
  if (Deno.build.os !== "linux") return undefined;
  if (hasMark("self")) return { kind: "mark" };
  return markedAncestor() ?? (underTerminal() ? undefined : workTreeAround(cwd, treeMark));
}

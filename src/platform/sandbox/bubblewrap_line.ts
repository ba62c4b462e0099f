/** The arguments of bwrap(1) for one program of a job. Nothing is asked of the machine here. */
import type { Containment, ExecutionLimits, NetworkReach } from "svc/core/execution.ts";
import type { SandboxPlaces } from "./places.ts";
import { within } from "./places.ts";

/** The name under which the shell in the sandbox tells that it cannot start a program. */
export const SANDBOX_NAME = "svc-sandbox";

/** Descriptor of the filter of system calls. */
export const FILTER_FD = "9";

/** Bytes of a hidden folder that nobody needs to write. */
const SMALL = 4 * 1024 * 1024;

const MB = 1024 * 1024;

/** Threads count as processes there. */
const THREADS_A_PROCESS = 16;

/** In a fresh /proc these belong to the user that is root outside, who needs no capability to write them: a program that
 * `kernel/core_pattern` names runs as root. Bubblewrap covers them only where it may write their folders itself. */
const KERNEL = ["bus", "fs", "irq", "mtrr", "sys", "sysrq-trigger"].map((name) => `/proc/${name}`);

const APART = [
  ...["--unshare-user", "--disable-userns", "--unshare-ipc", "--unshare-pid", "--unshare-uts"],
  ...["--unshare-cgroup-try", "--hostname", "sandbox", "--die-with-parent", "--new-session"],
  // As the first process it takes all others with it when it ends, before anybody learns of the end.
  ...["--cap-drop", "ALL", "--as-pid-1"],
];

/** `ulimit -u` is Bash's for the processes, `-p` that of dash. A lower limit that holds already stays. */
export function limitScript({ memory_mb, processes, file_mb }: ExecutionLimits): string {
  const threads = processes * THREADS_A_PROCESS;
  return [
    `exec ${FILTER_FD}<&-`,
    "ulimit -c 0",
    `ulimit -f ${file_mb * 2048} 2>/dev/null`,
    `ulimit -d ${memory_mb * 1024} 2>/dev/null`,
    `{ ulimit -u ${threads} || ulimit -p ${threads}; } 2>/dev/null`,
    '"$@"',
    "exit $?",
  ].join("\n");
}

function emptied({ emptied: folders, home }: SandboxPlaces, temporaryMb: number): string[] {
  return folders.flatMap((folder) => {
    const shared = folder === "/tmp" || folder === "/var/tmp";
    const size = shared || within(home, folder) ? temporaryMb * MB : SMALL;
    return ["--perms", shared ? "1777" : "0755", "--size", String(size), "--tmpfs", folder];
  });
}

export interface LinePlan {
  readonly contain: Containment;
  readonly network: NetworkReach;
  readonly limits: ExecutionLimits;
  readonly cwd: string;
  /** The key files that exist. */
  readonly masked: readonly string[];
}

/** What ends in `--`; the program and its arguments follow. */
export function bubblewrapArgs(
  places: SandboxPlaces,
  { contain, network, limits, cwd, masked }: LinePlan,
): string[] {
  const { tree, commonDir } = contain;
  const readOnly = (path: string) => ["--ro-bind", path, path];
  const inTree = (path: string) => tree !== undefined && within(path, tree);
  // Whoever may write around a folder may put a link in its place.
  const holds = (path: string) =>
    [tree, commonDir].some((folder) => folder !== undefined && within(folder, path));
  const kept = (paths: readonly string[]) => paths.filter((at) => !inTree(at) && !holds(at));
  const { resolver } = places;
  return [
    ...APART,
    ...(network === "full" ? [] : ["--unshare-net"]),
    ...["--seccomp", FILTER_FD],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...KERNEL.flatMap((path) => ["--ro-bind-try", path, path]),
    ...emptied(places, limits.temporary_mb),
    ...(places.emptied.includes("/var") ? ["--symlink", "/run", "/var/run"] : []),
    ...masked.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...kept(places.shown).flatMap(readOnly),
    ...places.links.filter(({ at }) => !inTree(at)).flatMap(({ at, to }) => ["--symlink", to, at]),
    ...(network === "full" && resolver !== undefined ? readOnly(resolver) : []),
    ...kept(places.caches).flatMap((path) => ["--bind", path, path]),
    ...(commonDir === undefined ? [] : readOnly(commonDir)),
    ...(tree === undefined ? [] : ["--bind", tree, tree, ...readOnly(`${tree}/.git`)]),
    ...["--chdir", inTree(cwd) ? cwd : places.home],
    ...["--", "/bin/sh", "-c", limitScript(limits), SANDBOX_NAME],
  ];
}

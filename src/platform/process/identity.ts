/** Tells whether a process still lives, as pids are reused; reads `/proc` (proc(5)), which no Worker may. */

export interface ProcessIdentity {
  /** Name of the machine and number of the pid namespace: a container's pids mean nothing outside. */
  readonly host: string;
  /** New with each start of the machine (random(4)). */
  readonly boot: string;
  readonly pid: number;
  /** Clock ticks from the boot to the process's start (field 22 of `/proc/<pid>/stat`); "" if unknown. */
  readonly start: string;
}

/** `unknown`: it belongs to another machine or container, or the system does not tell. */
export type Life = "alive" | "dead" | "unknown";

function read(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path).trim();
  } catch (thrown) {
    // ESRCH (os error 3): it ended between open and read.
    const gone = thrown instanceof Deno.errors.NotFound || /os error 3\b/.test(String(thrown));
    if (gone) return undefined;
    throw thrown;
  }
}

export interface Identities {
  self(): Promise<ProcessIdentity>;
  life(other: ProcessIdentity): Promise<Life>;
}

/** Undefined also for a zombie. */
function startOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything, also ") ".
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return state === undefined || state === "Z" || state === "X" ? undefined : fields[18];
}

export function selfIdentity(): ProcessIdentity {
  if (Deno.build.os !== "linux") {
    return { host: Deno.hostname(), boot: "", pid: Deno.pid, start: "" };
  }
  const namespace = /\d+/.exec(Deno.readLinkSync("/proc/self/ns/pid"))?.[0] ?? "";
  return {
    host: `${read("/proc/sys/kernel/hostname") ?? ""}:${namespace}`,
    boot: read("/proc/sys/kernel/random/boot_id") ?? "",
    pid: Deno.pid,
    start: startOf(Deno.pid) ?? "",
  };
}

export function lifeOf(self: ProcessIdentity, other: ProcessIdentity): Life {
  const told = [self, other].every(({ boot, start }) => boot !== "" && start !== "");
  if (!told || other.host !== self.host) return "unknown";
  if (other.boot !== self.boot) return "dead";
  return startOf(other.pid) === other.start ? "alive" : "dead";
}

export function identities(): Identities {
  let known: ProcessIdentity | undefined;
  const self = () => known ??= selfIdentity();
  return {
    self: () => Promise.resolve(self()),
    life: (other) => Promise.resolve(lifeOf(self(), other)),
  };
}

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

async function read(path: string): Promise<string | undefined> {
  try {
    return (await Deno.readTextFile(path)).trim();
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
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await read(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything, also ") ".
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return state === undefined || state === "Z" || state === "X" ? undefined : fields[18];
}

export async function selfIdentity(): Promise<ProcessIdentity> {
  if (Deno.build.os !== "linux") {
    return { host: Deno.hostname(), boot: "", pid: Deno.pid, start: "" };
  }
  const namespace = /\d+/.exec(await Deno.readLink("/proc/self/ns/pid"))?.[0] ?? "";
  return {
    host: `${await read("/proc/sys/kernel/hostname") ?? ""}:${namespace}`,
    boot: await read("/proc/sys/kernel/random/boot_id") ?? "",
    pid: Deno.pid,
    start: await startOf(Deno.pid) ?? "",
  };
}

export async function lifeOf(self: ProcessIdentity, other: ProcessIdentity): Promise<Life> {
  const told = [self, other].every(({ boot, start }) => boot !== "" && start !== "");
  if (!told || other.host !== self.host) return "unknown";
  if (other.boot !== self.boot) return "dead";
  return await startOf(other.pid) === other.start ? "alive" : "dead";
}

export function identities(): Identities {
  let known: Promise<ProcessIdentity> | undefined;
  const self = () => known ??= selfIdentity();
  return { self, life: async (other) => await lifeOf(await self(), other) };
}

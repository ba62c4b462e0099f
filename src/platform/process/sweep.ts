/** Finds and ends the processes a command left behind, by the tag in their environment. */

/** Looks through /proc until none of a command's processes is left, and the pause between two looks. */
const CHILD_SWEEPS = 200;
const CHILD_SWEEP_PAUSE_MS = 10;

/**
 * A command that took no longer has its remains looked for among younger processes only. Numbers of
 * processes would come around in this time at 300,000 starts a second, which no kernel does.
 */
const CHILD_BRIEF_MS = 100;

/** Carries the tag: a path of names, each of which ends the processes below it. */
export const TAG_VARIABLE = "SVC_JOB_ID";

type Signal = "SIGTERM" | "SIGKILL";

const latin1 = new TextDecoder("latin1");

/** False when there is no such process (any more). @param pid negative for a process group */
export function signalProcess(pid: number, signal: Signal): boolean {
  try {
    Deno.kill(pid, signal);
    return true;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return false;
    // It changed its user, as sudo does, and only that user can end it.
    if (thrown instanceof Deno.errors.PermissionDenied) return false;
    throw thrown;
  }
}

function carries(pid: number, tag: string): boolean {
  try {
    // Empty for a zombie.
    const environ = latin1.decode(Deno.readFileSync(`/proc/${pid}/environ`));
    return environ.split("\0").some((entry) =>
      entry.startsWith(`${TAG_VARIABLE}=`) &&
      `/${entry.slice(TAG_VARIABLE.length + 1)}/`.includes(`/${tag}/`)
    );
  } catch (thrown) {
    // Another user's process, a kernel thread, or one that ended meanwhile: none of ours.
    if (thrown instanceof Deno.errors.NotCapable) throw thrown;
    return false;
  }
}

/** The number that the system gave to a process last (proc_loadavg(5)); undefined if it does not tell. */
export function lastPid(): number | undefined {
  try {
    const last = Number(Deno.readTextFileSync("/proc/loadavg").split(" ")[4]);
    return Number.isInteger(last) ? last : undefined;
  } catch {
    return undefined;
  }
}

/** A command that was started by this thread. */
export interface Started {
  /** `performance.now()` before it was. */
  readonly at: number;
  /** `lastPid()` before it was. */
  readonly after: number | undefined;
  /** Number of its first process. */
  readonly leader: number;
}

/**
 * Which numbers processes of the command can have. The system counts upwards and, behind the highest
 * (32,768 or more), begins anew: within `CHILD_BRIEF_MS` it cannot come around to the leader's. Where
 * it began anew meanwhile, does not tell, or the command took longer: any.
 */
function numbersOf({ at, after, leader }: Started): { readonly from: number; readonly to: number } {
  const to = lastPid();
  const brief = performance.now() - at <= CHILD_BRIEF_MS;
  const upwards = after !== undefined && to !== undefined && after < leader && leader <= to;
  return brief && upwards ? { from: leader, to } : { from: 0, to: Infinity };
}

/** Every process there is, or those that can be the command's. */
function candidates(started: Started | undefined): readonly number[] {
  const any = { from: 0, to: Infinity };
  const first = started === undefined ? any : numbersOf(started);
  // Nobody has started anything since.
  if (first.from === first.to) return [first.from];
  const all = [...Deno.readDirSync("/proc")].map(({ name }) => Number(name));
  // Asked again: what was started before the listing has no higher number.
  const { from, to } = started === undefined ? any : numbersOf(started);
  // Other names than numbers are in no range.
  return all.filter((pid) => pid >= from && pid <= to && pid !== Deno.pid);
}

/**
 * Live processes whose environment, as it was at their start, holds the tag; none where there is no
 * `/proc` (proc(5)). Finds those that left the process group by setsid or a double fork, but not one
 * that emptied its environment as well: that needs a sandbox.
 *
 * @param started whose tag it is, where that is known: spares looking at older processes
 */
export function taggedProcesses(tag: string, started?: Started): number[] {
  return Deno.build.os === "linux" ? candidates(started).filter((pid) => carries(pid, tag)) : [];
}

/** @throws Deno.errors.NotCapable where `taggedProcesses` would; costs a tenth of it */
export function mustSeeProcesses(): void {
  if (Deno.build.os !== "linux") return;
  Deno.readDirSync("/proc");
  carries(Deno.pid, "");
}

/** Tags of the commands that this thread watches over, by the number of their first process. */
const watched = new Map<number, string>();

/** Until it is disposed, `killWatched` ends the command too. */
export function watchOver(leader: number, tag: string | undefined): Disposable {
  if (tag !== undefined) watched.set(leader, tag);
  return { [Symbol.dispose]: () => void watched.delete(leader) };
}

/**
 * The last act of a process that ends without waiting for its commands: they would go on without a
 * limit. What is not tagged, such as git in the middle of a commit, comes to its own end soon.
 */
export function killWatched(): void {
  for (const [leader, tag] of watched) {
    signalProcess(-leader, "SIGKILL");
    for (const pid of taggedProcesses(tag)) signalProcess(pid, "SIGKILL");
  }
}

/** Kills until none is left; a bounded number of looks. Returns those it killed. */
export async function endTagged(tag: string): Promise<ReadonlySet<number>> {
  const killed = new Set<number>();
  for (let look = 0; look < CHILD_SWEEPS; look++) {
    const left = taggedProcesses(tag);
    if (left.length === 0) break;
    for (const pid of left) if (signalProcess(pid, "SIGKILL")) killed.add(pid);
    await new Promise((resolve) => setTimeout(resolve, CHILD_SWEEP_PAUSE_MS));
  }
  return killed;
}

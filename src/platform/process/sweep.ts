/** Finds and kills the processes that a command left behind, by the tag in their environment. */
import { systemClock } from "svc/platform/clock.ts";

/** Searches of /proc until none of a command's processes is left, and the pause between. */
const CHILD_SWEEPS = 200;
const CHILD_SWEEP_PAUSE_MS = 10;

/** Time in which pids cannot wrap around: that takes 300,000 starts a second, which no kernel reaches. */
const CHILD_BRIEF_MS = 100;

/** A path of names: ending one name ends all processes below it. */
export const TAG_VARIABLE = "SVC_JOB_ID";

type Signal = "SIGTERM" | "SIGKILL";

const latin1 = new TextDecoder("latin1");

/** False when there is no such process. `pid` is negative for a group. */
export function signalProcess(pid: number, signal: Signal): boolean {
  try {
    Deno.kill(pid, signal);
    return true;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return false;
    // The process changed its user, as sudo does, and only that user can end it.
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
    // Another user's process, a kernel thread, or one that ended meanwhile.
    if (thrown instanceof Deno.errors.NotCapable) throw thrown;
    return false;
  }
}

/** As proc_loadavg(5) tells; undefined if it does not. */
export function lastPid(): number | undefined {
  try {
    const last = Number(Deno.readTextFileSync("/proc/loadavg").split(" ")[4]);
    return Number.isInteger(last) ? last : undefined;
  } catch {
    return undefined;
  }
}

export interface StartedCommand {
  readonly at: number;
  readonly after: number | undefined;
  readonly leader: number;
}

/** The system counts upwards and wraps around after the highest pid (32,768 or more). Any pid, where it
 * wrapped around meanwhile, does not tell, or the command took longer than `CHILD_BRIEF_MS`. */
function pidsOf(
  { at, after, leader }: StartedCommand,
): { readonly from: number; readonly to: number } {
  const to = lastPid();
  const brief = performance.now() - at <= CHILD_BRIEF_MS;
  const upwards = after !== undefined && to !== undefined && after < leader && leader <= to;
  return brief && upwards ? { from: leader, to } : { from: 0, to: Infinity };
}

function candidates(started: StartedCommand | undefined): readonly number[] {
  const any = { from: 0, to: Infinity };
  const first = started === undefined ? any : pidsOf(started);
  // Nothing else was started since.
  if (first.from === first.to) return [first.from];
  const all = [...Deno.readDirSync("/proc")].map(({ name }) => Number(name));
  // The range is read again: every process that was started before the listing has a pid within it.
  const { from, to } = started === undefined ? any : pidsOf(started);
  return all.filter((pid) => pid >= from && pid <= to && pid !== Deno.pid);
}

/** Finds also what left the group by setsid or a double fork, but not what emptied its environment too:
 * that needs a sandbox. None without `/proc`; `started` spares reading older processes. */
export function taggedProcesses(tag: string, started?: StartedCommand): number[] {
  return Deno.build.os === "linux" ? candidates(started).filter((pid) => carries(pid, tag)) : [];
}

/** @throws Deno.errors.NotCapable where `taggedProcesses` would; costs a tenth of it */
export function mustSeeProcesses(): void {
  if (Deno.build.os !== "linux") return;
  Deno.readDirSync("/proc");
  carries(Deno.pid, "");
}

const watched = new Map<number, string>();

export function watchOver(leader: number, tag: string | undefined): Disposable {
  if (tag !== undefined) watched.set(leader, tag);
  return { [Symbol.dispose]: () => void watched.delete(leader) };
}

/** For a process that ends without waiting for its commands. Those without a tag end by themselves soon. */
export function killWatched(): void {
  for (const [leader, tag] of watched) {
    signalProcess(-leader, "SIGKILL");
    for (const pid of taggedProcesses(tag)) signalProcess(pid, "SIGKILL");
  }
}

/** Gives up after `CHILD_SWEEPS` searches. @returns the pids */
export async function endTagged(tag: string): Promise<ReadonlySet<number>> {
  const killed = new Set<number>();
  for (let look = 0; look < CHILD_SWEEPS; look++) {
    const left = taggedProcesses(tag);
    if (left.length === 0) break;
    for (const pid of left) if (signalProcess(pid, "SIGKILL")) killed.add(pid);
    await systemClock.sleep(CHILD_SWEEP_PAUSE_MS);
  }
  return killed;
}

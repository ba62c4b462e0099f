/** Finds and ends the processes a command left behind, by the tag in their environment. */
import { CHILD_SWEEP_PAUSE_MS, CHILD_SWEEPS } from "svc/core/bounds.ts";

/** Carries the tag: a path of names, each of which ends the processes below it. */
export const TAG_VARIABLE = "SVC_JOB_ID";

type Signal = "SIGTERM" | "SIGKILL";

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

function carriesTag(environ: string, tag: string): boolean {
  return environ.split("\0").some((entry) =>
    entry.startsWith(`${TAG_VARIABLE}=`) &&
    `/${entry.slice(TAG_VARIABLE.length + 1)}/`.includes(`/${tag}/`)
  );
}

/**
 * Live processes whose environment, as it was at their start, holds the tag; none where there is no
 * `/proc` (proc(5)). Finds those that left the process group by setsid or a double fork, but not one
 * that emptied its environment as well: that needs a sandbox.
 */
export function taggedProcesses(tag: string): number[] {
  const found: number[] = [];
  if (Deno.build.os !== "linux") return found;
  const latin1 = new TextDecoder("latin1");
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === Deno.pid) continue;
    try {
      // Empty for a zombie.
      const environ = latin1.decode(Deno.readFileSync(`/proc/${name}/environ`));
      if (carriesTag(environ, tag)) found.push(Number(name));
    } catch (thrown) {
      // Another user's process, a kernel thread, or one that ended meanwhile: none of ours.
      if (thrown instanceof Deno.errors.NotCapable) throw thrown;
    }
  }
  return found;
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

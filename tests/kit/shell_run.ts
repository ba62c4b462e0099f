/** Runs shell scripts through the real `Processes`, and looks whether a process lives. */
import { type Captured, capturedText } from "svc/core/head_tail.ts";
import { denoProcesses, type Run } from "svc/platform/process/process.ts";

/** Shorter than the standing ones, so that what waits for them ends soon. */
export const processes = denoProcesses({
  termGraceMs: 300,
  drainMs: 300,
  watchMs: 20,
  processes: 10,
});
/** With the standing limits, where nothing in the test waits for their end. */
export const patient = denoProcesses();
export const env = { PATH: "/usr/bin:/bin", LC_ALL: "C" };

export function sh(script: string, more: Partial<Run> = {}, runner = processes) {
  return runner.run({
    program: "sh",
    args: ["-c", script],
    cwd: "/tmp",
    env,
    refuseUnder: [],
    ...more,
  });
}

export const text = (captured: Captured) => capturedText(captured);

/** A zombie, which nobody has collected yet, is dead. */
export function alive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

/** Acts once, or more often, when the output has said "ready". */
export function onReady(act: () => void): NonNullable<Run["onOutput"]> {
  let seen = "";
  return (chunk) => {
    seen += new TextDecoder().decode(chunk);
    if (seen.includes("ready")) act();
  };
}

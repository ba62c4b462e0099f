/** Runs other programs: without a shell, in bounded time and output, and with nothing left alive afterwards. */
import { Failure } from "svc/core/failure.ts";
import { HeadTail } from "svc/core/head_tail.ts";
import type { Ended, Run } from "./child.ts";
import { cannotStart, mustHaveStarted, needsSession, start } from "./start.ts";
import { type ProcessLimits, supervise } from "./supervise.ts";
import { endTagged, lastPid, mustSeeProcesses, TAG_VARIABLE } from "./sweep.ts";
import { resolveProgram } from "./program.ts";
import type { Sandbox } from "svc/platform/sandbox/sandbox.ts";

export { howItEnded } from "./child.ts";
export type { ChildInput, Ended, Run } from "./child.ts";

export interface Processes {
  /** A program that ends badly is an answer. @throws Failure when it cannot be started or ended */
  run(command: Run): Promise<Ended>;
  /** Kills what this tag's commands left when svc itself died. @returns how many */
  sweep(tag: string): Promise<number>;
}

function notStarted(): Ended {
  const nothing = new HeadTail(1).capture();
  return {
    code: undefined,
    signal: undefined,
    stdout: nothing,
    stderr: nothing,
    durationMs: 0,
    timedOut: false,
    cancelled: true,
    crowded: false,
    survivorsKilled: 0,
  };
}

function checkedTag(tag: string): string {
  if (/^[\w.:-]+$/.test(tag)) return tag;
  throw new Failure("internal", `Cannot tag a process with ${JSON.stringify(tag)}`);
}

/** Below the inherited tag, so that an outer svc that ends its own command ends this one too. */
function tagPath(command: Run): string | undefined {
  if (command.tag === undefined) return undefined;
  const run = crypto.getRandomValues(new Uint8Array(6)).toHex();
  const inherited = command.env[TAG_VARIABLE];
  return [...(inherited === undefined ? [] : [inherited]), checkedTag(command.tag), run].join("/");
}

/** True once this thread has read through /proc; its permissions do not change. */
let canSweep = false;

function refuseUnswept(program: string): void {
  if (canSweep) return;
  try {
    mustSeeProcesses();
    canSweep = true;
  } catch (cause) {
    throw cannotStart(program, cause);
  }
}

/** Asked for each program of a job; undefined where none is wanted. @throws Failure where it cannot be had */
export type OpenSandbox = () => Promise<Sandbox | undefined>;

export function denoProcesses(
  limits: Partial<ProcessLimits> = {},
  openSandbox?: OpenSandbox,
): Processes {
  const resolved = new Map<string, string>();

  /** A name keeps the program first found for it: one that is planted later is never run. */
  function locate(command: Run): string {
    if (command.program.startsWith("/")) return command.program;
    const where = {
      path: command.env.PATH ?? "",
      refuseUnder: command.refuseUnder ?? [command.cwd],
    };
    const key = JSON.stringify([command.program, where]);
    const path = resolved.get(key) ?? resolveProgram(command.program, where);
    resolved.set(key, path);
    return path;
  }

  async function once(command: Run, program: string, session: boolean): Promise<Ended> {
    const tag = tagPath(command);
    if (tag !== undefined) refuseUnswept(program);
    const { contain } = command;
    const wanted = contain !== undefined && !contain.outside;
    const sandbox = wanted ? await openSandbox?.() : undefined;
    const { program: started = program, ...line } = sandbox?.line(command, program) ?? {};
    const before = { at: performance.now(), after: tag === undefined ? undefined : lastPid() };
    const child = start({ ...command, ...line }, started, { tag, session });
    const within = sandbox && { sandbox: sandbox.limits };
    const ended = await supervise(child, command, tag, before, { ...limits, session, ...within });
    mustHaveStarted(started, ended);
    const fault = sandbox?.fault(program, ended);
    if (fault !== undefined) throw fault;
    return { ...ended, durationMs: performance.now() - before.at };
  }

  return {
    async run(command) {
      const { signal, onOutput } = command;
      if (signal?.aborted) return notStarted();
      const program = locate(command);
      if (needsSession(command, program)) return await once(command, program, true);
      let given = false;
      const told = onOutput && {
        onOutput: (...output: Parameters<typeof onOutput>) => {
          given = true;
          return onOutput(...output);
        },
      };
      const ended = await once({ ...command, ...told }, program, false);
      // A signal of somebody else, such as the terminal's: it does not reach a session.
      const struck = ended.signal !== undefined && !ended.timedOut && !ended.cancelled;
      if (!struck || given) return ended;
      return signal?.aborted ? notStarted() : await once(command, program, true);
    },
    sweep: async (tag) => (await endTagged(checkedTag(tag))).size,
  };
}

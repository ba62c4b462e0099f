/** Runs other programs: no shell, bounded time and output, and nothing left alive afterwards. */
import { CHILD_PROCESSES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { type Captured, HeadTail } from "svc/core/head_tail.ts";
import { duration } from "svc/core/time.ts";
import { cannotStart, mustHaveStarted, start } from "./start.ts";
import { type ProcessLimits, supervise } from "./supervise.ts";
import { endTagged, lastPid, mustSeeProcesses, TAG_VARIABLE } from "./sweep.ts";
import { resolveProgram } from "./program.ts";

export interface Run {
  /** A bare name, looked up once on the PATH of `env`, or an absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** All the child sees; build it with `childEnv`. */
  readonly env: Readonly<Record<string, string>>;
  /** A bare name is never taken from these folders; `[cwd]` unless said otherwise. */
  readonly refuseUnder?: readonly string[];
  /** Written to standard input, which is then closed; without it the input is empty. */
  readonly stdin?: Uint8Array;
  /** `CHILD_TIMEOUT_MS` unless said otherwise, at most `CHILD_TIMEOUT_MAX_MS`. */
  readonly timeoutMs?: number;
  /** Kept of each stream's head, and as much of its tail. */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
  /**
   * The job's id, of the characters `\w.:-`, unique among all that run here. With it the command's processes are counted while it runs, and swept when
   * it ends. The child sees `SVC_JOB_ID=<inherited/><tag>/<run>`, so that two commands of one job
   * can run at a time.
   */
  readonly tag?: string;
  /**
   * Sees every byte, also those that are not kept; the child waits while a promise is pending. The
   * chunk is overwritten afterwards.
   */
  readonly onOutput?: (chunk: Uint8Array, stream: "stdout" | "stderr") => void | Promise<void>;
}

export interface Ended {
  /** Exit status; undefined when a signal ended the program, or it was never started. */
  readonly code: number | undefined;
  /** Such as "SIGKILL". */
  readonly signal: string | undefined;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly durationMs: number;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** It was ended because it had started more than `CHILD_PROCESSES` processes. */
  readonly crowded: boolean;
  /** Processes that were still alive after the program's end and were killed; 0 without a tag. */
  readonly survivorsKilled: number;
}

export interface Processes {
  /**
   * A program that ends badly is an answer, not an error.
   * @throws Failure when it cannot be started, or cannot be ended
   */
  run(command: Run): Promise<Ended>;
  /** Ends whatever this tag's commands left when svc itself died. Returns how many processes were killed. */
  sweep(tag: string): Promise<number>;
}

/** Such as "ended with exit code 2" or "was stopped after 2.0 min"; completes "git …". */
export function howItEnded(ended: Ended): string {
  if (ended.cancelled) return "was cancelled";
  if (ended.timedOut) return `was stopped after ${duration(ended.durationMs)}`;
  if (ended.crowded) return `was stopped: it had started more than ${CHILD_PROCESSES} processes`;
  if (ended.signal !== undefined) return `was killed by ${ended.signal}`;
  return `ended with exit code ${ended.code}`;
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

/** Below what svc inherited, so that an outer svc that ends its own command ends this one too. */
function tagPath(command: Run): string | undefined {
  if (command.tag === undefined) return undefined;
  const run = crypto.getRandomValues(new Uint8Array(6)).toHex();
  const inherited = command.env[TAG_VARIABLE];
  return [...(inherited === undefined ? [] : [inherited]), checkedTag(command.tag), run].join("/");
}

/** This thread has looked through /proc before: its permissions do not come and go. */
let canSweep = false;

/** Nothing is started whose remains could not be found. */
function refuseUnswept(program: string): void {
  if (canSweep) return;
  try {
    mustSeeProcesses();
    canSweep = true;
  } catch (cause) {
    throw cannotStart(program, cause);
  }
}

/** @param limits other than the standing ones; for tests */
export function denoProcesses(limits: Partial<ProcessLimits> = {}): Processes {
  const resolved = new Map<string, string>();

  /** Once found, a name keeps its meaning: a program planted later is never taken. */
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

  return {
    async run(command) {
      if (command.signal?.aborted) return notStarted();
      const program = locate(command);
      const tag = tagPath(command);
      if (tag !== undefined) refuseUnswept(program);
      const before = { at: performance.now(), after: tag === undefined ? undefined : lastPid() };
      const child = start(command, program, tag);
      const ended = await supervise(child, command, tag, before, limits);
      mustHaveStarted(program, ended);
      return { ...ended, durationMs: performance.now() - before.at };
    },
    sweep: async (tag) => (await endTagged(checkedTag(tag))).size,
  };
}

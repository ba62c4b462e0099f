/** A child process as its caller asks for it, and how it ended. */
import { CHILD_PROCESSES } from "svc/core/bounds.ts";
import type { Containment } from "svc/core/execution.ts";
import type { Captured } from "svc/core/head_tail.ts";
import { duration } from "svc/core/time.ts";

export interface ChildInput {
  /** The next bytes; undefined closes standard input. */
  read(): Promise<Uint8Array | undefined>;
}

export interface Run {
  /** A bare name, looked up once on the PATH of `env`, or an absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A bare name is never taken from these folders; `[cwd]` by default. */
  readonly refuseUnder?: readonly string[];
  /** Standard input is closed after it. */
  readonly stdin?: Uint8Array;
  /** Standard input of a child that is talked to, instead of `stdin`. */
  readonly input?: ChildInput;
  /** `CHILD_TIMEOUT_MS` unless said otherwise, at most `CHILD_TIMEOUT_MAX_MS`; with `input` both are `CHILD_TALK_MS`. */
  readonly timeoutMs?: number;
  /** Kept at each stream's head, and at its tail. */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
  /** Unique here, of the characters `\w.:-`: with it the command's processes are counted, and swept at its end.
   * The child sees `SVC_JOB_ID=<inherited/><tag>/<run>`, so that two commands of a job can run at a time. */
  readonly tag?: string;
  /** It marks a program of a job, which runs in a sandbox where one is wanted. Absent for programs of svc's own, such as git. */
  readonly contain?: Containment;
  /** It starts no other program, and may be run twice: it needs no session of its own, which costs half as much
   * as a call of git. Not with `tag`, `contain` and `input`. */
  readonly leaf?: true;
  /** Sees every byte; the child waits for a promise. The chunk is overwritten afterwards. */
  readonly onOutput?: (chunk: Uint8Array, stream: "stdout" | "stderr") => void | Promise<void>;
}

export interface Ended {
  /** Undefined when a signal ended the program or it never started. */
  readonly code: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly durationMs: number;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** It had too many processes, or too much memory: `heldMb` then. */
  readonly crowded: boolean;
  readonly heldMb?: number;
  /** Processes that outlived the program; 0 without a tag. */
  readonly survivorsKilled: number;
  /** What of the repo's git hooks a set-up had changed (`git/kept_hooks.ts`); absent where it changed none. */
  readonly putBack?: readonly string[];
}

export function howItEnded(ended: Ended): string {
  if (ended.cancelled) return "was cancelled";
  if (ended.timedOut) return `was stopped after ${duration(ended.durationMs)}`;
  if (ended.heldMb !== undefined) return `was stopped: it held ${ended.heldMb} MB of memory`;
  if (ended.crowded) return `was stopped: it had started more than ${CHILD_PROCESSES} processes`;
  if (ended.signal !== undefined) return `was killed by ${ended.signal}`;
  return `ended with exit code ${ended.code}`;
}

/** Supervises one child until it, and all that it started, have ended and its output is read. */
import {
  CHILD_OUTPUT_BYTES,
  CHILD_PROCESSES,
  CHILD_TALK_MS,
  CHILD_TIMEOUT_MAX_MS,
  CHILD_TIMEOUT_MS,
} from "svc/core/bounds.ts";
import type { ExecutionLimits } from "svc/core/execution.ts";
import { Failure } from "svc/core/failure.ts";
import { HeadTail } from "svc/core/head_tail.ts";
import { systemClock, within } from "svc/platform/clock.ts";
import { allWithin, firstWithin, heldMb } from "svc/platform/sandbox/offspring.ts";
import { after, every } from "svc/platform/timers.ts";
import type { ChildInput, Ended, Run } from "./child.ts";
import {
  endTagged,
  signalProcess,
  type StartedCommand,
  taggedProcesses,
  watchOver,
} from "./sweep.ts";

/** Time between TERM and KILL: long enough to flush, short enough for Ctrl-C. */
const CHILD_TERM_GRACE_MS = 5_000;

/** Output is read this long after the leader exits: a grandchild may hold the pipe open for ever. */
const CHILD_DRAIN_MS = 2_000;

/** Bytes read at a time: the capacity of a pipe on Linux (pipe(7)). */
const CHILD_READ_BYTES = 64 * 1024;

/** How often a running command's processes are counted; a count costs some 50 us a process. */
const CHILD_WATCH_MS = 500;

export interface ProcessLimits {
  readonly termGraceMs: number;
  readonly drainMs: number;
  readonly watchMs: number;
  readonly processes: number;
  /** True for what runs until its signal ends it. */
  readonly untimed?: true;
  /** False for a child without a session, and so without a group, of its own. */
  readonly session?: boolean;
  /** Those of the sandbox that the child is in. */
  readonly sandbox?: Pick<ExecutionLimits, "memory_mb" | "processes">;
}

const LIMITS: ProcessLimits = {
  termGraceMs: CHILD_TERM_GRACE_MS,
  drainMs: CHILD_DRAIN_MS,
  watchMs: CHILD_WATCH_MS,
  processes: CHILD_PROCESSES,
};

type ChildStopReason = "timeout" | "cancelled" | "crowded" | "broken";

interface Pump {
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

function pump(
  stream: ReadableStream<Uint8Array>,
  kept: HeadTail,
  visit: (chunk: Uint8Array) => void | Promise<void>,
): Pump {
  // One buffer is reused: new ones for each read would pile up faster than they are freed.
  const reader = stream.getReader({ mode: "byob" });
  const drain = async () => {
    for (let buffer = new ArrayBuffer(CHILD_READ_BYTES);;) {
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (done) return;
      kept.push(value);
      await visit(value);
      buffer = value.buffer;
    }
  };
  return { done: drain(), stop: () => reader.cancel() };
}

async function feed(child: Deno.ChildProcess, bytes: Uint8Array): Promise<void> {
  const writer = child.stdin.getWriter();
  try {
    await writer.write(bytes);
    await writer.close();
  } catch {
    // A program may stop reading at any time; its exit tells whether that was an error.
  }
}

/** Goes on until the input or the child ends. @returns what lets go of standard input */
function talk(child: Deno.ChildProcess, input: ChildInput): () => Promise<void> {
  const writer = child.stdin.getWriter();
  const send = async () => {
    for (let part = await input.read(); part !== undefined; part = await input.read()) {
      await writer.write(part);
    }
    await writer.close();
  };
  // As in `feed`: its exit tells.
  const sent = send().catch(() => {});
  return () => Promise.race([writer.abort().catch(() => {}), sent]);
}

function timeLimit({ input, timeoutMs }: Run): number {
  if (input !== undefined) return Math.min(timeoutMs ?? CHILD_TALK_MS, CHILD_TALK_MS);
  return Math.min(timeoutMs ?? CHILD_TIMEOUT_MS, CHILD_TIMEOUT_MAX_MS);
}

function reasonsToStop(
  { pid }: Deno.ChildProcess,
  command: Run,
  tag: string | undefined,
  { sandbox, processes, watchMs, untimed }: ProcessLimits,
) {
  const { promise, resolve } = Promise.withResolvers<ChildStopReason>();
  const timer = untimed ? undefined : after(timeLimit(command), () => resolve("timeout"));
  let held: number | undefined;
  const look = () => {
    if (sandbox === undefined) return taggedProcesses(tag!).length > processes;
    const within = allWithin(pid);
    const mb = heldMb(within);
    if (mb > sandbox.memory_mb) held = mb;
    return held !== undefined || within.length > sandbox.processes;
  };
  const watched = tag !== undefined || sandbox !== undefined;
  const watch = watched ? every(watchMs, () => look() && resolve("crowded")) : undefined;
  const cancel = () => resolve("cancelled");
  command.signal?.addEventListener("abort", cancel);
  if (command.signal?.aborted) cancel();
  return {
    first: promise,
    heldMb: () => held,
    broken: () => resolve("broken"),
    dispose() {
      timer?.clear();
      watch?.clear();
      command.signal?.removeEventListener("abort", cancel);
    },
  };
}

/** The leader alone before it has a group. Where only some programs may be run, Deno permits signals to a
 * child only; such programs are chosen because they start no others. */
function signalGroup(
  leader: Deno.ChildProcess,
  signal: "SIGTERM" | "SIGKILL",
  { session }: ProcessLimits,
): void {
  try {
    if (session !== false && signalProcess(-leader.pid, signal)) return;
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotCapable)) throw thrown;
  }
  try {
    leader.kill(signal);
  } catch (ended) {
    if (!(ended instanceof TypeError)) throw ended; // it has ended already
  }
}

/** Bubblewrap passes no signal on: whoever is in the sandbox gets it. */
function askToEnd(leader: Deno.ChildProcess, limits: ProcessLimits): void {
  const within = limits.sandbox === undefined ? [] : allWithin(leader.pid);
  for (const pid of within) signalProcess(pid, "SIGTERM");
  if (within.length === 0) signalGroup(leader, "SIGTERM", limits);
}

/** @returns how many were left, without the leader */
async function endRest(
  leader: Deno.ChildProcess,
  tag: string | undefined,
  started: StartedCommand,
  limits: ProcessLimits,
): Promise<number> {
  const { sandbox, drainMs } = limits;
  const first = sandbox && firstWithin(leader.pid);
  if (first !== undefined) {
    // Its end is that of all in the sandbox, and bubblewrap ends after it.
    signalProcess(first, "SIGKILL");
    await within(systemClock, drainMs, leader.status);
  }
  const left = new Set(tag === undefined ? [] : taggedProcesses(tag, started));
  // Safe after the leader's end: a pid is not reused while its group has members.
  signalGroup(leader, "SIGKILL", limits);
  const swept = tag === undefined || left.size === 0 ? left : await endTagged(tag);
  return left.union(swept).difference(new Set([leader.pid])).size;
}

/** @throws Failure `failed` when the child cannot be ended; whatever `onOutput` throws */
export async function supervise(
  child: Deno.ChildProcess,
  command: Run,
  tag: string | undefined,
  before: Pick<StartedCommand, "at" | "after">,
  changed: Partial<ProcessLimits>,
): Promise<Omit<Ended, "durationMs">> {
  using _watched = watchOver(child.pid, tag);
  const limits = { ...LIMITS, ...changed };
  const stop = reasonsToStop(child, command, tag, limits);
  const kept = command.maxOutputBytes ?? CHILD_OUTPUT_BYTES;
  const [stdout, stderr] = [new HeadTail(kept), new HeadTail(kept)];
  const pumps = [
    pump(child.stdout, stdout, (chunk) => command.onOutput?.(chunk, "stdout")),
    pump(child.stderr, stderr, (chunk) => command.onOutput?.(chunk, "stderr")),
  ];
  const drained = Promise.all(pumps.map(({ done }) => done));
  const settled = drained.then(() => {}, stop.broken); // what broke is thrown by the last await
  if (command.stdin !== undefined) feed(child, command.stdin);
  const letGo = command.input && talk(child, command.input);

  const why = await Promise.race([child.status.then(() => undefined), stop.first]);
  stop.dispose();
  if (why === undefined) {
    await within(systemClock, limits.drainMs, settled);
  } else {
    // The streams end with the last process that holds them, which may flush as well.
    askToEnd(child, limits);
    await within(systemClock, limits.termGraceMs, Promise.all([child.status, settled]));
  }
  const survivorsKilled = await endRest(child, tag, { ...before, leader: child.pid }, limits);
  const ended = await within(systemClock, limits.drainMs, child.status);
  if (why !== undefined) await within(systemClock, limits.drainMs, settled);
  for (const { stop } of pumps) await stop();
  await letGo?.();
  if (!ended) {
    child.unref();
    throw new Failure("failed", `Cannot end "${command.program}": process ${child.pid} lives on`);
  }
  await drained;
  const { code, signal } = await child.status;
  const held = stop.heldMb();
  return {
    code: signal === null ? code : undefined,
    signal: signal ?? undefined,
    stdout: stdout.capture(),
    stderr: stderr.capture(),
    timedOut: why === "timeout",
    cancelled: why === "cancelled",
    crowded: why === "crowded",
    ...(held !== undefined && { heldMb: held }),
    survivorsKilled,
  };
}

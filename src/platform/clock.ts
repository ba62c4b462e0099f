/** Time as a port. */
import { after } from "./timers.ts";

export interface Clock {
  /** Epoch ms; may jump. */
  now(): number;
  /** Ms since some fixed point; never goes back. */
  monotonic(): number;
  /** Processor time of this process in ms; it does not advance while the machine is busy with other processes. */
  processor(): number;
  /** Resolves after `ms`, or at once when the signal is aborted; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  processor() {
    // deno-lint-ignore no-process-global -- importing node:process would load it at once
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  sleep(ms, signal) {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (signal?.aborted) return Promise.resolve();
    const timer = after(ms, done);
    function done() {
      timer.clear();
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done);
    return promise;
  },
};

/**
 * Ms that one thread has worked since it was first asked, at most: neither more than all threads of the process
 * have, nor than passed. Until then nothing is asked: the processor's time makes Deno load `process`, 38 ms.
 */
export function threadTime({ processor, monotonic }: Pick<Clock, "processor" | "monotonic">) {
  let last: { readonly worked: number; readonly passed: number } | undefined;
  let sum = 0;
  return (): number => {
    const now = { worked: processor(), passed: monotonic() };
    if (last !== undefined) sum += Math.min(now.worked - last.worked, now.passed - last.passed);
    last = now;
    return sum;
  };
}

/** False when `ms` pass, or `hurry` is aborted, first. @throws what `work` throws by then */
export async function within(
  clock: Pick<Clock, "sleep">,
  ms: number,
  work: Promise<unknown>,
  hurry?: AbortSignal,
): Promise<boolean> {
  const over = new AbortController();
  const signal = hurry === undefined ? over.signal : AbortSignal.any([over.signal, hurry]);
  try {
    const late = clock.sleep(ms, signal).then(() => false);
    return await Promise.race([work.then(() => true), late]);
  } finally {
    over.abort();
  }
}

/** The time limit of a run, which does not advance while svc itself is at work. */
import type { Clock } from "svc/platform/clock.ts";

export interface Deadline extends Disposable {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  paused<T>(work: () => Promise<T>): Promise<T>;
}

/** Disposing it frees the timer, which would keep the process alive. */
export function deadline(clock: Pick<Clock, "sleep" | "monotonic">, ms: number): Deadline {
  const over = new AbortController();
  let left = ms;
  let began = 0;
  let timer: AbortController;
  const go = () => {
    const mine = timer = new AbortController();
    began = clock.monotonic();
    clock.sleep(left, mine.signal).then(() => {
      if (!mine.signal.aborted) over.abort(new DOMException("The time is over", "TimeoutError"));
    });
  };
  go();
  return {
    signal: over.signal,
    async paused(work) {
      timer.abort();
      left = Math.max(0, left - (clock.monotonic() - began));
      try {
        return await work();
      } finally {
        if (!over.signal.aborted) go();
      }
    },
    [Symbol.dispose]: () => timer.abort(),
  };
}

/** Wakes idle workers of this process when there may be a job; jobs of other processes are polled for. */
import type { Clock } from "svc/platform/clock.ts";

/** Read `rings` before looking for a job, then wait for a later one: no ring is missed. */
export class JobBell {
  #rings = 0;
  readonly #waiting = new Set<() => void>();

  get rings(): number {
    return this.#rings;
  }

  /** Call it after committing a change that may give a worker a job. */
  ring(): void {
    this.#rings++;
    for (const wake of this.#waiting) wake();
  }

  /** Resolves at the first ring after `heard`, even if it came before this call, or after `ms`. */
  async wait(
    heard: number,
    clock: Pick<Clock, "sleep">,
    ms: number,
    signal?: AbortSignal,
  ): Promise<void> {
    if (this.#rings !== heard) return;
    const rung = new AbortController();
    const wake = () => rung.abort();
    this.#waiting.add(wake);
    signal?.addEventListener("abort", wake);
    try {
      if (!signal?.aborted) await clock.sleep(ms, rung.signal);
    } finally {
      this.#waiting.delete(wake);
      signal?.removeEventListener("abort", wake);
    }
  }
}

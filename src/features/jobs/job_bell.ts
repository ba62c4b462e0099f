/** Wakes idle workers of this process as soon as there may be a job; polling is for other processes'. */
import type { Clock } from "svc/platform/clock.ts";

/**
 * ```ts
 * const heard = bell.rings;
 * const job = await claimNext(db, claim);
 * if (!job) await bell.wait(heard, clock, JOB_POLL_MS, signal);
 * ```
 */
export class JobBell {
  #rings = 0;
  readonly #waiting = new Set<() => void>();

  get rings(): number {
    return this.#rings;
  }

  /** After the commit of what may let a worker go on: a new job, a finished one, a resume. */
  ring(): void {
    this.#rings++;
    for (const wake of this.#waiting) wake();
  }

  /** Resolves at the first ring after `heard`, even one that came before this call, or after `ms`. */
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

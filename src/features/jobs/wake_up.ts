/** Wakes those of this process who wait for something, such as a job; jobs of others are polled for. */
import type { Clock } from "svc/platform/clock.ts";

/** Read `count` before looking for a job, then wait for a later one: no wake-up is missed. */
export class WakeUp {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  /** How often it was sent. */
  get count(): number {
    return this.#count;
  }

  /** Call it after the commit of a change that may give a worker a job. */
  send(): void {
    this.#count++;
    for (const wake of this.#waiting) wake();
  }

  /** Resolves when it is sent after `seen`, even if that came before this call, or after `ms`. */
  async wait(
    seen: number,
    clock: Pick<Clock, "sleep">,
    ms: number,
    signal?: AbortSignal,
  ): Promise<void> {
    if (this.#count !== seen) return;
    const woken = new AbortController();
    const wake = () => woken.abort();
    this.#waiting.add(wake);
    signal?.addEventListener("abort", wake);
    try {
      if (!signal?.aborted) await clock.sleep(ms, woken.signal);
    } finally {
      this.#waiting.delete(wake);
      signal?.removeEventListener("abort", wake);
    }
  }
}

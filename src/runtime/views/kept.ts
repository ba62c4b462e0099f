/** Remembers what was read until something happened that may have changed it, and not for long anyway. */
import type { Clock } from "svc/platform/clock.ts";

interface Held<T> {
  /** On the monotonic clock. */
  until: number;
  readonly mark: number;
  readonly value: Promise<T>;
}

export class Kept<T> {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #freshMs: (tookMs: number) => number;
  readonly #held = new Map<string, Held<T>>();

  /** @param freshMs how long something is kept that took so long to read */
  constructor(clock: Pick<Clock, "monotonic">, freshMs: (tookMs: number) => number) {
    this.#clock = clock;
    this.#freshMs = freshMs;
  }

  /**
   * Those who ask at once share one reading, and there is one at a time; one that fails is not kept.
   * @param mark grows with whatever happens: what was read at an earlier one is read again
   */
  async of(key: string, mark: number, read: () => Promise<T>): Promise<T> {
    for (;;) {
      const held = this.#held.get(key);
      if (held === undefined) break;
      if (held.mark >= mark && this.#clock.monotonic() < held.until) return await held.value;
      if (held.until !== Infinity) break;
      await held.value.catch(() => {}); // whoever asked for it sees it
    }
    const began = this.#clock.monotonic();
    const fresh: Held<T> = { until: Infinity, mark, value: read() };
    this.#held.set(key, fresh);
    try {
      const value = await fresh.value;
      const ended = this.#clock.monotonic();
      fresh.until = ended + this.#freshMs(ended - began);
      return value;
    } catch (thrown) {
      fresh.until = 0;
      throw thrown;
    }
  }
}

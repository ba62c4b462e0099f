/** Caches an answer until something happens that may have changed it, but only for a short time. */
import type { Clock } from "svc/platform/clock.ts";

interface CachedRead<T> {
  /** Monotonic ms; `Infinity` while it is being read. */
  until: number;
  readonly mark: number;
  readonly value: Promise<T>;
}

export class ReadCache<T> {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #freshMs: (tookMs: number) => number;
  readonly #held = new Map<string, CachedRead<T>>();

  /** @param freshMs how long an entry stays fresh, from how long reading it took */
  constructor(clock: Pick<Clock, "monotonic">, freshMs: (tookMs: number) => number) {
    this.#clock = clock;
    this.#freshMs = freshMs;
  }

  /** Drops what is not wanted any more, and what is too old; not what is being read. */
  keepOnly(wanted: (key: string) => boolean): void {
    const now = this.#clock.monotonic();
    for (const [key, { until }] of this.#held) {
      if (until !== Infinity && (until <= now || !wanted(key))) this.#held.delete(key);
    }
  }

  has(key: string): boolean {
    return this.#held.has(key);
  }

  /** Concurrent callers share a reading; one that fails is not kept. An entry with an older mark is read again. */
  async of(key: string, mark: number, read: () => Promise<T>): Promise<T> {
    for (;;) {
      const held = this.#held.get(key);
      if (held === undefined) break;
      if (held.mark >= mark && this.#clock.monotonic() < held.until) return await held.value;
      if (held.until !== Infinity) break;
      await held.value.catch(() => {}); // its own caller sees the error
    }
    const began = this.#clock.monotonic();
    const fresh: CachedRead<T> = { until: Infinity, mark, value: read() };
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

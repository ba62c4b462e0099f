/** A token bucket: limits how often something may happen per minute, and how often at once. */
import type { Clock } from "svc/platform/clock.ts";

export class Bucket {
  #tokens: number;
  #at: number;

  constructor(
    readonly clock: Pick<Clock, "monotonic">,
    readonly perMinute: number,
    readonly atOnce: number,
  ) {
    this.#tokens = atOnce;
    this.#at = clock.monotonic();
  }

  /** Undefined when it may happen now, else the seconds to wait. */
  take(): number | undefined {
    const now = this.clock.monotonic();
    const grown = (now - this.#at) * this.perMinute / 60_000;
    this.#tokens = Math.min(this.atOnce, this.#tokens + grown);
    this.#at = now;
    if (this.#tokens < 1) return Math.ceil((1 - this.#tokens) * 60 / this.perMinute);
    this.#tokens--;
    return undefined;
  }
}

/** Callers of the one connection to a file take turns at it, and leave the thread to others in between. */
import type { Clock } from "svc/platform/clock.ts";
import { afterTheRest } from "svc/platform/timers.ts";
import { Turns } from "./turns.ts";

/**
 * SQLite answers at once, so that a row of statements would go on without a pause until the last: answers to
 * monitors, heartbeats and timers waited for all of a page's. After so long they come first, within 0.1 ms.
 */
const THREAD_MS = 10;

/** Statements that are further apart than this do not count as a series. */
const APART_MS = 5;

export class FileTurns {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #turns = new Turns();
  #rowBegan = -Infinity;
  #turnEnded = -Infinity;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** @returns ends the turn */
  async take(): Promise<() => void> {
    const end = await this.#turns.take();
    const now = this.#clock.monotonic();
    if (now - this.#turnEnded > APART_MS) this.#rowBegan = now;
    else if (now - this.#rowBegan > THREAD_MS) {
      await afterTheRest();
      this.#rowBegan = this.#clock.monotonic();
    }
    return () => {
      this.#turnEnded = this.#clock.monotonic();
      end();
    };
  }
}

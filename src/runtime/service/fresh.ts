/** A fact that is read anew when it is too old or something happened; the last one stays while it cannot be read. */
import { Failure } from "svc/core/failure.ts";
import type { Clock } from "svc/platform/clock.ts";

export class Fresh<T> {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #keepMs: number;
  readonly #read: () => Promise<T>;
  #value: T | undefined;
  #fault: Failure | undefined;
  #readAt = -Infinity;
  #beganAt = 0;
  #reading: Promise<void> | undefined;

  constructor(clock: Pick<Clock, "monotonic">, keepMs: number, read: () => Promise<T>) {
    this.#clock = clock;
    this.#keepMs = keepMs;
    this.#read = read;
  }

  /** As last read; undefined before that. */
  get value(): T | undefined {
    return this.#value;
  }

  /** Why the last reading failed. */
  get fault(): Failure | undefined {
    return this.#fault;
  }

  /** It is being read now, by somebody who asked before. */
  get pending(): boolean {
    return this.#reading !== undefined;
  }

  /** Something happened: what is read from now on counts. */
  stale(): void {
    this.#readAt = -Infinity;
  }

  /**
   * Never throws; those who ask at once share one reading.
   * @param patienceMs a reading that goes on for longer already is not waited for
   */
  async refresh(patienceMs = Infinity): Promise<void> {
    if (this.#reading !== undefined) {
      if (this.#clock.monotonic() - this.#beganAt > patienceMs) return;
      await this.#reading;
    }
    // What happened while it was read may not be in it.
    if (this.#clock.monotonic() - this.#readAt < this.#keepMs) return;
    this.#reading ??= this.#again().finally(() => this.#reading = undefined);
    await this.#reading;
  }

  async #again(): Promise<void> {
    // Before it is read: what happens meanwhile makes it stale again.
    this.#readAt = this.#beganAt = this.#clock.monotonic();
    try {
      this.#value = await this.#read();
      this.#fault = undefined;
    } catch (thrown) {
      this.#fault = Failure.from(thrown);
    }
  }
}

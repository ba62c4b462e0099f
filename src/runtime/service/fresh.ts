/** A value that is read again when it is too old or marked stale; if a read fails, the last value stays. */
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

  get value(): T | undefined {
    return this.#value;
  }

  get fault(): Failure | undefined {
    return this.#fault;
  }

  get pending(): boolean {
    return this.#reading !== undefined;
  }

  /** Also false while the value is being read again. */
  get isFresh(): boolean {
    return this.#reading === undefined && this.#clock.monotonic() - this.#readAt < this.#keepMs;
  }

  stale(): void {
    this.#readAt = -Infinity;
  }

  /**
   * Never throws; simultaneous calls share one read.
   * @param patienceMs does not wait for a read that has gone on for longer
   */
  async refresh(patienceMs = Infinity): Promise<void> {
    if (this.#reading !== undefined) {
      if (this.#clock.monotonic() - this.#beganAt > patienceMs) return;
      await this.#reading;
    }
    // A read that had begun before may not contain the change that made the value stale.
    if (this.#clock.monotonic() - this.#readAt < this.#keepMs) return;
    this.#reading ??= this.#again().finally(() => this.#reading = undefined);
    await this.#reading;
  }

  async #again(): Promise<void> {
    // Set before the read, so that `stale` during it counts.
    this.#readAt = this.#beganAt = this.#clock.monotonic();
    try {
      this.#value = await this.#read();
      this.#fault = undefined;
    } catch (thrown) {
      this.#fault = Failure.from(thrown);
    }
  }
}

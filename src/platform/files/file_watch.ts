/** Tells whether a file that a process keeps open is still at its path: what is written to one that was removed is lost. */
import type { Clock } from "svc/platform/clock.ts";

/** Time between two looks. */
const LOOK_MS = 1_000;

/** Undefined where nothing is there, "" where that cannot be told. */
export function fileNumber(path: string): string | undefined {
  try {
    const { dev, ino } = Deno.statSync(path);
    return `${dev} ${ino}`;
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound ? undefined : "";
  }
}

export class FileWatch {
  readonly #file: string | undefined;
  #lookedAt: number;
  #missed = false;

  constructor(readonly path: string, readonly clock: Pick<Clock, "monotonic">) {
    this.#file = fileNumber(path);
    this.#lookedAt = clock.monotonic();
  }

  /** Until the same file is back. A disk may number its files anew: another number alone says nothing. */
  gone(): boolean {
    const now = this.clock.monotonic();
    if (this.#file === undefined || (!this.#missed && now - this.#lookedAt < LOOK_MS)) return false;
    this.#lookedAt = now;
    const found = fileNumber(this.path);
    this.#missed = found === undefined || this.#missed && found !== this.#file;
    return this.#missed;
  }
}

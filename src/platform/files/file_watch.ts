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

/** When it was made, epoch ms; undefined where the disk does not keep that. */
function birthOf(path: string): number | undefined {
  try {
    return Deno.statSync(path).birthtime?.getTime() || undefined;
  } catch {
    return undefined;
  }
}

export class FileWatch {
  readonly #file: string | undefined;
  readonly #birth: number | undefined;
  #lookedAt: number;
  #lost: "missing" | "replaced" | undefined;

  constructor(readonly path: string, readonly clock: Pick<Clock, "monotonic">) {
    this.#file = fileNumber(path);
    this.#birth = birthOf(path);
    this.#lookedAt = clock.monotonic();
  }

  /**
   * Until the same file is back. A disk may number its files anew, so another number alone says nothing: the file
   * was missing before, or another one was made at another time.
   */
  gone(): "missing" | "replaced" | undefined {
    const now = this.clock.monotonic();
    const isFresh = this.#lost === undefined && now - this.#lookedAt < LOOK_MS;
    if (this.#file === undefined || isFresh) return undefined;
    this.#lookedAt = now;
    this.#lost = this.#look();
    return this.#lost;
  }

  #look(): "missing" | "replaced" | undefined {
    const found = fileNumber(this.path);
    if (found === undefined) return "missing";
    if (found === this.#file) return undefined;
    if (this.#lost !== undefined) return this.#lost;
    const birth = found === "" ? undefined : birthOf(this.path);
    const isOther = birth !== undefined && this.#birth !== undefined && birth !== this.#birth;
    return isOther ? "replaced" : undefined;
  }
}

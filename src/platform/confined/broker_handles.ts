/** What a confined Worker holds open on the main thread: it knows each by a number and by nothing else. */
import { Failure } from "svc/core/failure.ts";

/** Folders and locks that one confined Worker may hold open at once; each costs a descriptor. */
const BROKER_HANDLES = 256;

/** All are let go of in the end. */
export class Handles<T extends Disposable> implements Disposable {
  readonly #things = new Map<number, T>();
  #last = 0;
  #open = true;

  add(thing: T): number {
    if (this.#open && this.#things.size < BROKER_HANDLES) {
      this.#things.set(++this.#last, thing);
      return this.#last;
    }
    thing[Symbol.dispose]();
    throw new Failure("too_busy", `Cannot hold more than ${BROKER_HANDLES} folders or locks`, {
      remedy: "Let go of some first",
    });
  }

  get(handle: unknown): T {
    const thing = this.#things.get(handle as number);
    if (thing !== undefined) return thing;
    throw new Failure("internal", "Cannot use a folder or lock that was let go of");
  }

  release(handle: unknown): void {
    const thing = this.#things.get(handle as number);
    this.#things.delete(handle as number);
    thing?.[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#open = false;
    for (const handle of [...this.#things.keys()]) this.release(handle);
  }
}

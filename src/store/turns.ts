/** Callers of one process wait for each other, in the order in which they asked. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Each of thousands that wait costs the same. @returns ends the turn */
  async take(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = promise;
    await before;
    return resolve;
  }
}

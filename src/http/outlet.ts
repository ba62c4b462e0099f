/** The body of an answer that goes on: what its reader has not taken yet is counted, and can be dropped. */

export class Outlet {
  readonly body: ReadableStream<Uint8Array>;
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  /** The reader asked while nothing was there. */
  #hungry = false;
  #controller!: ReadableStreamDefaultController<Uint8Array>;

  /** @param gone called when the reader went away */
  constructor(gone: () => void) {
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#give(),
      cancel: gone,
    }, { highWaterMark: 0 });
  }

  /** Bytes that the reader has still to take. */
  get waiting(): number {
    return this.#bytes;
  }

  send(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#bytes += bytes.byteLength;
    if (this.#hungry) this.#give();
  }

  /** Without what is still waiting. An error instead would be printed by the server. */
  end(): void {
    this.#waiting.length = 0;
    this.#bytes = 0;
    this.#controller.close();
  }

  #give(): void {
    const next = this.#waiting.shift();
    this.#hungry = next === undefined;
    if (next === undefined) return;
    this.#bytes -= next.byteLength;
    this.#controller.enqueue(next);
  }
}

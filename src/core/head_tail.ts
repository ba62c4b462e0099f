/** Keeps the first and the last bytes of a stream of any length, in bounded memory. */
import { joinBytes } from "./bytes.ts";

export interface Captured {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly totalBytes: number;
  readonly truncated: boolean;
}

const FIRST_BYTES = 4096;

/** Copies the bytes: a one-byte chunk may be a view of a large buffer, which it would keep in memory. */
export class HeadTail {
  readonly #limit: number;
  #head = new Uint8Array(0);
  #headBytes = 0;
  #ring = new Uint8Array(0);
  #ringBytes = 0;

  /** @param limit bytes kept of the head, and again of the tail; at least 1 */
  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`limit is ${limit}`);
    this.#limit = limit;
  }

  push(chunk: Uint8Array): void {
    const fits = Math.min(chunk.length, this.#limit - this.#headBytes);
    if (fits > 0) this.#growHead(chunk.subarray(0, fits));
    if (fits < chunk.length) this.#turnRing(chunk.subarray(fits));
  }

  capture(): Captured {
    const kept = Math.min(this.#ringBytes, this.#limit);
    const tail = new Uint8Array(kept);
    const start = this.#ringBytes > this.#limit ? this.#ringBytes % this.#limit : 0;
    const older = this.#ring.subarray(start, Math.max(start, kept));
    tail.set(older);
    tail.set(this.#ring.subarray(0, kept - older.length), older.length);
    return {
      head: this.#head.slice(0, this.#headBytes),
      tail,
      totalBytes: this.#headBytes + this.#ringBytes,
      truncated: this.#ringBytes > kept,
    };
  }

  #growHead(bytes: Uint8Array): void {
    const needed = this.#headBytes + bytes.length;
    if (needed > this.#head.length) {
      const room = Math.max(needed, this.#head.length * 2, FIRST_BYTES);
      const grown = new Uint8Array(Math.min(room, this.#limit));
      grown.set(this.#head.subarray(0, this.#headBytes));
      this.#head = grown;
    }
    this.#head.set(bytes, this.#headBytes);
    this.#headBytes = needed;
  }

  #turnRing(bytes: Uint8Array): void {
    if (this.#ring.length === 0) this.#ring = new Uint8Array(this.#limit);
    const skipped = Math.max(0, bytes.length - this.#limit);
    const last = bytes.subarray(skipped);
    const at = (this.#ringBytes + skipped) % this.#limit;
    const untilEnd = Math.min(last.length, this.#limit - at);
    this.#ring.set(last.subarray(0, untilEnd), at);
    this.#ring.set(last.subarray(untilEnd), 0);
    this.#ringBytes += bytes.length;
  }
}

export function capturedBytes(captured: Captured): Uint8Array {
  return joinBytes([captured.head, captured.tail]);
}

/** Invalid UTF-8 becomes U+FFFD; a line tells how many bytes were dropped. */
export function capturedText(captured: Captured): string {
  const decoder = new TextDecoder();
  if (!captured.truncated) return decoder.decode(capturedBytes(captured));
  const { head, tail, totalBytes } = captured;
  const dropped = totalBytes - head.length - tail.length;
  return `${decoder.decode(head)}\n[${dropped} bytes left out]\n${decoder.decode(tail)}`;
}

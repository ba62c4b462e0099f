/** Reads bodies within their bounds: of one, of all at a time, and of time. */
import { HTTP_BODY_MS } from "svc/core/bounds.ts";
import type { Clock } from "svc/platform/clock.ts";

/** Bytes that may be held at a time, all bodies together. */
export class BodyRoom {
  #free: number;

  constructor(bytes: number) {
    this.#free = bytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#free += bytes;
  }

  get freeBytes(): number {
    return this.#free;
  }
}

export type Refused = "too large" | "no room" | "too slow" | "broken off";

export interface BodyRead {
  readonly maxBytes: number;
  readonly room: BodyRoom;
  readonly clock: Pick<Clock, "sleep">;
  /** `HTTP_BODY_MS` unless said otherwise. */
  readonly deadlineMs?: number;
}

/** The room that the bytes take is given back when `use` is over; what was not read is dropped. */
export async function withBody<T>(
  stream: ReadableStream<Uint8Array> | null,
  { maxBytes, room, clock, deadlineMs = HTTP_BODY_MS }: BodyRead,
  use: (body: Uint8Array<ArrayBuffer> | Refused) => Promise<T>,
): Promise<T> {
  if (stream === null) return await use(new Uint8Array());
  const reader = stream.getReader();
  const ended = new AbortController();
  const late = clock.sleep(deadlineMs, ended.signal).then(() => "too slow" as const);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const read = async (): Promise<Uint8Array<ArrayBuffer> | Refused> => {
    for (;;) {
      const next = await Promise.race([reader.read(), late]).catch(() => "broken off" as const);
      if (typeof next === "string") return next;
      if (next.done) return joined(chunks, size);
      const { byteLength } = next.value;
      if (size + byteLength > maxBytes) return "too large";
      if (!room.take(byteLength)) return "no room";
      size += byteLength;
      chunks.push(next.value);
    }
  };
  try {
    const body = await read();
    ended.abort();
    // Whoever still sends is not listened to; that it has gone away is no fault of ours.
    if (typeof body === "string") reader.cancel().catch(() => {});
    return await use(body);
  } finally {
    ended.abort();
    room.giveBack(size);
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

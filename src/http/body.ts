/** Reads request bodies within bounds: bytes of one, bytes of all at a time, and time. */
import { HTTP_BODY_MS } from "svc/core/bounds.ts";
import { joinBytes } from "svc/core/bytes.ts";
import type { Clock } from "svc/platform/clock.ts";

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

export type BodyFault = "too large" | "no room" | "too slow" | "broken off";

interface BodyRead {
  readonly maxBytes: number;
  readonly room: BodyRoom;
  readonly clock: Pick<Clock, "sleep">;
  readonly deadlineMs?: number;
}

/** Gives the room back when `use` is over, and drops what was not read. */
export async function withBody<T>(
  stream: ReadableStream<Uint8Array> | null,
  { maxBytes, room, clock, deadlineMs = HTTP_BODY_MS }: BodyRead,
  use: (body: Uint8Array<ArrayBuffer> | BodyFault) => Promise<T>,
): Promise<T> {
  if (stream === null) return await use(new Uint8Array());
  const reader = stream.getReader();
  const ended = new AbortController();
  const late = clock.sleep(deadlineMs, ended.signal).then(() => "too slow" as const);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const read = async (): Promise<Uint8Array<ArrayBuffer> | BodyFault> => {
    for (;;) {
      const next = await Promise.race([reader.read(), late]).catch(() => "broken off" as const);
      if (typeof next === "string") return next;
      if (next.done) return joinBytes(chunks);
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
    // The client may still be sending, or be gone: neither is an error here.
    if (typeof body === "string") reader.cancel().catch(() => {});
    return await use(body);
  } finally {
    ended.abort();
    room.giveBack(size);
  }
}

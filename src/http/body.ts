/** Reads request bodies within bounds: bytes of one, bytes of all at a time, and time; who holds most gives way. */
import { HTTP_BODY_MS } from "svc/core/bounds.ts";
import { joinBytes } from "svc/core/bytes.ts";
import type { Clock } from "svc/platform/clock.ts";

/** A body that is being read, or in use. */
class HeldBody {
  bytes = 0;
  readonly #crowdedOut = Promise.withResolvers<"no room">();

  constructor(readonly connection: string) {}

  get crowdedOut(): Promise<"no room"> {
    return this.#crowdedOut.promise;
  }

  giveWay(): void {
    this.#crowdedOut.resolve("no room");
  }
}

/**
 * The bytes that all bodies may take. Where they run out, the connection that holds most of what is still
 * being read gives way, so that who sends slowly keeps out nobody who sends less (longest queue drop,
 * McKenney, "Stochastic fairness queueing", INFOCOM 1990).
 */
export class BodyRoom {
  #free: number;
  /** In the order in which they began. */
  readonly #reading = new Set<HeldBody>();

  constructor(bytes: number) {
    this.#free = bytes;
  }

  begin(connection: string): HeldBody {
    const body = new HeldBody(connection);
    this.#reading.add(body);
    return body;
  }

  take(body: HeldBody, bytes: number): boolean {
    while (bytes > this.#free) {
      const heaviest = this.#heaviest(body, bytes);
      if (heaviest === undefined) return false;
      this.#dismiss(heaviest);
    }
    this.#free -= bytes;
    body.bytes += bytes;
    return true;
  }

  /** What is in use stays. */
  wholeNow(body: HeldBody): void {
    this.#reading.delete(body);
  }

  end(body: HeldBody): void {
    this.#reading.delete(body);
    this.#free += body.bytes;
    body.bytes = 0;
  }

  /** Ends the body that has been read for longest. @returns whether there was one */
  makeWay(): boolean {
    const [oldest] = this.#reading;
    if (oldest !== undefined) this.#dismiss(oldest);
    return oldest !== undefined;
  }

  get freeBytes(): number {
    return this.#free;
  }

  #dismiss(body: HeldBody): void {
    this.end(body);
    body.giveWay();
  }

  /** Undefined where nobody holds more than who asks. */
  #heaviest(asking: HeldBody, bytes: number): HeldBody | undefined {
    const held = new Map<string, number>();
    for (const { connection, bytes } of this.#reading) {
      held.set(connection, (held.get(connection) ?? 0) + bytes);
    }
    // More than its own connection holds, which therefore is not found.
    let most = (held.get(asking.connection) ?? 0) + bytes;
    let found: string | undefined;
    for (const [connection, sum] of held) {
      if (sum >= most) [found, most] = [connection, sum];
    }
    const bodies = [...this.#reading].filter(({ connection }) => connection === found);
    return bodies.sort((a, b) => b.bytes - a.bytes)[0];
  }
}

export type BodyFault = "too large" | "no room" | "too slow" | "broken off";

interface BodyRead {
  readonly maxBytes: number;
  readonly room: BodyRoom;
  readonly clock: Pick<Clock, "sleep">;
  readonly deadlineMs?: number;
  /** Bodies of one connection count together. */
  readonly connection?: string;
}

/** Gives the room back when `use` is over, and drops what was not read. */
export async function withBody<T>(
  stream: ReadableStream<Uint8Array> | null,
  { maxBytes, room, clock, deadlineMs = HTTP_BODY_MS, connection = "" }: BodyRead,
  use: (body: Uint8Array<ArrayBuffer> | BodyFault) => Promise<T>,
): Promise<T> {
  if (stream === null) return await use(new Uint8Array());
  const reader = stream.getReader();
  const ended = new AbortController();
  const late = clock.sleep(deadlineMs, ended.signal).then(() => "too slow" as const);
  const held = room.begin(connection);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const read = async (): Promise<Uint8Array<ArrayBuffer> | BodyFault> => {
    for (;;) {
      const next = await Promise.race([held.crowdedOut, reader.read(), late]).catch(() =>
        "broken off" as const
      );
      if (typeof next === "string") return next;
      if (next.done) {
        room.wholeNow(held);
        return joinBytes(chunks);
      }
      const { byteLength } = next.value;
      if (size + byteLength > maxBytes) return "too large";
      if (!room.take(held, byteLength)) return "no room";
      size += byteLength;
      chunks.push(next.value);
    }
  };
  try {
    const body = await read();
    // The client may still be sending, or be gone: neither is an error here.
    if (typeof body === "string") reader.cancel().catch(() => {});
    return await use(body);
  } finally {
    ended.abort();
    room.end(held);
  }
}

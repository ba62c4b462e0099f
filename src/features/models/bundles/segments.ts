/** Cuts what is missing of a file into segments, fetches some at a time, and hands them on in their order. */

/** Bytes; with `CONNECTIONS` of them, what a download may hold in memory. */
export const SEGMENT_BYTES = 16 * 1024 * 1024;

/** Stores of large files serve one connection at a fraction of what a line can take. */
export const CONNECTIONS = 4;

export interface Segment {
  readonly from: number;
  /** First byte behind it. */
  readonly to: number;
}

export function segmentsOf(from: number, to: number, bytes: number): Segment[] {
  const segments: Segment[] = [];
  for (let at = from; at < to; at += bytes) {
    segments.push({ from: at, to: Math.min(to, at + bytes) });
  }
  return segments;
}

/** Received bytes of one segment that were not taken yet. */
class Arrivals {
  readonly #chunks: Uint8Array[] = [];
  #waiting = 0;
  #news = Promise.withResolvers<void>();
  #room = Promise.withResolvers<void>();
  #ended: { readonly fault?: unknown } | undefined;

  /** Settles when more may come: a disk may be slower than the network. */
  async push(chunk: Uint8Array): Promise<void> {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    this.#news.resolve();
    // A segment that waits for its turn fits; only the answer of a server without ranges does not.
    while (this.#waiting > SEGMENT_BYTES && this.#ended === undefined) {
      await this.#room.promise;
      this.#room = Promise.withResolvers<void>();
    }
  }

  end(fault?: unknown): void {
    this.#ended ??= fault === undefined ? {} : { fault };
    this.#news.resolve();
    this.#room.resolve();
  }

  async *taken(): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (let chunk = this.#chunks.shift(); chunk; chunk = this.#chunks.shift()) {
        yield chunk;
        this.#waiting -= chunk.length;
        this.#room.resolve();
      }
      if (this.#ended !== undefined) {
        if ("fault" in this.#ended) throw this.#ended.fault;
        return;
      }
      await this.#news.promise;
      this.#news = Promise.withResolvers<void>();
    }
  }
}

/**
 * Chunks of all segments in their order. `fetched` fetches one segment; those ahead of the first wait in memory.
 * @throws what `fetched` throws, after the others were aborted
 */
export async function* inOrder(
  segments: readonly Segment[],
  connections: number,
  fetched: (
    segment: Segment,
    push: (chunk: Uint8Array) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const stop = new AbortController();
  const begin = (segment: Segment) => {
    const arrivals = new Arrivals();
    const done = fetched(segment, (chunk) => arrivals.push(chunk), stop.signal)
      .then(() => arrivals.end(), (thrown) => arrivals.end(thrown));
    return { arrivals, done };
  };
  let next = 0;
  const running: ReturnType<typeof begin>[] = [];
  const fill = () => {
    while (running.length < connections && next < segments.length) {
      running.push(begin(segments[next++]!));
    }
  };
  try {
    for (fill(); running.length > 0; fill()) {
      yield* running[0]!.arrivals.taken();
      running.shift();
    }
  } finally {
    stop.abort();
    for (const { arrivals } of running) arrivals.end();
    await Promise.all(running.map(({ done }) => done));
  }
}

/** Output lines to a client that may read slowly or go away. */

export interface OutputQueue {
  send(message: unknown): void;
  /** Resolves once at most `maxUnread` bytes are unread. */
  room(): Promise<void>;
  flushed(): Promise<void>;
  /** Resolves with the cause when a write fails. */
  readonly gone: Promise<unknown>;
}

export function outputQueue(output: WritableStream<Uint8Array>, maxUnread: number): OutputQueue {
  const writer = output.getWriter();
  const encoder = new TextEncoder();
  const { promise: gone, resolve: leave } = Promise.withResolvers<unknown>();
  writer.closed.catch(leave);
  let unread = 0;
  let last: Promise<void> = Promise.resolve();
  return {
    gone,
    send(message) {
      const bytes = encoder.encode(`${JSON.stringify(message)}\n`);
      unread += bytes.length;
      last = writer.write(bytes).then(() => {
        unread -= bytes.length;
      }, leave);
    },
    async room() {
      if (unread > maxUnread) await Promise.race([last, gone]);
    },
    async flushed() {
      await last;
    },
  };
}

/** The event streams of all clients: each event goes to every stream, and a slow client delays no other. */
import {
  STREAM_BEHIND_BYTES,
  STREAM_KEEPALIVE_MS,
  STREAM_LOOK_MS,
  STREAM_REPLAY_BYTES,
  STREAM_REPLAY_EVENTS,
  STREAM_RETRY_MS,
  STREAMS,
  STREAMS_PER_SESSION,
} from "svc/core/bounds.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { EventFeed } from "svc/runtime/service/plan.ts";
import { type HttpAnswer, RawContent, tooMany } from "./answer.ts";
import { eventMessage, KEEPALIVE, retryMessage } from "./event_message.ts";
import type { LoginSession, Sessions } from "./sessions.ts";

interface StreamPorts {
  readonly feed: EventFeed;
  readonly sessions: Pick<Sessions, "onEnd" | "sweep">;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

class Outlet {
  readonly body: ReadableStream<Uint8Array>;
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  #hungry = false;
  #controller!: ReadableStreamDefaultController<Uint8Array>;

  constructor(gone: () => void) {
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#give(),
      cancel: gone,
    }, { highWaterMark: 0 });
  }

  get waiting(): number {
    return this.#bytes;
  }

  send(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#bytes += bytes.byteLength;
    if (this.#hungry) this.#give();
  }

  /** An error instead would be printed by the server. */
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

interface ClientStream {
  readonly session: LoginSession;
  readonly outlet: Outlet;
  /** Bytes that may wait for the client. */
  readonly room: number;
  sent: number;
  /** Monotonic ms. */
  toldAt: number;
  forget(): void;
}

interface Replay {
  readonly messages: readonly Uint8Array[];
  readonly bytes: number;
  readonly sent: number;
}

/** Compressed or buffered by a proxy, events would arrive late and in bursts. */
const STREAMED = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };

function streamed(body: ReadableStream<Uint8Array>): HttpAnswer {
  return { status: 200, body: new RawContent("text/event-stream", body), headers: STREAMED };
}

const RETRY_SECS = STREAM_RETRY_MS / 1000;

export class EventStreams {
  readonly #open = new Set<ClientStream>();
  /** Includes streams still being opened. */
  readonly #perSession = new Map<LoginSession, number>();
  #count = 0;
  #unsubscribe: (() => void) | undefined;
  #tending = new AbortController();

  constructor(readonly ports: StreamPorts) {}

  get size(): number {
    return this.#open.size;
  }

  /** @param after id of the last event that the client saw */
  async open(session: LoginSession, after: number | undefined): Promise<HttpAnswer> {
    const full = this.#full(session);
    if (full !== undefined) return full;
    this.#count++;
    this.#perSession.set(session, (this.#perSession.get(session) ?? 0) + 1);
    try {
      const replay = await this.#replay(after);
      return streamed(this.#begin(session, replay));
    } catch (thrown) {
      this.#giveBack(session);
      throw thrown;
    }
  }

  /** What `open` would answer, without a stream. */
  head(session: LoginSession): HttpAnswer {
    const ended = new ReadableStream({ start: (controller) => controller.close() });
    return this.#full(session) ?? streamed(ended);
  }

  #full(session: LoginSession): HttpAnswer | undefined {
    const own = this.#perSession.get(session) ?? 0;
    const room = this.#count < STREAMS && own < STREAMS_PER_SESSION;
    return room ? undefined : tooMany("event streams", RETRY_SECS);
  }

  close(): void {
    for (const stream of this.#open) this.#cut(stream);
  }

  async #replay(after: number | undefined): Promise<Replay> {
    const { feed } = this.ports;
    // An id from the future belongs to another database.
    const known = after !== undefined && after <= feed.last ? after : undefined;
    const events = await feed.after(known ?? 0, STREAM_REPLAY_EVENTS);
    let sent = events.at(-1)?.id ?? known ?? 0;
    // Adds events stored meanwhile; after the last check nothing is awaited until the stream is open.
    while (sent < feed.last) {
      const more = await feed.after(sent, STREAM_REPLAY_EVENTS);
      if (more.length === 0) break;
      events.push(...more);
      sent = more.at(-1)!.id;
    }
    const messages: Uint8Array[] = [];
    let bytes = 0;
    for (const event of events.slice(-STREAM_REPLAY_EVENTS).reverse()) {
      const message = eventMessage(event);
      bytes += message.byteLength;
      if (bytes > STREAM_REPLAY_BYTES) break;
      messages.unshift(message);
    }
    return { messages, bytes: Math.min(bytes, STREAM_REPLAY_BYTES), sent };
  }

  #begin(session: LoginSession, { messages, bytes, sent }: Replay): ReadableStream<Uint8Array> {
    const stream: ClientStream = {
      session,
      sent,
      room: STREAM_BEHIND_BYTES + bytes,
      outlet: new Outlet(() => this.#drop(stream)),
      toldAt: this.ports.clock.monotonic(),
      forget: () => {},
    };
    for (const message of [KEEPALIVE, retryMessage(STREAM_RETRY_MS), ...messages]) {
      stream.outlet.send(message);
    }
    this.#open.add(stream);
    this.#tend();
    stream.forget = this.ports.sessions.onEnd(session, () => this.#cut(stream));
    return stream.outlet.body;
  }

  #tend(): void {
    if (this.#unsubscribe !== undefined) return;
    this.#unsubscribe = this.ports.feed.subscribe((event) => {
      const message = eventMessage(event);
      for (const stream of this.#open) {
        if (event.id <= stream.sent) continue;
        stream.sent = event.id;
        this.#send(stream, message);
      }
    });
    this.#tending = new AbortController();
    this.#keepAlive(this.#tending.signal);
  }

  async #keepAlive(ended: AbortSignal): Promise<void> {
    const { clock, sessions } = this.ports;
    for (;;) {
      await clock.sleep(STREAM_LOOK_MS, ended);
      if (ended.aborted) return;
      sessions.sweep();
      const now = clock.monotonic();
      for (const stream of this.#open) {
        if (now - stream.toldAt >= STREAM_KEEPALIVE_MS) this.#send(stream, KEEPALIVE);
      }
    }
  }

  #send(stream: ClientStream, message: Uint8Array): void {
    stream.outlet.send(message);
    stream.toldAt = this.ports.clock.monotonic();
    if (stream.outlet.waiting > stream.room) this.#cut(stream);
  }

  #cut(stream: ClientStream): void {
    this.#drop(stream);
    stream.outlet.end();
  }

  #drop(stream: ClientStream): void {
    if (!this.#open.delete(stream)) return;
    stream.forget();
    this.#giveBack(stream.session);
    if (this.#open.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#tending.abort();
  }

  #giveBack(session: LoginSession): void {
    this.#count--;
    const rest = this.#perSession.get(session)! - 1;
    if (rest === 0) this.#perSession.delete(session);
    else this.#perSession.set(session, rest);
  }
}

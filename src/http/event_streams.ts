/** The event streams of all clients: what is told once goes to each, and none can hold up another. */
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
import { type Answer, Content, tooMany } from "./answer.ts";
import { eventMessage, KEEPALIVE, retryMessage } from "./event_message.ts";
import { Outlet } from "./outlet.ts";
import type { Session, Sessions } from "./sessions.ts";

export interface StreamPorts {
  readonly feed: EventFeed;
  readonly sessions: Pick<Sessions, "onEnd" | "sweep">;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

interface Stream {
  readonly session: Session;
  readonly outlet: Outlet;
  /** Bytes that may wait for the client to take them. */
  readonly room: number;
  /** Id of the newest event that was sent. */
  sent: number;
  /** When something was last sent, monotonic ms. */
  toldAt: number;
  forget(): void;
}

interface Replay {
  readonly messages: readonly Uint8Array[];
  readonly bytes: number;
  readonly sent: number;
}

/** Packed on the way, events would arrive in heaps; nginx holds them back unless it is told. */
const STREAMED = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };

const RETRY_SECS = STREAM_RETRY_MS / 1000;

export class EventStreams {
  readonly #open = new Set<Stream>();
  /** Streams of each session, those that only begin too. */
  readonly #places = new Map<Session, number>();
  #taken = 0;
  #unsubscribe: (() => void) | undefined;
  #tending = new AbortController();

  constructor(readonly ports: StreamPorts) {}

  /** How many there are now. */
  get size(): number {
    return this.#open.size;
  }

  /** @param after the last event that the client has seen; it gets what came since, or what is recent */
  async open(session: Session, after: number | undefined): Promise<Answer> {
    const own = this.#places.get(session) ?? 0;
    if (this.#taken >= STREAMS || own >= STREAMS_PER_SESSION) {
      return tooMany("event streams", RETRY_SECS);
    }
    this.#taken++;
    this.#places.set(session, own + 1);
    try {
      const replay = await this.#replay(after);
      return {
        status: 200,
        body: new Content("text/event-stream", this.#begin(session, replay)),
        headers: STREAMED,
      };
    } catch (thrown) {
      this.#giveBack(session);
      throw thrown;
    }
  }

  /** Cuts them all. */
  close(): void {
    for (const stream of this.#open) this.#cut(stream);
  }

  async #replay(after: number | undefined): Promise<Replay> {
    const { feed } = this.ports;
    // An id from the future is of another database.
    const known = after !== undefined && after <= feed.last ? after : undefined;
    const events = await feed.after(known ?? 0, STREAM_REPLAY_EVENTS);
    let sent = events.at(-1)?.id ?? known ?? 0;
    // What came while that was read; from here on nothing is awaited until the stream is open.
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

  #begin(session: Session, { messages, bytes, sent }: Replay): ReadableStream<Uint8Array> {
    const stream: Stream = {
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

  /** Listens and looks while there are streams. */
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
    this.#look(this.#tending.signal);
  }

  async #look(ended: AbortSignal): Promise<void> {
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

  #send(stream: Stream, message: Uint8Array): void {
    stream.outlet.send(message);
    stream.toldAt = this.ports.clock.monotonic();
    if (stream.outlet.waiting > stream.room) this.#cut(stream);
  }

  #cut(stream: Stream): void {
    this.#drop(stream);
    stream.outlet.end();
  }

  #drop(stream: Stream): void {
    if (!this.#open.delete(stream)) return;
    stream.forget();
    this.#giveBack(stream.session);
    if (this.#open.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#tending.abort();
  }

  #giveBack(session: Session): void {
    this.#taken--;
    const rest = this.#places.get(session)! - 1;
    if (rest === 0) this.#places.delete(session);
    else this.#places.set(session, rest);
  }
}

/**
 * Passes on stored events in order, each once: this process's own at once, those of other processes within a
 * second.
 */
import { Failure } from "svc/core/failure.ts";
import { WakeUp } from "svc/features/jobs/wake_up.ts";
import { EVENT_WRITERS_MS, EventReader } from "svc/features/telemetry/event_reader.ts";
import { type Event, newestAfter } from "svc/features/telemetry/event_store.ts";
import type { LoopPorts } from "svc/runtime/ports.ts";
import { serverOf } from "svc/store/server_adapter.ts";
import type { EventFeed } from "./plan.ts";

/** Time between two looks for events of other processes; own events send a wake-up. */
const FEED_POLL_MS = 1_000;

export const FEED_BATCH = 200;
const FEED_EARLIER = 1_000;

/** How often the last pass looks again for what other processes are storing. */
const CLOSING_LOOKS = 50;

type FeedPorts = Omit<LoopPorts, "signal">;

export class StoredFeed implements EventFeed {
  readonly #ports: FeedPorts;
  readonly #pollMs: number;
  readonly #listeners = new Set<(event: Event) => void>();
  readonly #wakeUp = new WakeUp();
  readonly #closing = new AbortController();
  #reader: EventReader | undefined;
  #failing = false;
  #running: Promise<void> | undefined;

  constructor(ports: FeedPorts, pollMs = FEED_POLL_MS) {
    this.#ports = ports;
    this.#pollMs = pollMs;
  }

  get last(): number {
    return this.#reader?.last ?? 0;
  }

  /** Passes on what is stored after this resolves, even if the database does not answer now. */
  async begin(): Promise<void> {
    await this.#pass();
    this.#running ??= this.#run();
  }

  wake(): void {
    this.#wakeUp.send();
  }

  subscribe(listener: (event: Event) => void): () => void {
    // A new function, since one listener may subscribe twice.
    const told = (event: Event) => listener(event);
    this.#listeners.add(told);
    return () => void this.#listeners.delete(told);
  }

  async after(id: number, limit: number): Promise<Event[]> {
    // The feed passes on events that are stored later, possibly after an earlier one that is still missing.
    const until = serverOf(this.#ports.db) === undefined ? undefined : this.last;
    return await newestAfter(this.#ports.db, id, Math.min(limit, FEED_EARLIER), until);
  }

  /** Resolves when the last event is told. Never throws. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    await this.#pass();
    for (let looks = 0; this.#reader?.waits && looks < CLOSING_LOOKS; looks++) {
      await this.#ports.clock.sleep(EVENT_WRITERS_MS);
      await this.#pass();
    }
    this.#listeners.clear();
  }

  async #run(): Promise<void> {
    const { clock } = this.#ports;
    const { signal } = this.#closing;
    let seen = this.#wakeUp.count;
    while (!signal.aborted) {
      const ms = this.#reader?.waits ? EVENT_WRITERS_MS : this.#pollMs;
      await this.#wakeUp.wait(seen, clock, ms, signal);
      seen = this.#wakeUp.count;
      if (!signal.aborted) await this.#pass();
    }
  }

  async #pass(): Promise<void> {
    const { db, log, clock } = this.#ports;
    try {
      this.#reader ??= await EventReader.open(db, clock);
      for (let full = true; full;) {
        const read = await this.#reader.next(FEED_BATCH);
        for (const event of read.events) this.#tell(event);
        full = read.full;
      }
      this.#failing = false;
    } catch (thrown) {
      if (this.#failing) return;
      this.#failing = true;
      const failure = Failure.from(thrown);
      const cause = failure.cause ?? thrown;
      log.write("warn", `events could not be read: ${failure.message}`, { cause });
    }
  }

  #tell(event: Event): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (cause) {
        this.#ports.log.write("error", "a listener of events failed", { cause });
      }
    }
  }
}

/** Tells stored events in their order, each once: at once those of this process, others' within a second. */
import { Failure } from "svc/core/failure.ts";
import { JobBell } from "svc/features/jobs/job_bell.ts";
import {
  type Event,
  eventsAfter,
  lastEventId,
  newestAfter,
} from "svc/features/telemetry/event_store.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { EventFeed } from "./plan.ts";

/** Events of other processes are looked for this often; those of this process ring a bell. */
const FEED_POLL_MS = 1_000;

/** Events that are read at a time, and that one question for earlier ones gets at most. */
export const FEED_BATCH = 200;
const FEED_EARLIER = 1_000;

type Ports = Pick<RuntimePorts, "clock" | "db" | "log">;

/** Ids grow in the order of commits, since SQLite has one writer at a time: none turns up below the last. */
export class StoredFeed implements EventFeed {
  readonly #ports: Ports;
  readonly #pollMs: number;
  readonly #listeners = new Set<(event: Event) => void>();
  readonly #bell = new JobBell();
  readonly #closing = new AbortController();
  #last: number | undefined;
  #failing = false;
  #running: Promise<void> | undefined;

  constructor(ports: Ports, pollMs = FEED_POLL_MS) {
    this.#ports = ports;
    this.#pollMs = pollMs;
  }

  /** 0 before the database has answered for the first time. */
  get last(): number {
    return this.#last ?? 0;
  }

  /** What is stored from now on is told; resolves when that is sure, or the database does not answer. */
  async begin(): Promise<void> {
    await this.#pass();
    this.#running ??= this.#run();
  }

  /** There may be one. */
  ring(): void {
    this.#bell.ring();
  }

  subscribe(listener: (event: Event) => void): () => void {
    // Of its own: one function may subscribe twice.
    const told = (event: Event) => listener(event);
    this.#listeners.add(told);
    return () => void this.#listeners.delete(told);
  }

  async after(id: number, limit: number): Promise<Event[]> {
    return await newestAfter(this.#ports.db, id, Math.min(limit, FEED_EARLIER));
  }

  /** Resolves when the last event was told. Never throws. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    await this.#pass();
    this.#listeners.clear();
  }

  async #run(): Promise<void> {
    const { clock } = this.#ports;
    const { signal } = this.#closing;
    let heard = this.#bell.rings;
    while (!signal.aborted) {
      await this.#bell.wait(heard, clock, this.#pollMs, signal);
      heard = this.#bell.rings;
      if (!signal.aborted) await this.#pass();
    }
  }

  /** All there are; a database that does not answer is asked again at the next pass. */
  async #pass(): Promise<void> {
    const { db, log } = this.#ports;
    try {
      if (this.#last === undefined) this.#last = await lastEventId(db);
      for (;;) {
        const batch = await eventsAfter(db, this.#last, FEED_BATCH);
        for (const event of batch) this.#tell(event);
        if (batch.length < FEED_BATCH) break;
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
    this.#last = event.id;
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (cause) {
        // One who breaks the rule must not keep the event from the others.
        this.#ports.log.write("error", "a listener of events failed", { cause });
      }
    }
  }
}

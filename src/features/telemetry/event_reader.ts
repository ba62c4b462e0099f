/** Reads stored events in the order of their ids, each once, although several may write at once. */
import type { Clock } from "svc/platform/clock.ts";
import type { Db } from "svc/store/schema.ts";
import { serverOf } from "svc/store/server_adapter.ts";
import { type Event, eventsAfter, eventWriters, lastEventId } from "./event_store.ts";

/** Between two looks whether somebody who writes has ended; most need some milliseconds. */
export const EVENT_WRITERS_MS = 20;

export interface EventGap {
  /** The last id that was there when ids before it were missing. */
  readonly until: number;
  /** Who may have been given the missing ids. */
  readonly writers: readonly string[];
}

/** On a server, after rows up to `until` were read: who is not among the writers had ended before. */
export async function eventGap(db: Db, until: number): Promise<EventGap> {
  return { until, writers: await eventWriters(db) };
}

export async function mayBeFilled(db: Db, { writers }: EventGap): Promise<boolean> {
  if (writers.length === 0) return false;
  const now = new Set(await eventWriters(db));
  return writers.some((writer) => now.has(writer));
}

interface ReadEvents {
  readonly events: readonly Event[];
  /** As many as were asked for. */
  readonly full: boolean;
}

/**
 * On a file ids grow in the order of commits. On a server a later id may be stored first: what lies behind a
 * missing id waits until all who could still store it have ended. Each of them had to show itself before
 * its id was given.
 */
export class EventReader {
  readonly #db: Db;
  #last: number;
  /** No id up to here is stored any more. */
  #settled: number;
  #gap: EventGap | undefined;

  private constructor(db: Db, last: number) {
    this.#db = db;
    this.#last = this.#settled = last;
  }

  /** Behind all events that are stored when this is called. */
  static async open(db: Db, clock: Pick<Clock, "sleep">): Promise<EventReader> {
    const last = await lastEventId(db);
    if (serverOf(db) === undefined) return new EventReader(db, last);
    for (let writers = await eventWriters(db); writers.length > 0;) {
      await clock.sleep(EVENT_WRITERS_MS);
      const now = new Set(await eventWriters(db));
      writers = writers.filter((writer) => now.has(writer));
    }
    return new EventReader(db, last);
  }

  /** The id that was read last. */
  get last(): number {
    return this.#last;
  }

  /** More is stored, and waits for somebody who still writes. */
  get waits(): boolean {
    return this.#gap !== undefined;
  }

  async next(limit: number): Promise<ReadEvents> {
    for (;;) {
      if (this.#gap !== undefined && !await mayBeFilled(this.#db, this.#gap)) {
        this.#settled = Math.max(this.#settled, this.#gap.until);
        this.#gap = undefined;
      }
      const rows = await eventsAfter(this.#db, this.#last, limit);
      const sure = serverOf(this.#db) === undefined ? rows.length : this.#sure(rows);
      if (sure < rows.length && this.#gap === undefined) {
        this.#gap = await eventGap(this.#db, rows.at(-1)!.id);
        if (this.#gap.writers.length === 0) continue;
      }
      const events = rows.slice(0, sure);
      this.#last = events.at(-1)?.id ?? this.#last;
      return { events, full: sure === limit };
    }
  }

  /** How many of the rows have no id missing before them. */
  #sure(rows: readonly Event[]): number {
    let before = this.#last;
    for (const [at, { id }] of rows.entries()) {
      if (id !== before + 1 && id - 1 > this.#settled) return at;
      before = id;
    }
    return rows.length;
  }
}

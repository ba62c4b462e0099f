/** Notices events that may have changed what pages show of a repo; turns of jobs are read separately. */
import { type EventGap, eventGap, mayBeFilled } from "svc/features/telemetry/event_reader.ts";
import { lastEventId } from "svc/features/telemetry/event_store.ts";
import { type EventGroup, eventGroups } from "svc/features/telemetry/event_views.ts";
import type { EventType } from "svc/features/telemetry/event_table.ts";
import type { Db } from "svc/store/schema.ts";
import { serverOf } from "svc/store/server_adapter.ts";

const CHANGES: readonly EventType[] = [
  "decision",
  "job_update",
  "scan_complete",
  "status_change",
  "ticket_update",
  "trust_change",
];

const keyOf = ({ type, repo_id }: EventGroup) => `${type} ${repo_id}`;

/**
 * What happens in one repo makes nobody read the files of all others again. On a server an event may be
 * stored after one with a later id: events are counted from behind the last id before which none can be missing.
 */
export class NewestChange {
  readonly #db: Db;
  #settled: number | undefined;
  /** Events behind the settled id, by type and repo. */
  #counted = new Map<string, number>();
  #gap: EventGap | undefined;
  /** Who stored events when the first look began: theirs may lie before what it settled. */
  #first: EventGap | undefined;
  #ofAll = 0;
  readonly #ofRepo = new Map<string, number>();
  #look: Promise<void> = Promise.resolve();
  #nextLook: Promise<void> | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /** A number that has grown if something changed that was stored before this call. */
  async of(repoId: string): Promise<number> {
    // A look that has begun may be too early for this caller; whoever waits for it shares the next.
    this.#nextLook ??= this.#look.catch(() => {}).then(() => {
      this.#nextLook = undefined;
      return this.#look = this.#settled === undefined ? this.#begin() : this.#again(this.#settled);
    });
    await this.#nextLook;
    return this.#ofAll + (this.#ofRepo.get(repoId) ?? 0);
  }

  async #begin(): Promise<void> {
    const last = await lastEventId(this.#db);
    if (serverOf(this.#db) !== undefined) this.#first = await eventGap(this.#db, last);
    this.#settled = last;
  }

  async #again(after: number): Promise<void> {
    const db = this.#db;
    if (this.#first !== undefined) {
      if (!await mayBeFilled(db, this.#first)) this.#first = undefined;
      this.#ofAll++;
    }
    // Asked before the events are read, which then have all that was to be stored before the gap's end.
    const closed = this.#gap !== undefined && !await mayBeFilled(db, this.#gap);
    const until = this.#gap?.until ?? after;
    const groups = await eventGroups(db, { after, until });
    for (const group of groups) {
      if (group.count !== this.#counted.get(keyOf(group))) this.#note(group);
    }
    if (closed) this.#gap = undefined;
    this.#settled = closed ? until : after;
    this.#counted = new Map(
      groups.map((group) => [keyOf(group), closed ? group.later : group.count]),
    );
    if (this.#gap === undefined) await this.#settle(groups);
  }

  #note({ repo_id, type }: EventGroup): void {
    if (!CHANGES.includes(type)) return;
    if (repo_id === null) this.#ofAll++;
    else this.#ofRepo.set(repo_id, (this.#ofRepo.get(repo_id) ?? 0) + 1);
  }

  /** All that is there is settled where no id is missing; on a file none is stored later. */
  async #settle(groups: readonly EventGroup[]): Promise<void> {
    const last = Math.max(this.#settled!, ...groups.map(({ newest }) => newest));
    const count = [...this.#counted.values()].reduce((sum, of) => sum + of, 0);
    if (serverOf(this.#db) !== undefined && count < last - this.#settled!) {
      this.#gap = await eventGap(this.#db, last);
      return;
    }
    this.#settled = last;
    this.#counted.clear();
  }
}

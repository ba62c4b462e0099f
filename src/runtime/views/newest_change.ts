/** The newest event that may have changed what pages show of a repo; turns of jobs are read separately. */
import { lastEventId } from "svc/features/telemetry/event_store.ts";
import { newestOfRepos } from "svc/features/telemetry/event_views.ts";
import type { EventType } from "svc/features/telemetry/event_table.ts";
import type { Db } from "svc/store/schema.ts";

const CHANGES: readonly EventType[] = [
  "decision",
  "job_update",
  "scan_complete",
  "status_change",
  "ticket_update",
  "trust_change",
];

/** What happens in one repo makes nobody read the files of all others again. */
export class NewestChange {
  readonly #db: Db;
  /** Newest event that was looked at. */
  #seen: number | undefined;
  /** Newest event that is about no repo, or was there before the first look. */
  #ofAll = 0;
  readonly #ofRepo = new Map<string, number>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Id of the event; of one repo it never falls. */
  async of(repoId: string): Promise<number> {
    if (this.#seen === undefined) {
      const last = await lastEventId(this.#db);
      this.#seen ??= this.#ofAll = last;
    }
    for (const { repo_id, type, id } of await newestOfRepos(this.#db, this.#seen)) {
      this.#seen = Math.max(this.#seen, id);
      if (!CHANGES.includes(type)) continue;
      if (repo_id === null) this.#ofAll = Math.max(this.#ofAll, id);
      else this.#ofRepo.set(repo_id, Math.max(this.#ofRepo.get(repo_id) ?? 0, id));
    }
    return Math.max(this.#ofAll, this.#ofRepo.get(repoId) ?? 0);
  }
}

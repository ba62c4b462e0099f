/** What retention removed, or would remove, and what it kept although it is old. */

export type RetainedWhat =
  | "job files"
  | "leftover refs"
  | "refs put aside"
  | "loose objects"
  | "job records"
  | "command logs"
  | "caches"
  | "unfinished files";

export interface RetentionGroup {
  readonly what: RetainedWhat;
  readonly because: "age" | "size";
  /** Jobs, or files where it is not of jobs. */
  readonly count: number;
  /** Bytes of the removed files; the room of removed records stays in the database, which reuses it. */
  readonly bytes: number;
}

export class RetentionTally {
  readonly #groups = new Map<string, RetentionGroup>();
  readonly problems: string[] = [];

  add(what: RetainedWhat, because: RetentionGroup["because"], count: number, bytes: number): void {
    if (count === 0) return;
    const key = `${what} ${because}`;
    const old = this.#groups.get(key) ?? { what, because, count: 0, bytes: 0 };
    this.#groups.set(key, { ...old, count: old.count + count, bytes: old.bytes + bytes });
  }

  get groups(): readonly RetentionGroup[] {
    return [...this.#groups.values()];
  }
}

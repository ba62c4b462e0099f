/** What a commit of svc changes. */
import type { Person } from "./person.ts";

export interface FileChange {
  readonly path: string;
  readonly bytes: Uint8Array | null;
  readonly executable?: boolean;
  /** SHA-256 (hex) in the work tree now, null for no file; anything else is a conflict. */
  readonly before: string | null;
  /** Renamed to this one; its own removal is a later change of the list. */
  readonly from?: string;
}

export interface CommitPlan {
  readonly doing: string;
  readonly changes: readonly FileChange[];
  readonly message: string;
  /** The user, as git knows them, by default. */
  readonly author?: Person;
}

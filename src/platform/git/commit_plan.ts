/** What a commit of svc is to change: the plan that the caller makes and the steps that carry it out. */
import type { Person } from "./person.ts";

/** What a path is to hold after the commit, in the work tree and in git alike. */
export interface FileChange {
  readonly path: string;
  /** Null removes the file. */
  readonly bytes: Uint8Array | null;
  readonly executable?: boolean;
  /** SHA-256 (hex) of what the work tree holds now, null for no file; anything else is a conflict. */
  readonly before: string | null;
  /** The file that is renamed to this one; its own removal is a later change of the list. */
  readonly from?: string;
}

export interface CommitPlan {
  /** Completes "Cannot … ", such as "move T-0007". */
  readonly doing: string;
  readonly changes: readonly FileChange[];
  readonly message: string;
  /** The user, as git knows them, unless said otherwise. */
  readonly author?: Person;
}

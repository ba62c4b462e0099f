/** Work trees of svc's own beside a user's checkout, and what happens to their branches. */
import type { Place } from "./hardening.ts";

export interface WorktreePlan {
  /** Completes "Cannot … ". */
  readonly doing: string;
  /** Absolute; below `~/.svc/worktrees`. */
  readonly path: string;
  /** Such as `svc/T-0007-reject-empty-names`; made at `start` when it does not exist. */
  readonly branch: string;
  readonly start: string;
}

export interface Worktree {
  readonly path: string;
  readonly branch: string | undefined;
  readonly head: string;
  /** Its folder is gone, or git says it may be pruned. */
  readonly stale: boolean;
}

export type MergeOutcome =
  | { readonly kind: "merged"; readonly commit: string }
  /** The target has all of it already. */
  | { readonly kind: "nothing" }
  | { readonly kind: "conflict"; readonly paths: readonly string[] }
  /** The target branch is checked out, and these paths have changes that nobody committed. */
  | { readonly kind: "dirty"; readonly paths: readonly string[] };

export interface MergePlan {
  readonly doing: string;
  readonly into: string;
  readonly from: string;
  readonly message: string;
}

/** The caller holds the repo's lock for every verb that changes something. No hook, filter or driver runs. */
export interface Worktrees {
  /**
   * Idempotent: an existing work tree of that path and branch is used as it is.
   * @throws Failure `refused` for submodules and for files that go through a filter (LFS), `conflict`
   *   when the branch is checked out elsewhere or the path is something else
   */
  add(repo: Place, plan: WorktreePlan): Promise<Worktree>;
  list(repo: Place): Promise<readonly Worktree[]>;
  /**
   * Removes one below `~/.svc/worktrees`; never the branch.
   * @throws Failure `conflict` when it has changes that are not committed, unless `discard`
   */
  remove(repo: Place, path: string, options?: { readonly discard?: boolean }): Promise<void>;
  /**
   * Moves one to another path below `~/.svc/worktrees`, with all that is not committed. False when it is
   * not whole, and then it stays where it is.
   * @throws Failure when something lies at `to`
   */
  move(repo: Place, from: string, to: string): Promise<boolean>;
  /** Deletes a `svc/…` branch whose commits are all in `into`. False when they are not. */
  deleteMerged(repo: Place, branch: string, into: string): Promise<boolean>;
  /** Computes the merge first and changes nothing when it conflicts; a kill leaves all of it or nothing. */
  merge(repo: Place, plan: MergePlan): Promise<MergeOutcome>;
  /** The newest commit of a branch; undefined when there is no such branch. */
  tip(repo: Place, branch: string): Promise<string | undefined>;
  /** True when merging would change nothing: `into` got the changes another way, such as by a squash. */
  addsNothing(repo: Place, from: string, into: string): Promise<boolean>;
  ahead(repo: Place, from: string, into: string): Promise<readonly string[]>;
  /** The patch of `from` against its merge base with `into`, for reviews and for saving work. */
  patch(repo: Place, from: string, into: string): Promise<string>;
}

/** Loads the implementation when a verb is first called, since few commands need it. */
export function lazyWorktrees(load: () => Promise<Worktrees>): Worktrees {
  return {
    add: async (...args) => await (await load()).add(...args),
    list: async (...args) => await (await load()).list(...args),
    remove: async (...args) => await (await load()).remove(...args),
    move: async (...args) => await (await load()).move(...args),
    deleteMerged: async (...args) => await (await load()).deleteMerged(...args),
    merge: async (...args) => await (await load()).merge(...args),
    tip: async (...args) => await (await load()).tip(...args),
    addsNothing: async (...args) => await (await load()).addsNothing(...args),
    ahead: async (...args) => await (await load()).ahead(...args),
    patch: async (...args) => await (await load()).patch(...args),
  };
}

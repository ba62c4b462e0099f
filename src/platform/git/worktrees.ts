/** Work trees of svc's own beside a user's checkout, and what happens to their branches. */
import type { GitLocation } from "./hardening.ts";
import type { KeepPlan, Leftovers } from "./leftovers.ts";

export interface WorktreePlan {
  readonly doing: string;
  /** Absolute; below `~/.svc/worktrees`. */
  readonly path: string;
  /** Undefined: none, for commands that look at the commit `start`. */
  readonly branch: string | undefined;
  /** Where a new branch begins. */
  readonly start: string;
  /** Nothing of the pool: a new one holds what is committed, and nothing else. */
  readonly bare?: true;
}

export interface Worktree {
  readonly path: string;
  readonly branch: string | undefined;
  readonly head: string;
  readonly stale: boolean;
}

export interface WorktreeMark {
  /** The job that works in it, or did last. */
  readonly holder: string;
  /** Key of the set-up that ran in it. */
  readonly setup: string | undefined;
}

export interface WorktreeReuse {
  readonly doing: string;
  readonly path: string;
  readonly branch: string;
  /** The job that takes it. */
  readonly holder: string;
}

/** Why svc makes no work trees of a repo, and what a person does about it. */
export interface TreeObstacle {
  /** A clause, such as `its submodule "lib" lacks the commit 1a2b3c`. */
  readonly why: string;
  readonly remedy: string;
}

export interface TreeHolding {
  readonly path: string;
  /** Who wants it: a job, or what is done to the tree. */
  readonly job: string;
  /** A job that is known to have ended: its process may be suspended, and does not count. */
  readonly from?: string;
}

export type HeldTree =
  | { readonly lock: Disposable }
  /** Somebody works in it. `who` is a process; `job` may be one of another database. */
  | { readonly job: string | undefined; readonly who: string };

export interface Branch {
  readonly name: string;
  readonly tip: string;
}

export type MergeOutcome =
  | { readonly kind: "merged"; readonly commit: string }
  | { readonly kind: "nothing" }
  | { readonly kind: "conflict"; readonly paths: readonly string[] }
  /** The target is checked out, and nobody committed these. */
  | { readonly kind: "dirty"; readonly paths: readonly string[] }
  | UnprovenMerge;

/** Nothing is in the way of the merge except that its files are not the ones that were checked. */
export interface UnprovenMerge {
  readonly kind: "unproven";
  /** The commits that would be its parents. */
  readonly into: string;
  readonly from: string;
  /** Names the files that it comes to; two merges of one name differ in `beside` alone. */
  readonly files: string;
}

/** The files that a merge may come to. */
export interface ProvenFiles {
  /** A folder that says nothing about the rest, such as that of svc's own notes. */
  readonly beside: string;
  /** Its files are proven. */
  readonly commit?: string | undefined;
  /** Names of files, as an `UnprovenMerge` gives them. */
  readonly named: readonly string[];
}

export interface MergePlan {
  readonly doing: string;
  readonly into: string;
  readonly from: string;
  readonly message: string;
  /** A merge that comes to other files does not land. */
  readonly proven?: ProvenFiles;
}

/** A pull request that somebody merged on its host, and the host's branch as it was fetched. */
export interface PulledMerge {
  readonly doing: string;
  /** The host's branch. */
  readonly tip: string;
  /** The branch of this name here. */
  readonly into: string;
  /** The commit that was approved and handed in. */
  readonly merged: string;
  /** What it became there, as the host says. */
  readonly mergedAs?: string | undefined;
  /** Whether `origin` is that host's repo: the ref that tells what it has then moves on, as by `git fetch`. */
  readonly isOrigin: boolean;
  /** Message of a commit which says that the host's branch has `merged`. */
  readonly message: string;
}

/** The caller holds the repo's lock for every change. No hook, filter or driver runs. */
export interface Worktrees {
  /** What keeps svc from making work trees of what is checked out. Nothing is written. */
  obstacles(repo: GitLocation): Promise<readonly TreeObstacle[]>;
  /** What differs inside the submodules of one of its work trees: svc commits none of it. */
  submoduleChanges(repo: GitLocation, path: string): Promise<readonly string[]>;
  /** Uses an existing one of that path and branch. Submodules have what the checkout has of them. A new one gets what a
   * set-up in the pool made, and then that one's path, which some tools have written into it.
   * @throws Failure `refused` as `obstacles`, `conflict` when the branch is checked out elsewhere or the path is something else */
  add(repo: GitLocation, plan: WorktreePlan): Promise<Worktree>;
  list(repo: GitLocation): Promise<readonly Worktree[]>;
  /** Never the branch. @throws Failure `conflict` for uncommitted changes, unless `discard` */
  remove(repo: GitLocation, path: string, options?: { readonly discard?: boolean }): Promise<void>;
  /** As `remove` with `discard`; what its set-up made goes into the pool, if nobody changed it since. */
  retire(repo: GitLocation, path: string): Promise<void>;
  /** Drops what has been in the pool for so long. */
  trimPool(keepMs: number): Promise<void>;
  /** Held by one job at a time, until it is disposed or its process dies. */
  hold(repo: GitLocation, holding: TreeHolding): Promise<HeldTree>;
  /** Gives a whole one to another job, with every file as its branch says. What its set-up put into ignored
   * folders stays, unless somebody changed it. False for one that cannot be used again: it stays as it is */
  reuse(repo: GitLocation, plan: WorktreeReuse): Promise<boolean>;
  /** By the tree's name where nobody noted more. */
  mark(repo: GitLocation, path: string): Promise<WorktreeMark>;
  /** Notes that the set-up ran, and what it left. @param key says which set-up */
  setUp(repo: GitLocation, path: string, key: string): Promise<void>;
  /** With all that is not committed. False for one that is not whole, which stays.
   * @throws Failure when something lies at `to` */
  move(repo: GitLocation, from: string, to: string): Promise<boolean>;
  /** Commits all that is not committed in a tree to a ref below `refs/svc/leftovers/`, and leaves the tree as it is.
   * Undefined where there is nothing, and for a half-made tree */
  keep(repo: GitLocation, plan: KeepPlan): Promise<Leftovers | undefined>;
  /** What was kept of a branch that ended at this commit then; newest first. */
  leftovers(
    repo: GitLocation,
    at: { readonly branch: string; readonly base: string },
  ): Promise<readonly Leftovers[]>;
  /** Jobs of which something is kept so. */
  jobsWithLeftovers(repo: GitLocation): Promise<readonly string[]>;
  /** @returns how many refs are gone */
  dropLeftovers(repo: GitLocation, jobs: readonly string[]): Promise<number>;
  /** Every file as its last commit says, and no other that git does not ignore. @param spared stay as they are */
  putBack(repo: GitLocation, path: string, spared: readonly string[]): Promise<void>;
  /** Takes the last commit back and leaves what it changed in the tree. False where that is not `commit` any more. */
  uncommit(repo: GitLocation, path: string, commit: string): Promise<boolean>;
  /** Those named `svc/…`. */
  branches(repo: GitLocation): Promise<readonly Branch[]>;
  /** A `svc/…` branch whose commits are all in `into`, or that ends at a commit that was merged another way,
   * such as by a squash; false for others. */
  deleteMerged(repo: GitLocation, branch: string, into: string, merged?: string): Promise<boolean>;
  /** Changes nothing when it conflicts; a kill leaves all of it or nothing. */
  merge(repo: GitLocation, plan: MergePlan): Promise<MergeOutcome>;
  /** The commit that a merge would land, on no branch; undefined where it conflicts. */
  mergeCommit(repo: GitLocation, plan: MergePlan): Promise<string | undefined>;
  /**
   * What to merge for such a pull request: a commit that has `merged` among its parents. It is the tip, or after a
   * squash or a rebase a commit of the same files on top of both; the same tip gives the same one. A merge of it
   * compares with where the work began, so that what only this clone has changed since stays.
   * @returns undefined where the branch here has that tip already
   * @throws Failure `environment` that waits, where the tip lacks `mergedAs`
   */
  pulled(repo: GitLocation, plan: PulledMerge): Promise<string | undefined>;
  tip(repo: GitLocation, branch: string): Promise<string | undefined>;
  /** `into` may have got the changes another way, such as by a squash. */
  addsNothing(repo: GitLocation, from: string, into: string): Promise<boolean>;
  ahead(repo: GitLocation, from: string, into: string): Promise<readonly string[]>;
  /** Against the merge base with `into`. */
  patch(repo: GitLocation, from: string, into: string): Promise<string>;
}

export function lazyWorktrees(load: () => Promise<Worktrees>): Worktrees {
  return {
    add: async (...args) => await (await load()).add(...args),
    obstacles: async (...args) => await (await load()).obstacles(...args),
    submoduleChanges: async (...args) => await (await load()).submoduleChanges(...args),
    list: async (...args) => await (await load()).list(...args),
    remove: async (...args) => await (await load()).remove(...args),
    retire: async (...args) => await (await load()).retire(...args),
    trimPool: async (...args) => await (await load()).trimPool(...args),
    hold: async (...args) => await (await load()).hold(...args),
    reuse: async (...args) => await (await load()).reuse(...args),
    mark: async (...args) => await (await load()).mark(...args),
    setUp: async (...args) => await (await load()).setUp(...args),
    move: async (...args) => await (await load()).move(...args),
    keep: async (...args) => await (await load()).keep(...args),
    leftovers: async (...args) => await (await load()).leftovers(...args),
    jobsWithLeftovers: async (...args) => await (await load()).jobsWithLeftovers(...args),
    dropLeftovers: async (...args) => await (await load()).dropLeftovers(...args),
    putBack: async (...args) => await (await load()).putBack(...args),
    uncommit: async (...args) => await (await load()).uncommit(...args),
    branches: async (...args) => await (await load()).branches(...args),
    deleteMerged: async (...args) => await (await load()).deleteMerged(...args),
    merge: async (...args) => await (await load()).merge(...args),
    mergeCommit: async (...args) => await (await load()).mergeCommit(...args),
    pulled: async (...args) => await (await load()).pulled(...args),
    tip: async (...args) => await (await load()).tip(...args),
    addsNothing: async (...args) => await (await load()).addsNothing(...args),
    ahead: async (...args) => await (await load()).ahead(...args),
    patch: async (...args) => await (await load()).patch(...args),
  };
}

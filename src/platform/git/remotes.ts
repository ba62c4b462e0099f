/** Repos that are registered by a URL: their clones on this machine, and what goes to and comes from the remote. */
import type { GitLocation } from "./hardening.ts";

export interface RemoteRepo {
  readonly id: string;
  /** As `gitUrl` gives it. */
  readonly url: string;
  /** The registered one, which takes the work. */
  readonly branch: string;
}

/** Where a `svc/…` branch of the clone stands to the remote's, as the last fetch saw it. */
export type BranchStanding = "absent" | "ahead" | "behind" | "diverged" | "same" | "unknown";

export interface Withdrawal {
  /** A `svc/…` branch. */
  readonly name: string;
  /** A commit of it that was merged another way, such as by a squash. */
  readonly merged?: string;
}

export interface Withdrawn {
  readonly name: string;
  /** Why the remote has it still; undefined where it is gone. */
  readonly why: string | undefined;
}

/** What a clone alone had of a branch. */
export interface Aside {
  readonly ref: string;
  readonly branch: string;
  readonly commit: string;
  /** When the commit was made; epoch ms. */
  readonly made_at: number;
}

export interface Remotes {
  /** What the remote calls its main branch, or the one that is named. @throws Failure `environment` where it is
   * away, asks for a login, or has no such branch */
  branchOf(url: string, named?: string): Promise<string>;
  /** Makes the clone where there is none; one that was interrupted is begun again. @returns its root */
  clone(remote: RemoteRepo): Promise<string>;
  /** Brings `refs/remotes/origin/` up to date: the registered branch and those named `svc/…`.
   * @returns the tip of the registered one @throws Failure `environment` that `waits` */
  fetch(repo: GitLocation, remote: RemoteRepo): Promise<string>;
  /** The branch is checked out and at this commit, with every file as it says; call it with the repo's lock. */
  reset(repo: GitLocation, at: { readonly branch: string; readonly commit: string }): Promise<void>;
  /** Pushes the registered branch as it is in the clone. `expected` is the remote's tip, which the commit must follow.
   * @returns false where the remote's tip is another by now @throws Failure that `waits` */
  land(repo: GitLocation, remote: RemoteRepo, expected: string): Promise<boolean>;
  /** Pushes a `svc/…` branch, if the remote lacks some of it. @throws Failure `conflict` where it has other commits,
   * `environment` that `waits` */
  hand(repo: GitLocation, remote: RemoteRepo, branch: string): Promise<void>;
  standing(repo: GitLocation, branch: string): Promise<BranchStanding>;
  /** The remote's tip of a `svc/…` branch, as the last fetch saw it. */
  tipThere(repo: GitLocation, branch: string): Promise<string | undefined>;
  /** The clone's `svc/…` branch becomes the remote's; what the clone alone had is kept below `refs/svc/aside/`.
   * No work tree may have it checked out. */
  adopt(repo: GitLocation, branch: string): Promise<void>;
  /** `svc/…` branches of the clone that the remote lacks, or that have commits which it lacks. */
  unpushed(repo: GitLocation): Promise<readonly string[]>;
  hasCommit(repo: GitLocation, commit: string): Promise<boolean>;
  /** Names of `svc/…` branches that the remote has, as the last fetch saw it. */
  handed(repo: GitLocation): Promise<readonly string[]>;
  /** Removes branches from the remote whose commits its registered branch has, or that end at `merged`; by expected
   * value, so that one with new commits stays. @throws Failure `environment` that `waits` */
  withdraw(
    repo: GitLocation,
    remote: RemoteRepo,
    branches: readonly Withdrawal[],
  ): Promise<readonly Withdrawn[]>;
  asides(repo: GitLocation): Promise<readonly Aside[]>;
  dropAsides(repo: GitLocation, asides: readonly Aside[]): Promise<void>;
  /**
   * Packs the clone again if it has many loose objects. @returns bytes that this freed; undefined where nothing
   * was done
   */
  pack(repo: GitLocation): Promise<number | undefined>;
}

export function lazyRemotes(load: () => Promise<Remotes>): Remotes {
  return {
    branchOf: async (...args) => await (await load()).branchOf(...args),
    clone: async (...args) => await (await load()).clone(...args),
    fetch: async (...args) => await (await load()).fetch(...args),
    reset: async (...args) => await (await load()).reset(...args),
    land: async (...args) => await (await load()).land(...args),
    hand: async (...args) => await (await load()).hand(...args),
    standing: async (...args) => await (await load()).standing(...args),
    tipThere: async (...args) => await (await load()).tipThere(...args),
    adopt: async (...args) => await (await load()).adopt(...args),
    unpushed: async (...args) => await (await load()).unpushed(...args),
    hasCommit: async (...args) => await (await load()).hasCommit(...args),
    handed: async (...args) => await (await load()).handed(...args),
    withdraw: async (...args) => await (await load()).withdraw(...args),
    asides: async (...args) => await (await load()).asides(...args),
    dropAsides: async (...args) => await (await load()).dropAsides(...args),
    pack: async (...args) => await (await load()).pack(...args),
  };
}

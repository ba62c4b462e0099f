/** A git work tree, open: its history, its files, and what it takes to change it. */
import { READ_FOLDERS } from "svc/core/repo_path.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { OpenFolder } from "svc/platform/files/folder.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import type { Commits } from "./commit.ts";
import type { Git, GitRepo } from "./git.ts";
import { refuseLeftOut } from "./index_flags.ts";
import type { LockRepo, RepoLock } from "./repo_lock.ts";

export interface Checkout extends Disposable {
  readonly root: string;
  readonly git: GitRepo;
  readonly folder: OpenFolder;
  readonly readTree: ReadTree;
  readonly files: Files;
  readonly clock: Clock;
  readonly commits: Commits;
  readonly signal: AbortSignal;
  /** Asked anew; undefined when HEAD is on none. */
  branch(): Promise<string | undefined>;
  /** The repo's one lock, held until it is disposed. @throws Failure as `LockRepo` */
  lock(doing: string, signal?: AbortSignal): Promise<RepoLock>;
  /** Holds the lock while `work` runs; what a killed run left is finished first. */
  locked<T>(doing: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface CheckoutPorts extends Pick<Checkout, "readTree" | "files" | "clock" | "commits"> {
  readonly git: Git;
  folder(root: string): Promise<OpenFolder>;
  readonly lockRepo: LockRepo;
}

/** Disposing it lets go of the folder. @throws Failure as `Git.open` and `refuseLeftOut` */
export async function openCheckout(
  ports: CheckoutPorts & Pick<Checkout, "signal">,
  path: string,
): Promise<Checkout> {
  const { readTree, files, clock, commits, signal } = ports;
  const git = await ports.git.open(path, { signal });
  await refuseLeftOut(git, READ_FOLDERS);
  const folder = await ports.folder(git.root);
  const lock: Checkout["lock"] = (doing, until = signal) =>
    ports.lockRepo(git, { doing, clock, signal: until });
  return {
    root: git.root,
    git,
    folder,
    readTree,
    files,
    clock,
    commits,
    signal,
    branch: () => git.branchNow(),
    lock,
    async locked(doing, work, until) {
      using _lock = await lock(doing, until);
      await commits.recover(git, folder);
      return await work();
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

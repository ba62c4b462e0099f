/** What the ticket work needs of its surroundings, for one repo. */
import type { Clock } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Folder, OpenFolder } from "svc/platform/files/folder.ts";
import type { Commits } from "svc/platform/git/commit.ts";
import type { Git, GitRepo } from "svc/platform/git/git.ts";
import type { LockRepo } from "svc/platform/git/repo_lock.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";

/** Enough to look at tickets. */
export interface Shelf {
  readonly repo: GitRepo;
  readonly folder: Folder;
  readonly readTree: ReadTree;
  readonly signal: AbortSignal;
}

/** Enough to write them. */
export interface Desk extends Shelf {
  readonly files: Pick<Files, "readText" | "stat" | "writeAtomic">;
  readonly clock: Clock;
  readonly commits: Commits;
  readonly lockRepo: LockRepo;
}

interface Ports {
  readonly git: Git;
  folder(root: string): Promise<OpenFolder>;
  readonly readTree: ReadTree;
  readonly signal: AbortSignal;
}

/** The shelf of the repo that `path` is in; disposing it lets go of the folder. */
export async function openShelf(ports: Ports, path: string): Promise<Shelf & Disposable> {
  const { readTree, signal } = ports;
  const repo = await ports.git.open(path, { signal });
  const folder = await ports.folder(repo.root);
  return { repo, folder, readTree, signal, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

export async function openDesk(
  ports: Ports & Pick<Desk, "files" | "clock" | "commits" | "lockRepo">,
  path: string,
): Promise<Desk & Disposable> {
  const { files, clock, commits, lockRepo } = ports;
  return { ...await openShelf(ports, path), files, clock, commits, lockRepo };
}

/** Holds the repo's lock while `work` runs; what a killed run left is finished first. */
export async function locked<T>(desk: Desk, doing: string, work: () => Promise<T>): Promise<T> {
  const { clock, signal, repo, commits, folder } = desk;
  using _lock = await desk.lockRepo(repo, { doing, clock, signal });
  await commits.recover(repo, folder);
  return await work();
}

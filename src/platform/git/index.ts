/** Updates the user's own index: only the files that svc has committed. */
import { shellWord } from "svc/core/shell_word.ts";
import { REPO_LOCK_POLL_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { gitPath } from "svc/core/git_args.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Clock } from "svc/platform/clock.ts";
import { writeAll } from "svc/platform/files/disk.ts";
import { attempt, osFailure } from "svc/platform/files/os_errors.ts";
import type { JournalEntry } from "./commit_journal.ts";
import { gitIn, type GitRunner } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import type { IndexFlag } from "./index_flags.ts";

/** How long a commit waits until another git process releases the index. */
const GIT_INDEX_WAIT_MS = 5_000;

/** Input of `update-index -z --index-info`; an entry is `mode SP oid`, or "" where the file is gone.
 * @param like an id of the repo, which takes no id of another length */
export function indexInfo(
  changes: readonly { readonly path: string; readonly entry: string }[],
  like: string,
): Uint8Array {
  // Mode 0 removes; the id may then be any.
  const absent = `0 ${"0".repeat(like.length)}`;
  const items = changes.map(({ path, entry }) => `${entry || absent}\t${gitPath(path)}\0`);
  return new TextEncoder().encode(items.join(""));
}

const lockOf = ({ gitDir }: GitLocation) => `${gitDir}/index.lock`;

/** Tells svc's lock from another program's. */
const LOCK_TEXT =
  "svc finishes a commit; the next svc command in this repo does, should this one have died\n";

function present<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}

const isOwnLock = (place: GitLocation) =>
  present(() => Deno.readTextFileSync(lockOf(place))) === LOCK_TEXT;

/**
 * While it is locked, and after a kill until svc has finished, git's own commands do not write the index. Takes over the lock
 * of a killed svc: the caller holds the repo's lock. @throws Failure `conflict` where another program holds it
 */
export async function lockIndex(place: GitLocation, clock: Clock, doing: string): Promise<void> {
  const path = lockOf(place);
  const deadline = clock.monotonic() + GIT_INDEX_WAIT_MS;
  for (;;) {
    try {
      return await makeLock(path);
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.AlreadyExists)) throw osFailure("write", path, thrown);
    }
    if (isOwnLock(place)) return;
    if (clock.monotonic() >= deadline) {
      throw new Failure("conflict", `Cannot ${doing}: another git process holds ${quoted(path)}`, {
        remedy: `Wait for it; where none runs, a dead one left it: rm ${shellWord(path)}`,
        waits: true,
      });
    }
    await clock.sleep(REPO_LOCK_POLL_MS);
  }
}

/** A lock without its text, such as on a full disk, would be nobody's, and hold up git and svc until a person removes it. */
async function makeLock(path: string): Promise<void> {
  using file = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
  try {
    await writeAll(file, new TextEncoder().encode(LOCK_TEXT));
  } catch (thrown) {
    Deno.removeSync(path);
    throw thrown;
  }
}

/** Leaves another program's lock alone. */
export function unlockIndex(place: GitLocation): void {
  if (isOwnLock(place)) Deno.removeSync(lockOf(place));
}

const nextIndex = ({ gitDir }: GitLocation) => `${gitDir}/svc-next-index`;

/** Also one that a killed run left: whoever holds the repo's lock may. */
export function dropNextIndex(place: GitLocation): void {
  for (const path of [nextIndex(place), `${nextIndex(place)}.lock`]) {
    present(() => Deno.removeSync(path));
  }
}

/** Its time stays the same: git finds by it which files may have changed in the moment of the last look. */
async function copyIndex(place: GitLocation): Promise<void> {
  const info = present(() => Deno.statSync(`${place.gitDir}/index`));
  if (info === undefined) return;
  const next = nextIndex(place);
  await attempt("write", next, () => Deno.copyFile(`${place.gitDir}/index`, next));
  const time = info.mtime ?? new Date(0);
  Deno.utimeSync(next, time, time);
}

function withFlag(entries: readonly JournalEntry[], flag: IndexFlag): Uint8Array | undefined {
  const paths = entries.filter(({ entry, flags }) => entry !== "" && flags?.includes(flag));
  if (paths.length === 0) return undefined;
  return new TextEncoder().encode(paths.map(({ path }) => `${gitPath(path)}\0`).join(""));
}

/** Made beside the old index, whose place it takes by `takeNextIndex`. The caller holds the index's lock over both. */
export async function makeNextIndex(
  runner: GitRunner,
  place: GitLocation,
  entries: readonly JournalEntry[],
  like: string,
): Promise<void> {
  const doing = `update the index of ${quoted(place.root)}`;
  dropNextIndex(place);
  await copyIndex(place);
  const git = gitIn(runner, { ...place, index: nextIndex(place) });
  const stdin = indexInfo(entries, like);
  await git({ doing, args: ["update-index", "-z", "--index-info"], stdin });
  for (const flag of ["skip-worktree", "assume-unchanged"] as const) {
    const flagged = withFlag(entries, flag);
    if (flagged === undefined) continue;
    await git({ doing, args: ["update-index", `--${flag}`, "-z", "--stdin"], stdin: flagged });
  }
}

export function takeNextIndex(place: GitLocation): void {
  Deno.renameSync(nextIndex(place), `${place.gitDir}/index`);
}

/** Updates the user's own index: only the files that svc has committed. */
import { REPO_LOCK_POLL_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { gitPath } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { JournalEntry } from "./commit_journal.ts";
import type { CallGit } from "./call.ts";
import type { GitLocation } from "./hardening.ts";

/** How long a commit waits until another git process releases the index. */
const GIT_INDEX_WAIT_MS = 5_000;

/** Input of `update-index -z --index-info`; an entry is `mode SP oid`, or "" where the file is gone. */
export function indexInfo(
  changes: readonly { readonly path: string }[],
  entries: readonly string[],
): Uint8Array {
  // Mode 0 removes; the id may then be any of the right length, and git takes both lengths.
  const absent = `0 ${"0".repeat(entries.find((entry) => entry !== "")?.slice(7).length ?? 40)}`;
  const items = changes.map(({ path }, at) => `${entries[at] || absent}\t${gitPath(path)}\0`);
  return new TextEncoder().encode(items.join(""));
}

const lockOf = ({ gitDir }: GitLocation) => `${gitDir}/index.lock`;

function busy(place: GitLocation, doing: string): Failure {
  const path = quoted(lockOf(place));
  return new Failure("conflict", `Cannot ${doing}: another git process holds ${path}`, {
    remedy: `Wait for it; where none runs, a dead one left it: rm ${path}`,
    waits: true,
  });
}

export async function waitForIndex(place: GitLocation, clock: Clock, doing: string): Promise<void> {
  const deadline = clock.monotonic() + GIT_INDEX_WAIT_MS;
  while (await Deno.lstat(lockOf(place)).then(() => true, () => false)) {
    if (clock.monotonic() >= deadline) throw busy(place, doing);
    await clock.sleep(REPO_LOCK_POLL_MS);
  }
}

/** @throws Failure `conflict` */
export async function refreshIndex(
  git: CallGit,
  place: GitLocation,
  clock: Clock,
  entries: readonly JournalEntry[],
): Promise<void> {
  const doing = `update the index of ${quoted(place.root)}`;
  const deadline = clock.monotonic() + GIT_INDEX_WAIT_MS;
  const stdin = indexInfo(entries, entries.map(({ entry }) => entry));
  for (;;) {
    const { code, stderr } = await git({
      doing,
      args: ["update-index", "-z", "--index-info"],
      stdin,
      answers: [0, 128],
    });
    if (code === 0) return;
    const why = capturedText(stderr);
    if (!/index\.lock/.test(why)) {
      throw new Failure("environment", `Cannot ${doing}`, { cause: new Error(why) });
    }
    if (clock.monotonic() >= deadline) throw busy(place, doing);
    await clock.sleep(REPO_LOCK_POLL_MS);
  }
}

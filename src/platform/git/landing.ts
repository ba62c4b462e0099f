/** Lands a finished commit on the checked-out branch: journal and next index, HEAD, index, work tree, in this order,
 * while git's own commands may not write the index: nobody commits, by `git commit --all`, the files as they were. */
import { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import { together } from "svc/core/together.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { type CallGit, gitIn, type GitRunner, shown } from "./call.ts";
import {
  applyChanges,
  dropJournal,
  hasJournal,
  type Journal,
  type JournalEntry,
  writeJournal,
} from "./commit_journal.ts";
import type { FileChange } from "./commit_plan.ts";
import type { GitLocation } from "./hardening.ts";
import { askedTip } from "./head.ts";
import { dropNextIndex, lockIndex, makeNextIndex, takeNextIndex, unlockIndex } from "./index.ts";
import { applyMerged, type ReadMerged, withMergedFiles } from "./merged_files.ts";

interface LandingPorts {
  readonly runner: GitRunner;
  readonly files: Pick<Files, "writeAtomic" | "remove" | "stat">;
  readonly clock: Clock;
}

interface RefMove {
  readonly doing: string;
  readonly note: string;
  /** The ref must still be there; undefined before the first commit. */
  readonly parent: string | undefined;
  readonly commit: string;
}

interface Landing extends Omit<RefMove, "commit">, Pick<Journal, "entries"> {
  /** The id of the tree that the commit will have. */
  readonly tree: string;
  /** Called once nothing is in the way: what is tried again and again must not fill the repo with commits. */
  make(): Promise<string>;
}

/** @throws Failure `conflict` when the ref is no longer at `parent` */
export async function moveRef(
  git: CallGit,
  { doing, note, parent, commit }: RefMove,
  ref: string,
): Promise<void> {
  const { code, stderr } = await git({
    doing,
    args: ["update-ref", "-m", note, ref, commit, parent ?? "0".repeat(commit.length)],
    answers: [0, 1, 128],
  });
  if (code === 0) return;
  const why = capturedText(stderr);
  const lost = /but expected|already exists|is missing|unable to resolve/i.test(why);
  throw new Failure(
    "conflict",
    lost || /File exists/.test(why)
      ? `Cannot ${doing}: another commit came first`
      : `Cannot ${doing}: git does not move ${ref}: ${shown(why.split("\n", 1)[0]!)}`,
    { cause: new Error(why), remedy: "Run the command again", waits: true },
  );
}

const holdsContent = (entry: JournalEntry): entry is JournalEntry & FileChange =>
  entry.bytes !== undefined;

/** Once the next index is made. */
async function finish(
  { files }: Pick<LandingPorts, "files">,
  place: GitLocation,
  folder: Folder,
  entries: readonly JournalEntry[],
  read: ReadMerged,
): Promise<readonly string[]> {
  takeNextIndex(place);
  const kept = await applyChanges(folder, entries.filter(holdsContent));
  for (const entry of entries) {
    if (entry.bytes !== undefined || entry.indexOnly) continue;
    if (!await applyMerged(folder, entry, read)) kept.push(entry.path);
  }
  await dropJournal(files, place);
  unlockIndex(place);
  return kept;
}

/** Index and files come to what the commit that is checked out says. @returns paths that were edited meanwhile, and stay so */
export async function finishLanding(
  ports: LandingPorts,
  place: GitLocation,
  folder: Folder,
  { commit, entries }: Journal,
): Promise<readonly string[]> {
  const doing = `finish a commit in ${quoted(place.root)}`;
  await lockIndex(place, ports.clock, doing);
  try {
    await writeJournal(ports.files, place, { commit, entries });
  } catch (thrown) {
    // Without any journal no later command would finish it, and git would be locked out until a person acts.
    if (!await hasJournal(ports.files, place)) unlockIndex(place);
    throw thrown;
  }
  return await withMergedFiles(
    ports.runner,
    place,
    { doing, tree: commit, entries },
    async (read) => {
      await makeNextIndex(ports.runner, place, entries, commit);
      return await finish(ports, place, folder, entries, read);
    },
  );
}

/** Moves HEAD by name, to land on what is checked out at that very moment, or nowhere. @returns the commit */
export async function landCommit(
  ports: LandingPorts,
  place: GitLocation,
  folder: Folder,
  landing: Landing,
): Promise<string> {
  const { runner, clock } = ports;
  return await withMergedFiles(runner, place, landing, async (read) => {
    await lockIndex(place, clock, landing.doing);
    const commit = await moveHead(ports, place, landing);
    await finish(ports, place, folder, landing.entries, read);
    return commit;
  });
}

/** Makes the next index, too, which nobody sees before HEAD has moved. Gives the index free where it has not. */
async function moveHead(
  { runner, files }: LandingPorts,
  place: GitLocation,
  { doing, note, parent, tree, entries, make }: Landing,
): Promise<string> {
  const git = gitIn(runner, place);
  const journaled = async () => {
    const made = await make();
    await writeJournal(files, place, { commit: made, entries });
    return made;
  };
  let commit: string | undefined;
  try {
    [commit] = await together(journaled(), makeNextIndex(runner, place, entries, tree));
    await moveRef(git, { doing, note, parent, commit }, "HEAD");
    return commit;
  } catch (thrown) {
    if (commit === undefined || await askedTip(git, doing) !== commit) {
      dropNextIndex(place);
      await dropJournal(files, place);
      unlockIndex(place);
    }
    throw thrown;
  }
}

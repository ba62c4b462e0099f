/** The journal of a commit: what is still to be done to index and work tree, should the run be killed. */
import { shellWord } from "svc/core/shell_word.ts";
import { COMMIT_JOURNAL_BYTES, FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import { folderOf } from "svc/core/path_parts.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { FileContent, Folder } from "svc/platform/files/folder.ts";
import type { FileChange } from "./commit_plan.ts";
import type { GitLocation } from "./hardening.ts";
import type { IndexFlag } from "./index_flags.ts";

export interface JournalEntry extends Omit<FileChange, "bytes"> {
  /** Null removes the file. Absent for a merge: git has the content. */
  readonly bytes?: Uint8Array | null;
  readonly entry: string;
  /** What the index said of the file, and says again afterwards. */
  readonly flags?: readonly IndexFlag[];
  /** The checkout leaves the file out: only the index learns of it. */
  readonly indexOnly?: boolean;
}

export interface Journal {
  readonly commit: string;
  readonly entries: readonly JournalEntry[];
}

interface StoredJournal {
  readonly version: 1;
  readonly commit: string;
  readonly entries: readonly (Omit<JournalEntry, "bytes"> & { readonly bytes?: string | null })[];
}

/** A linked work tree has a HEAD and an index of its own. */
const pathOf = ({ gitDir }: GitLocation) => `${gitDir}/svc-commit.json`;

export async function writeJournal(
  files: Pick<Files, "writeAtomic">,
  place: GitLocation,
  { commit, entries }: Journal,
): Promise<void> {
  const stored: StoredJournal = {
    version: 1,
    commit,
    entries: entries.map(({ bytes, ...entry }) =>
      bytes === undefined ? entry : { ...entry, bytes: bytes?.toBase64() ?? null }
    ),
  };
  const text = JSON.stringify(stored);
  // A journal that could not be read back would hold up every later commit.
  if (text.length > COMMIT_JOURNAL_BYTES) {
    throw new Failure("refused", `Cannot commit in ${quoted(place.root)}: it is too much at once`, {
      remedy: "Commit fewer or smaller files, or use git itself",
    });
  }
  await files.writeAtomic(pathOf(place), text);
}

/** Undefined when the last commit was finished. @throws Failure `conflict` when it is not svc's */
export async function readJournal(
  files: Pick<Files, "readText" | "stat">,
  place: GitLocation,
): Promise<Journal | undefined> {
  const path = pathOf(place);
  const facts = await files.stat(path);
  if (facts === undefined) return undefined;
  try {
    if (facts.kind !== "file") throw new Error(`it is a ${facts.kind}`);
    const text = await files.readText(path, { maxBytes: COMMIT_JOURNAL_BYTES });
    const { version, commit, entries } = JSON.parse(text) as StoredJournal;
    if (version !== 1) throw new Error(`version ${version}`);
    return {
      commit,
      entries: entries.map(({ bytes, ...entry }) =>
        bytes === undefined
          ? entry
          : { ...entry, bytes: bytes === null ? null : Uint8Array.fromBase64(bytes) }
      ),
    };
  } catch (cause) {
    throw new Failure("conflict", `Cannot read ${quoted(path)}: svc did not write it`, {
      cause,
      remedy: `Look at it, then: rm ${shellWord(path)}`,
    });
  }
}

export async function hasJournal(files: Pick<Files, "stat">, place: GitLocation) {
  return await files.stat(pathOf(place)) !== undefined;
}

export async function dropJournal(files: Pick<Files, "remove" | "stat">, place: GitLocation) {
  if (await hasJournal(files, place)) await files.remove(pathOf(place));
}

async function contentOf(folder: Folder, path: string): Promise<FileContent | undefined> {
  if (await folder.stat(path) === undefined) return undefined;
  return await folder.read(path, { maxBytes: FILE_WRITE_BYTES });
}

/** Null when there is no such file. */
export async function hashOf(folder: Folder, path: string): Promise<string | null> {
  return (await contentOf(folder, path))?.sha256 ?? null;
}

/** A part may have been done before. @returns paths with the user's edit, which stays */
export async function applyChanges(
  folder: Folder,
  entries: readonly FileChange[],
): Promise<string[]> {
  const kept: string[] = [];
  for (const entry of entries) {
    const old = entries.find(({ path }) => path === entry.from)?.before;
    if (!await applyChange(folder, entry, old)) kept.push(entry.path);
  }
  return kept;
}

/** `moved` is the SHA-256 of the file at `from` before the commit. */
async function applyChange(
  folder: Folder,
  { path, bytes, before, from }: FileChange,
  moved: string | null | undefined,
): Promise<boolean> {
  let now = await contentOf(folder, path);
  if (bytes === null) {
    if (now !== undefined && now.sha256 !== before) return false;
    if (now !== undefined) await folder.remove(path);
    return true;
  }
  if (now?.sha256 === await sha256(bytes)) return true;
  const above = folderOf(path);
  if (above !== "") await folder.makeFolder(above);
  // A rename first: at no moment are there two files, or none.
  if (now === undefined && from !== undefined && await hashOf(folder, from) === moved) {
    await folder.rename(from, path);
    now = await contentOf(folder, path);
  }
  if (now !== undefined && now.sha256 !== before && now.sha256 !== moved) return false;
  await folder.write(path, bytes, { expected: now ?? null });
  return true;
}

/** Brings a work tree's files to a merge commit's state: their content is taken from git, not from the journal. */
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { digest, type JournalEntry } from "./commit_journal.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRunner } from "./call.ts";
import type { Place } from "./hardening.ts";
import { withOwnIndex } from "./objects.ts";

/** What git would write into the work tree for a path, line ends as the repo's attributes say. */
export type ReadMerged = (path: string) => Promise<Uint8Array<ArrayBuffer>>;

const stageOf = ({ gitDir }: Place) => `${gitDir}/svc-merge`;

/** Also a killed run's: the repo's lock says that it is nobody's now. */
export async function dropStage(place: Place): Promise<void> {
  await Deno.remove(stageOf(place), { recursive: true }).catch((thrown) => {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  });
}

/**
 * Has git write the files of `commit` beside its own data, not into the work tree, and gives them
 * to `work`. No driver applies to them: that was made sure of before the merge landed.
 * @throws Failure `refused` for a file that is larger than svc writes
 */
export async function withMergedFiles<T>(
  runner: GitRunner,
  place: Place,
  { doing, commit, entries }: { doing: string; commit: string; entries: readonly JournalEntry[] },
  work: (read: ReadMerged) => Promise<T>,
): Promise<T> {
  const paths = entries.filter(({ bytes, entry }) => bytes === undefined && entry !== "")
    .map(({ path }) => path);
  const read: ReadMerged = (path) => Deno.readFile(`${stageOf(place)}/${path}`);
  if (paths.length === 0) return await work(read);
  await dropStage(place);
  try {
    await Deno.mkdir(stageOf(place), { mode: 0o700 });
    // An empty work tree of its own: the attributes are then those of the commit.
    const stage = { ...place, root: stageOf(place) };
    await withOwnIndex(runner, stage, { doing, tree: commit }, async (git) => {
      await git({
        doing,
        args: ["checkout-index", "--quiet", "-z", "--stdin"],
        stdin: new TextEncoder().encode(paths.map((path) => `${path}\0`).join("")),
      });
    });
    for (const path of paths) {
      const { isFile, size } = await Deno.lstat(`${stageOf(place)}/${path}`);
      if (isFile && size <= FILE_WRITE_BYTES) continue;
      throw new Failure(
        "refused",
        `Cannot ${doing}: ${quoted(path)} is larger than ${FILE_WRITE_BYTES} bytes`,
        { remedy: `Merge it with git itself: git -C ${quoted(place.root)} merge` },
      );
    }
    return await work(read);
  } finally {
    await dropStage(place);
  }
}

/** Facts of a path; "blocked" when something that is no folder stands above it. */
export async function standing(folder: Folder, path: string) {
  for (let cut = path.indexOf("/"); cut > 0; cut = path.indexOf("/", cut + 1)) {
    const above = await folder.stat(path.slice(0, cut));
    if (above === undefined) return undefined;
    if (above.kind !== "folder") return "blocked";
  }
  return await folder.stat(path);
}

/** False when the file's content is neither the old nor the new: the user's edit, which stays. */
export async function applyMerged(
  folder: Folder,
  { path, before, entry, executable = false }: Omit<JournalEntry, "bytes">,
  read: ReadMerged,
): Promise<boolean> {
  const facts = await standing(folder, path);
  if (entry === "" && (facts === undefined || facts === "blocked")) return true;
  if (facts === "blocked" || (facts !== undefined && facts.kind !== "file")) return false;
  const now = facts && await folder.read(path, { maxBytes: FILE_WRITE_BYTES });
  if (entry === "") {
    if (now?.sha256 !== before) return false;
    await folder.remove(path);
    await dropEmptied(folder, path);
    return true;
  }
  const bytes = await read(path);
  if (now?.sha256 !== await digest(bytes)) {
    if ((now?.sha256 ?? null) !== before) return false;
    const above = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (above !== "") await folder.makeFolder(above);
    await folder.write(path, bytes, { expected: now ?? null });
  }
  await settleMode(folder, path, executable, bytes);
  return true;
}

/** Whoever may read the file may run it, as with git: that needs its mode first, which the umask decided. */
async function settleMode(folder: Folder, path: string, executable: boolean, bytes: Uint8Array) {
  const { mode } = (await folder.stat(path))!;
  if ((mode & 0o100) !== 0 === executable) return;
  const open = executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
  await folder.write(path, bytes, { mode: open & 0o777 });
}

/** Folders that held nothing else, as git does. */
async function dropEmptied(folder: Folder, path: string): Promise<void> {
  for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
    const above = path.slice(0, cut);
    const { entries, skipped } = await folder.list(above);
    if (entries.length > 0 || skipped > 0) return;
    await folder.remove(above);
  }
}

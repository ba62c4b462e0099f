/** Brings files to a merge commit's state: git has their content, the journal has not. */
import { shellWord } from "svc/core/shell_word.ts";
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import { folderOf } from "svc/core/path_parts.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { attempt } from "svc/platform/files/os_errors.ts";
import type { GitRunner } from "./call.ts";
import type { JournalEntry } from "./commit_journal.ts";
import type { GitLocation } from "./hardening.ts";
import { withOwnIndex } from "./objects.ts";

/** What git would write, with line ends as the repo's attributes say. */
export type ReadMerged = (path: string) => Promise<Uint8Array<ArrayBuffer>>;

const stageOf = ({ gitDir }: GitLocation) => `${gitDir}/svc-merge`;

/** Also one that a killed run left: whoever holds the repo's lock may. */
export async function dropStage(place: GitLocation): Promise<void> {
  await Deno.remove(stageOf(place), { recursive: true }).catch((thrown) => {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  });
}

const isWritten = ({ bytes, entry, indexOnly }: JournalEntry) =>
  bytes === undefined && entry !== "" && indexOnly !== true;

/** Git writes the files beside its own data, for `work` to read. No driver applies: that is checked before
 * a merge lands. @throws Failure `refused` for a file that is larger than svc writes */
export async function withMergedFiles<T>(
  runner: GitRunner,
  place: GitLocation,
  { doing, tree, entries }: {
    readonly doing: string;
    readonly tree: string;
    readonly entries: readonly JournalEntry[];
  },
  work: (read: ReadMerged) => Promise<T>,
): Promise<T> {
  const paths = entries.filter(isWritten)
    .map(({ path }) => path);
  const read: ReadMerged = (path) => Deno.readFile(`${stageOf(place)}/${path}`);
  if (paths.length === 0) return await work(read);
  await dropStage(place);
  try {
    const folder = stageOf(place);
    await attempt("make folder", folder, () => Deno.mkdir(folder, { mode: 0o700 }));
    // An empty work tree of its own, so that the attributes are those of the commit.
    const stage = { ...place, root: stageOf(place) };
    await withOwnIndex(runner, stage, { doing, tree }, async (git) => {
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
        { remedy: `Merge it with git itself: git -C ${shellWord(place.root)} merge` },
      );
    }
    return await work(read);
  } finally {
    await dropStage(place);
  }
}

export async function factsOnPath(folder: Folder, path: string) {
  for (let cut = path.indexOf("/"); cut > 0; cut = path.indexOf("/", cut + 1)) {
    const above = await folder.stat(path.slice(0, cut));
    if (above === undefined) return undefined;
    if (above.kind !== "folder") return "blocked";
  }
  return await folder.stat(path);
}

/** False for the user's edit, which stays. */
export async function applyMerged(
  folder: Folder,
  { path, before, entry, executable = false }: Omit<JournalEntry, "bytes">,
  read: ReadMerged,
): Promise<boolean> {
  const facts = await factsOnPath(folder, path);
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
  if (now?.sha256 !== await sha256(bytes)) {
    if ((now?.sha256 ?? null) !== before) return false;
    const above = folderOf(path);
    if (above !== "") await folder.makeFolder(above);
    await folder.write(path, bytes, { expected: now ?? null });
  }
  await settleMode(folder, path, executable, bytes);
  return true;
}

/** Whoever may read the file may run it, as with git; the umask decided who may read it. */
async function settleMode(folder: Folder, path: string, executable: boolean, bytes: Uint8Array) {
  const { mode } = (await folder.stat(path))!;
  if ((mode & 0o100) !== 0 === executable) return;
  const open = executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
  await folder.write(path, bytes, { mode: open & 0o777 });
}

async function dropEmptied(folder: Folder, path: string): Promise<void> {
  for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
    const above = path.slice(0, cut);
    const { entries, skipped } = await folder.list(above);
    if (entries.length > 0 || skipped > 0) return;
    await folder.remove(above);
  }
}

/** What files.ts and folder.ts share: facts of a file, bounded reads, listings. */
import { FOLDER_ENTRIES } from "svc/core/bounds.ts";
import { Blocked } from "./os_errors.ts";

type FileKind = "file" | "folder" | "symlink" | "other";

/** What lstat(2) says; `mode` is the permission bits, `mtimeMs` epoch ms, `owner` and `group` ids. */
export interface FileFacts {
  readonly kind: FileKind;
  readonly size: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly links: number;
  readonly device: number;
  readonly inode: number;
  readonly owner: number;
  readonly group: number;
}

interface FolderEntry {
  readonly name: string;
  readonly kind: FileKind;
}

export interface FolderListing {
  /** Sorted by name; at most FOLDER_ENTRIES, unless more were asked for. */
  readonly entries: readonly FolderEntry[];
  readonly more: number;
  /** Left out: their names cannot be given back to the system, such as non-UTF-8. */
  readonly skipped: number;
}

export interface FolderAccess {
  /** For calls that follow no link in the last component: open with O_EXCL, rename, unlink. */
  at(name: string): string;
  /** `path` is bound to the file that `name` is now; undefined when absent. @throws Blocked */
  pinned<T>(
    name: string,
    use: (path: string, facts: FileFacts) => T | Promise<T>,
  ): Promise<T | undefined>;
}

export function kindOf(
  entry: Pick<Deno.FileInfo, "isFile" | "isDirectory" | "isSymlink">,
): FileKind {
  if (entry.isSymlink) return "symlink";
  return entry.isFile ? "file" : entry.isDirectory ? "folder" : "other";
}

export function factsOf(info: Deno.FileInfo): FileFacts {
  return {
    kind: kindOf(info),
    size: info.size,
    mode: (info.mode ?? 0) & 0o7777,
    mtimeMs: info.mtime?.getTime() ?? 0,
    links: info.nlink ?? 1,
    device: info.dev,
    inode: info.ino ?? 0,
    owner: info.uid ?? 0,
    group: info.gid ?? 0,
  };
}

export function mustBeRegular(facts: FileFacts | undefined): asserts facts is FileFacts {
  if (facts === undefined) throw new Blocked("ENOENT");
  if (facts.kind === "symlink") throw new Blocked("symlink");
  if (facts.kind === "folder") throw new Blocked("EISDIR");
  if (facts.kind === "other") throw new Blocked("not_regular");
}

/** Bytes of a plain file that are read or written in one sync call: some 10 us, where awaiting takes 100 and a turn of another thread. */
const SYNC_BYTES = 64 * 1024;

/** Reads at most the first `maxBytes`; `size` is a hint only, so that a growing file is read right too. */
export async function readBounded(
  file: Deno.FsFile,
  { size, maxBytes }: { size: number; maxBytes: number },
): Promise<{ bytes: Uint8Array<ArrayBuffer>; truncated: boolean }> {
  // One more byte than wanted tells whether the file goes on.
  let buffer = new Uint8Array(Math.min(size, maxBytes) + 1);
  let filled = 0;
  while (filled <= maxBytes) {
    const rest = buffer.subarray(filled);
    const got = rest.length <= SYNC_BYTES ? file.readSync(rest) : await file.read(rest);
    if (got === null) break;
    filled += got;
    if (filled < buffer.length) continue;
    const wider = new Uint8Array(Math.min(buffer.length * 2, maxBytes + 1));
    wider.set(buffer);
    buffer = wider;
  }
  const bytes = buffer.subarray(0, Math.min(filled, maxBytes));
  return { bytes, truncated: filled > maxBytes };
}

/** One write(2) may take a part of the bytes. */
export async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const rest = bytes.subarray(done);
    done += rest.length <= SYNC_BYTES ? file.writeSync(rest) : await file.write(rest);
  }
}

export async function listing(
  path: string,
  accepts: (name: string) => boolean,
  most = FOLDER_ENTRIES,
): Promise<FolderListing> {
  const entries: FolderEntry[] = [];
  let skipped = 0;
  for await (const entry of Deno.readDir(path)) {
    // Deno writes U+FFFD for each byte that is not UTF-8: such a name opens nothing, or another file.
    if (entry.name.includes("\u{FFFD}") || !accepts(entry.name)) skipped++;
    else entries.push({ name: entry.name, kind: kindOf(entry) });
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const kept = entries.slice(0, most);
  return { entries: kept, more: entries.length - kept.length, skipped };
}

/** Makes a rename or removal durable. */
export async function syncFolder(path: string): Promise<void> {
  using folder = await Deno.open(path);
  await folder.sync();
}

/** The files of a journalled operation: a repo's by relative path, others by absolute path. */
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import { folderOf } from "svc/core/path_parts.ts";
import { TEMP_NAME } from "./atomic_replace.ts";
import type { FileFacts, FolderListing } from "./disk.ts";
import type { Files } from "./files.ts";
import type { FileStamp, Folder } from "./folder.ts";

export interface Present {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
  readonly mode: number;
  /** In the repo alone: the version that it must still have when it is replaced. */
  readonly stamp?: FileStamp;
}

/** A link, a folder, or a file that is too large: an operation never touches it. */
interface Strange {
  readonly strange: string;
}

export type FileState = Present | Strange | undefined;

export const isStrange = (found: FileState): found is Strange =>
  found !== undefined && "strange" in found;

type TargetFiles = Pick<
  Files,
  "read" | "stat" | "list" | "makeFolder" | "writeAtomic" | "remove"
>;

export interface JournalTarget {
  readonly files: TargetFiles;
  readonly folder: Folder;
}

const isAbsolute = (path: string) => path.startsWith("/");

async function unless<T>(code: Failure["code"], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === code) return undefined;
    throw thrown;
  }
}

export async function look(target: JournalTarget, path: string): Promise<FileState> {
  const { files, folder } = target;
  let facts: FileFacts | undefined;
  try {
    facts = await (isAbsolute(path) ? files : folder).stat(path);
  } catch (thrown) {
    if (!(thrown instanceof Failure && ["refused", "failed"].includes(thrown.code))) throw thrown;
    return { strange: "no plain folders lead to it" };
  }
  if (facts === undefined) return undefined;
  if (facts.kind !== "file") return { strange: `it is a ${facts.kind}` };
  if (facts.links > 1) return { strange: "it has a second hard link" };
  if (facts.size > FILE_WRITE_BYTES) return { strange: "it is too large" };
  const options = { maxBytes: FILE_WRITE_BYTES };
  if (isAbsolute(path)) {
    const bytes = await files.read(path, options);
    return { bytes, sha256: await sha256(bytes), mode: facts.mode };
  }
  const { bytes, mode, truncated: _, ...stamp } = await folder.read(path, options);
  return { bytes, mode, sha256: stamp.sha256, stamp };
}

export async function put(
  { files, folder }: JournalTarget,
  path: string,
  bytes: Uint8Array,
  { mode, over }: { mode?: number; over: Present | undefined },
): Promise<void> {
  const options = mode === undefined ? {} : { mode };
  await makeFolder({ files, folder }, folderOf(path));
  if (isAbsolute(path)) return await files.writeAtomic(path, bytes, options);
  await folder.write(path, bytes, { ...options, expected: over?.stamp ?? null });
}

export async function remove({ files, folder }: JournalTarget, path: string): Promise<void> {
  await (isAbsolute(path) ? files : folder).remove(path);
}

export async function makeFolder({ files, folder }: JournalTarget, path: string): Promise<void> {
  if (path !== "") await (isAbsolute(path) ? files : folder).makeFolder(path);
}

async function entriesOf(
  { files, folder }: JournalTarget,
  path: string,
): Promise<FolderListing["entries"] | undefined> {
  const listing = await unless("not_found", (isAbsolute(path) ? files : folder).list(path || "."));
  return listing?.entries;
}

export async function removeEmptyFolder(target: JournalTarget, path: string): Promise<void> {
  if ((await entriesOf(target, path))?.length === 0) await remove(target, path);
}

/** What killed writers left; call it only while no other svc can write there. */
export async function sweepFolder(target: JournalTarget, path: string): Promise<void> {
  for (const { name, kind } of await entriesOf(target, path) ?? []) {
    if (kind !== "file" || !TEMP_NAME.test(name)) continue;
    await unless("not_found", remove(target, path === "" ? name : `${path}/${name}`));
  }
}

/** Links are removed, never followed. */
export async function removeTree(files: JournalTarget["files"], path: string): Promise<void> {
  const facts = await files.stat(path);
  if (facts === undefined) return;
  if (facts.kind === "folder") {
    for (const { name } of (await files.list(path)).entries) {
      await removeTree(files, `${path}/${name}`);
    }
  }
  await files.remove(path);
}

/** What a journalled operation works on: a repo's files by relative path, others by absolute path. */
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import { TEMP_NAME } from "./atomic_replace.ts";
import type { FileFacts, Listing } from "./disk.ts";
import type { Files } from "./files.ts";
import type { Folder, Stamp } from "./folder.ts";

/** A regular file as it is now. */
export interface Present {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
  readonly mode: number;
  /** Of a file in the repo: what it must still be when it is replaced. */
  readonly stamp?: Stamp;
}

/** A link, a folder, or a file that is too large: nothing that an operation would touch. */
export interface Strange {
  readonly strange: string;
}

export type Found = Present | Strange | undefined;

export const isStrange = (found: Found): found is Strange =>
  found !== undefined && "strange" in found;

type GroundFiles = Pick<
  Files,
  "read" | "stat" | "list" | "makeFolder" | "writeAtomic" | "remove"
>;

export interface Ground {
  readonly files: GroundFiles;
  /** The repo. */
  readonly folder: Folder;
}

const isAbsolute = (path: string) => path.startsWith("/");

/** "" for a file in the repo's root. */
export const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

async function unless<T>(code: Failure["code"], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === code) return undefined;
    throw thrown;
  }
}

/** Never fails because of what stands there: a link or a folder is an answer. */
export async function look(ground: Ground, path: string): Promise<Found> {
  const { files, folder } = ground;
  let facts: FileFacts | undefined;
  try {
    facts = await (isAbsolute(path) ? files : folder).stat(path);
  } catch (thrown) {
    // A link, or a file, where a folder of the path should be.
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

/** Puts a file in place of what `look` found; makes the folders it needs. */
export async function put(
  { files, folder }: Ground,
  path: string,
  bytes: Uint8Array,
  { mode, over }: { mode?: number; over: Present | undefined },
): Promise<void> {
  const options = mode === undefined ? {} : { mode };
  await makeFolder({ files, folder }, folderOf(path));
  if (isAbsolute(path)) return await files.writeAtomic(path, bytes, options);
  await folder.write(path, bytes, { ...options, expected: over?.stamp ?? null });
}

export async function remove({ files, folder }: Ground, path: string): Promise<void> {
  await (isAbsolute(path) ? files : folder).remove(path);
}

export async function makeFolder({ files, folder }: Ground, path: string): Promise<void> {
  if (path !== "") await (isAbsolute(path) ? files : folder).makeFolder(path);
}

/** Undefined when there is no such folder. */
export async function entriesOf(
  { files, folder }: Ground,
  path: string,
): Promise<Listing["entries"] | undefined> {
  const listing = await unless("not_found", (isAbsolute(path) ? files : folder).list(path || "."));
  return listing?.entries;
}

/** A folder that holds something stays. */
export async function removeEmptyFolder(ground: Ground, path: string): Promise<void> {
  if ((await entriesOf(ground, path))?.length === 0) await remove(ground, path);
}

/** What writers that were killed left in a folder; only while no other svc can write there. */
export async function sweepFolder(ground: Ground, path: string): Promise<void> {
  for (const { name, kind } of await entriesOf(ground, path) ?? []) {
    if (kind !== "file" || !TEMP_NAME.test(name)) continue;
    await unless("not_found", remove(ground, path === "" ? name : `${path}/${name}`));
  }
}

/** A folder of the svc home with all it holds; links in it are removed, never followed. */
export async function removeTree(files: Ground["files"], path: string): Promise<void> {
  const facts = await files.stat(path);
  if (facts === undefined) return;
  if (facts.kind === "folder") {
    for (const { name } of (await files.list(path)).entries) {
      await removeTree(files, `${path}/${name}`);
    }
  }
  await files.remove(path);
}

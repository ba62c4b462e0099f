/** Lists the files of a scan, each with an identity that changes when the file does. */
import { Failure } from "svc/core/failure.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";

export interface ListedFile {
  readonly path: string;
  /** Git's object id for a clean tracked file; size, time and inode for any other. */
  readonly identity: string;
  readonly tracked: boolean;
  /** As in HEAD: neither the index nor the work tree has anything else. */
  readonly committed: boolean;
}

export interface FileListing {
  readonly files: readonly ListedFile[];
  /** Submodules and links; paths below them are neither listed nor gone. */
  readonly elsewhere: readonly string[];
  /** Undefined before the first commit. */
  readonly head: string | undefined;
}

const SYMLINK = "120000";
const SUBMODULE = "160000";

/** Undefined for a path below a folder that became a link, or with control characters in it. */
async function factsAt(folder: Pick<Folder, "stat">, path: string) {
  try {
    return await folder.stat(path);
  } catch (thrown) {
    const { code } = Failure.from(thrown);
    if (code === "refused" || code === "usage") return undefined;
    throw thrown;
  }
}

export async function listed(
  repo: Pick<GitRepo, "indexEntries" | "status">,
  folder: Pick<Folder, "stat">,
): Promise<FileListing> {
  const [entries, status] = await Promise.all([repo.indexEntries(), repo.status()]);
  const touched = new Set(status.changes.map(({ path }) => path));
  const changed = new Map(
    status.changes.filter(({ usable, unstaged }) => usable && unstaged !== ".")
      .map((change) => [change.path, change]),
  );
  const found = new Map<string, ListedFile>();
  const elsewhere: string[] = [];
  for (const { path, mode, oid, usable } of entries) {
    if (!usable) continue;
    if (mode === SYMLINK || mode === SUBMODULE) elsewhere.push(path);
    else if (!changed.has(path)) {
      found.set(path, { path, identity: oid, tracked: true, committed: !touched.has(path) });
    }
  }
  for (const { path, kind } of changed.values()) {
    const facts = await factsAt(folder, path);
    if (facts?.kind !== "file") continue;
    const identity = `${facts.size}-${facts.mtimeMs}-${facts.inode}`;
    found.set(path, { path, identity, tracked: kind !== "untracked", committed: false });
  }
  return { files: [...found.values()], elsewhere, head: status.head };
}

/** Where `secret-scan` takes its files from: the work tree that git lists, or the index. */
import { SECRET_FILE_BYTES } from "svc/core/bounds.ts";
import type { GitRepo } from "svc/platform/git.ts";
import type { ScanSources, SkipReason } from "./secret_scan.ts";

/**
 * Reads one file of the work tree, by its path in the repo. A reason instead of bytes for a symbolic
 * link, a file over `SECRET_FILE_BYTES`, one that is gone, or one that may not be read. Reading is
 * half of the scan's time, so this is asked for as a plain call; the bytes may live in a buffer that
 * the next call reuses.
 */
export type ReadWorkFile = (path: string) => Uint8Array | SkipReason;

const SUBMODULE = "160000";
const SYMLINK = "120000";

/** Every tracked file and every untracked one that is not ignored. */
export function workTree(
  repo: Pick<GitRepo, "listFiles" | "indexEntries">,
  read: ReadWorkFile,
): ScanSources {
  return {
    async each(visit) {
      for (const { mode, path } of await repo.indexEntries()) {
        if (mode === SUBMODULE) visit({ path: path ?? "", skipped: "submodule" });
      }
      for (const path of (await repo.listFiles()).paths) {
        const bytes = read(path);
        visit(typeof bytes === "string" ? { path, skipped: bytes } : { path, bytes });
      }
    },
  };
}

/** What the next commit would change: the index's own blobs, whatever the work tree holds. */
export function staged(
  repo: Pick<GitRepo, "stagedFiles" | "indexEntries" | "catFiles">,
): ScanSources {
  return {
    async each(visit) {
      const changed = new Set((await repo.stagedFiles()).paths);
      const blobs: { path: string; oid: string }[] = [];
      for (const { mode, oid, stage, path } of await repo.indexEntries()) {
        if (path === undefined || stage !== 0 || !changed.has(path)) continue;
        if (mode === SUBMODULE) visit({ path, skipped: "submodule" });
        else if (mode === SYMLINK) visit({ path, skipped: "symlink" });
        else blobs.push({ path, oid });
      }
      let next = 0;
      await repo.catFiles(blobs.map(({ oid }) => oid), (blob) => {
        const path = blobs[next++]!.path;
        if (blob.state === "read") visit({ path, bytes: blob.bytes });
        else visit({ path, skipped: blob.state });
      }, SECRET_FILE_BYTES);
    },
  };
}

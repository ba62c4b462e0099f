/** How much room a file system has left. */
import { statfs } from "node:fs/promises";

/** `path` need not exist yet. */
export async function roomAt(path: string): Promise<number> {
  for (let at = path;; at = at.slice(0, at.lastIndexOf("/")) || "/") {
    try {
      return await diskFree(at);
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== "ENOENT" || at === "/") throw thrown;
    }
  }
}

/** Bytes that this user may still write there. @throws when nothing is there */
export async function diskFree(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

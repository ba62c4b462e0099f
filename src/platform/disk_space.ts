/** How much room a file system has left. */
import { statfsSync } from "node:fs";

/** Bytes that this user may still write where `path` lies. */
export function diskFree(path: string): Promise<number> {
  const { bavail, bsize } = statfsSync(path);
  return Promise.resolve(bavail * bsize);
}

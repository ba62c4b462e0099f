/** How much room a file system has left. */
import { cString, libc } from "svc/platform/libc.ts";

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
  const told = await libcFree(path);
  if (told !== undefined) return told;
  // deno-lint-ignore no-process-global -- importing node:fs takes 30 ms and 13 MiB of every service
  const { statfs } = process.getBuiltinModule("node:fs/promises");
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/** Longs of `struct statvfs` (statvfs(3), glibc on 64 bits): the unit, and how many a user may still take. */
const [FRSIZE, BAVAIL] = [1, 4];

/** Undefined where libc cannot be asked, or had an error that is not told. @throws when nothing is there */
async function libcFree(path: string): Promise<number | undefined> {
  const name = cString(path);
  const symbols = libc();
  if (name === undefined || symbols === undefined) return undefined;
  const facts = new BigUint64Array(32);
  if (await symbols.statvfs(name, facts) === 0) return Number(facts[FRSIZE]! * facts[BAVAIL]!);
  await Deno.stat(path); // mostly the same error
  return undefined;
}

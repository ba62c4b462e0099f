/** Puts a whole file in place of another: readers and crashes see the old content or the new one. */
import { type FileFacts, type Place, syncFolder, writeAll } from "./disk.ts";
import { Blocked, osCode } from "./os_errors.ts";

/** A temp that a killed writer may have left behind. */
export const TEMP_NAME = /^\.svc-tmp-[0-9a-f]{24}$/;

function tempName(): string {
  return `.svc-tmp-${crypto.getRandomValues(new Uint8Array(12)).toHex()}`;
}

export interface Replacement {
  readonly bytes: Uint8Array;
  /** Permission bits, exactly: the umask does not apply. */
  readonly mode: number;
  /** The file that is replaced; its owner and group are kept where the system permits. */
  readonly old?: FileFacts | undefined;
  /** Fail with EEXIST when the name is taken at the moment of placing. */
  readonly fresh?: boolean;
  /** Called when all bytes are on disk, right before the new file takes its place; may throw. */
  readonly beforePlacing?: () => Promise<void>;
}

/**
 * Temp with a random name in the same folder, write, fsync, rename, fsync of the folder. The temp is
 * removed when anything fails; one whose writer was killed goes with the next write in that folder.
 */
export async function replace(place: Place, name: string, plan: Replacement): Promise<void> {
  const { temp, file, inode } = await openTemp(place);
  // Closed last: until then its lock tells sweepers that this temp is in use.
  using _open = file;
  try {
    await writeAll(file, plan.bytes);
    await place.pinned(temp, async (path, facts) => {
      if (facts.inode !== inode) throw new Blocked("changed", "another process meddles with it");
      await adopt(path, facts, plan);
    });
    await file.sync();
    await plan.beforePlacing?.();
    if (plan.fresh) await placeFresh(place, temp, name);
    else await Deno.rename(place.at(temp), place.at(name));
  } catch (thrown) {
    // The failure that matters is `thrown`; a temp that stays is swept by the next write.
    await Deno.remove(place.at(temp)).catch(() => {});
    throw thrown;
  }
  await syncFolder(place.at("."));
}

/**
 * Removes temps of dead writers. A writer holds flock(2) on its temp for as long as it lives, and the
 * kernel frees that lock on any death, so a temp that can be locked has no writer, whatever process
 * or container it ran in.
 */
export async function sweepTemps(place: Place): Promise<void> {
  for await (const entry of Deno.readDir(place.at("."))) {
    if (!TEMP_NAME.test(entry.name)) continue;
    try {
      await place.pinned(entry.name, async (path) => {
        using file = await Deno.open(path);
        if (await file.tryLock(true)) await Deno.remove(place.at(entry.name));
      });
    } catch {
      // Not ours to open or remove: it stays, and no write depends on its going.
    }
  }
}

async function openTemp(
  place: Place,
): Promise<{ temp: string; file: Deno.FsFile; inode: number }> {
  for (;;) {
    const temp = tempName();
    const file = await Deno.open(place.at(temp), { createNew: true, write: true, mode: 0o600 });
    // A sweeper may come between open and lock: it then holds the lock or has unlinked the file.
    if (await lockedOrLockless(file)) {
      const { nlink, ino } = await file.stat();
      if (nlink !== 0) return { temp, file, inode: ino ?? 0 };
    }
    file.close();
  }
}

/** False when another process holds the lock. */
async function lockedOrLockless(file: Deno.FsFile): Promise<boolean> {
  try {
    return await file.tryLock(true);
  } catch {
    // A file system without locks: sweepers cannot lock either, so they leave every temp alone.
    return true;
  }
}

async function adopt(path: string, now: FileFacts, { mode, old }: Replacement): Promise<void> {
  if (old && (old.owner !== now.owner || old.group !== now.group)) {
    await Deno.chown(path, old.owner, old.group).catch((thrown) => {
      // Only root may give files away; for others the new file is theirs, as with any editor.
      if (osCode(thrown) !== "EPERM") throw thrown;
    });
  }
  await Deno.chmod(path, mode);
}

async function placeFresh(place: Place, temp: string, name: string): Promise<void> {
  try {
    // Unlike rename(2), link(2) never replaces.
    await Deno.link(place.at(temp), place.at(name));
  } catch (thrown) {
    // File systems without hard links (vfat, some FUSE): the caller saw the name free just before.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(osCode(thrown) ?? "")) throw thrown;
    return await Deno.rename(place.at(temp), place.at(name));
  }
  await Deno.remove(place.at(temp));
}

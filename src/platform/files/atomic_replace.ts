/** Puts a whole file in place of another: readers and crashes see the old content or the new one. */
import { type FileFacts, type FolderAccess, syncFolder, writeAll } from "./disk.ts";
import { Blocked, osCode } from "./os_errors.ts";

/** A killed writer may have left one behind. */
export const TEMP_NAME = /^\.svc-tmp-[0-9a-f]{24}$/;

function tempName(): string {
  return `.svc-tmp-${crypto.getRandomValues(new Uint8Array(12)).toHex()}`;
}

interface Replacement {
  readonly bytes: Uint8Array;
  /** Exact: the umask does not apply. */
  readonly mode: number;
  /** Its owner and group are kept where the system permits. */
  readonly old?: FileFacts | undefined;
  /** Fails with EEXIST when the name is taken at the rename. */
  readonly fresh?: boolean;
  readonly beforePlacing?: () => Promise<void>;
}

/** Writes, fsyncs, renames, fsyncs the folder; the next write there removes what a killed one left. */
export async function replace(
  access: FolderAccess,
  name: string,
  plan: Replacement,
): Promise<void> {
  const { temp, file, inode } = openTemp(access);
  // Closed last: until then its lock tells sweepers that this temp is in use.
  using _open = file;
  try {
    await writeAll(file, plan.bytes);
    await access.pinned(temp, async (path, facts) => {
      if (facts.inode !== inode) throw new Blocked("changed", "another process meddles with it");
      await adopt(path, facts, plan);
    });
    await file.sync();
    await plan.beforePlacing?.();
    if (plan.fresh) await placeFresh(access, temp, name);
    else Deno.renameSync(access.at(temp), access.at(name));
  } catch (thrown) {
    await Deno.remove(access.at(temp)).catch(() => {});
    throw thrown;
  }
  await syncFolder(access.at("."));
}

/** A writer holds flock(2) on its file, and the kernel frees it on any death: a file that can be locked
 * has no writer, whatever process or container it ran in. */
export async function sweepTemps(access: FolderAccess): Promise<void> {
  for (const entry of Deno.readDirSync(access.at("."))) {
    if (!TEMP_NAME.test(entry.name)) continue;
    try {
      await access.pinned(entry.name, async (path) => {
        using file = await Deno.open(path);
        if (await file.tryLock(true)) await Deno.remove(access.at(entry.name));
      });
    } catch {
      // svc may not open or remove it; no write depends on that.
    }
  }
}

function openTemp(access: FolderAccess): { temp: string; file: Deno.FsFile; inode: number } {
  for (;;) {
    const temp = tempName();
    const file = Deno.openSync(access.at(temp), { createNew: true, write: true, mode: 0o600 });
    // Between open and lock a sweeper may have locked or unlinked the file.
    if (lockedOrLockless(file)) {
      const { nlink, ino } = file.statSync();
      if (nlink !== 0) return { temp, file, inode: ino ?? 0 };
    }
    file.close();
  }
}

function lockedOrLockless(file: Deno.FsFile): boolean {
  try {
    return file.tryLockSync(true);
  } catch {
    // A file system without locks: sweepers cannot lock either, so they remove no temporary file.
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
  Deno.chmodSync(path, mode);
}

async function placeFresh(access: FolderAccess, temp: string, name: string): Promise<void> {
  try {
    // Unlike rename(2), link(2) never replaces.
    await Deno.link(access.at(temp), access.at(name));
  } catch (thrown) {
    // File systems without hard links (vfat, some FUSE): the caller saw the name free just before.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(osCode(thrown) ?? "")) throw thrown;
    return await Deno.rename(access.at(temp), access.at(name));
  }
  await Deno.remove(access.at(temp));
}

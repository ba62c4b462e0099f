/** Refuses paths where a SQLite file may get lost or corrupted. */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import type { Files } from "svc/platform/files/files.ts";

/** A machine full of containers has some 100 KiB. */
const MOUNTS_BYTES = 4 * 1024 * 1024;

/** Network file systems, where SQLite's locks and shared memory do not work. */
const REMOTE = new RegExp(
  "^(?:nfs\\d?|cifs|smb\\d?|smbfs|smbfuse|9p|afs|ceph|glusterfs|lustre|gfs2?|ocfs2|beegfs|ncpfs|" +
    "vboxsf|prl_fs|davfs|coda|orangefs|fuse\\.(?:sshfs|s3fs|glusterfs|rclone|gvfsd-fuse|davfs2?|" +
    "curlftpfs|smbnetfs|vmhgfs-fuse|ceph|ceph-fuse|gcsfuse|goofys|juicefs|moosefs|mfs))$",
);

interface Mount {
  readonly at: string;
  readonly type: string;
}

/** Lines of `/proc/self/mounts` (proc(5)); spaces in them are written `\040`. */
export function mountsOf(text: string): Mount[] {
  return text.split("\n").filter((line) => line !== "").map((line) => {
    const [, at = "", type = ""] = line.split(" ");
    const plain = at.replaceAll(
      /\\([0-7]{3})/g,
      (_, octal) => String.fromCharCode(parseInt(octal, 8)),
    );
    return { at: plain, type };
  });
}

/** The later of two mounts at one path hides the earlier. */
export function mountHolding(path: string, mounts: readonly Mount[]): Mount | undefined {
  let found: Mount | undefined;
  for (const mount of mounts) {
    const holds = mount.at === "/" || path === mount.at || path.startsWith(`${mount.at}/`);
    if (holds && mount.at.length >= (found?.at.length ?? 0)) found = mount;
  }
  return found;
}

async function mounts(files: Files): Promise<Mount[]> {
  const list = "/proc/self/mounts";
  // Only Linux has it; elsewhere nothing is known about the disk.
  if (await files.stat(list) === undefined) return [];
  return mountsOf(await files.readText(list, { maxBytes: MOUNTS_BYTES, lossy: true }));
}

function refuse(path: string, why: string, remedy: string): never {
  throw new Failure("usage", `Cannot use the database "${path}": ${why}`, { remedy });
}

async function realFolder(files: Files, folder: string): Promise<string> {
  for (let at = folder, tail = "";;) {
    if (at === "/" || await files.stat(at) !== undefined) {
      return (await files.realPath(at)).replace(/\/$/, "") + tail;
    }
    const cut = at.lastIndexOf("/");
    tail = at.slice(cut) + tail;
    at = at.slice(0, cut) || "/";
  }
}

/**
 * Refuses an empty or missing file whose write-ahead log holds something: SQLite would take it for a new one, and
 * remove the log. svc makes no such pair: the file's first page is written before there is a log.
 */
export async function cutDatabase(
  files: Pick<Files, "stat">,
  path: string,
): Promise<Failure | undefined> {
  // The log first: another process may make both meanwhile.
  const log = await files.stat(`${path}-wal`);
  if (log === undefined || log.size === 0) return undefined;
  const file = await files.stat(path);
  if (file !== undefined && file.size !== 0) return undefined;
  if (file === undefined) {
    const why = `it is gone, and its write-ahead log is there (${log.size} bytes)`;
    return new Failure("conflict", `Cannot use the database "${path}": ${why}`, {
      remedy:
        `Put it back; before a backup or a new one takes its place, move the log away too: ls ` +
        `${shellWord(path)}*`,
    });
  }
  const why = `it has 0 bytes, and its write-ahead log has ${log.size}: something cut it`;
  return new Failure("conflict", `Cannot use the database "${path}": ${why}`, {
    // A log beside another file than its own would be played into that.
    remedy: `Move both files away, then put a backup in their place (ls ${path}*) or start over`,
  });
}

/** @throws Failure `usage`; `conflict` for one that was cut. Two spellings of one path would have two write-ahead logs. */
export async function databaseFile(files: Files, path: string): Promise<string> {
  const slash = path.lastIndexOf("/");
  const name = path.slice(slash + 1);
  const absolute = path.startsWith("/") && name !== "" && name !== "." && name !== "..";
  if (!absolute) refuse(path, "it names no file", "Give the path of a file, such as /data/svc.db");
  const real = `${await realFolder(files, path.slice(0, slash) || "/")}/${name}`;
  const facts = await files.stat(real);
  if (facts?.kind === "symlink") {
    refuse(path, "it is a symbolic link", `Name the file itself: readlink -f ${shellWord(path)}`);
  }
  if (facts?.kind === "folder") {
    refuse(path, "it is a folder", `Name a file in it: --db ${shellWord(`${path}/svc.db`)}`);
  }
  if (facts?.kind === "other") {
    refuse(path, "it is not a regular file", "Name a database of svc, or a path without a file");
  }
  if (facts !== undefined && facts.links > 1) {
    refuse(path, "it has a second hard link", `Keep one name of it: ls -i ${shellWord(path)}`);
  }
  const cut = await cutDatabase(files, real);
  if (cut !== undefined) throw cut;
  const mount = mountHolding(real, await mounts(files));
  if (mount !== undefined && REMOTE.test(mount.type)) {
    refuse(
      path,
      `"${mount.at}" is a network file system (${mount.type}), where its locks do not hold`,
      "Name a path on a local disk, or set SVC_HOME to a folder on one",
    );
  }
  return real;
}

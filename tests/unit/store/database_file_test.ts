import assert from "node:assert/strict";
import { denoFiles } from "svc/platform/files/files.ts";
import { databaseFile, mountHolding, mountsOf } from "svc/store/database_file.ts";
import { makeFifo } from "tests/kit/odd_disks.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const MOUNTS = String.raw`/dev/sda1 / ext4 rw 0 0
proc /proc proc rw 0 0
host:/home /home nfs4 rw 0 0
tmpfs /home/me/local tmpfs rw 0 0
share /mnt/my\040share fuse.sshfs rw 0 0
drvfs /mnt/c 9p rw 0 0
/dev/sdb1 /mnt/d ext4 rw 0 0
//nas/d /mnt/d cifs rw 0 0
`;

/** The real files, but for the list of mounts. */
function withMounts(list: string) {
  const files = denoFiles();
  const readText: typeof files.readText = (path, options) =>
    path === "/proc/self/mounts" ? Promise.resolve(list) : files.readText(path, options);
  return { ...files, readText };
}

Deno.test("mountHolding finds the nearest mount, and the later of two", () => {
  const mounts = mountsOf(MOUNTS);
  for (
    const [path, type] of [
      ["/var/svc.db", "ext4"],
      ["/home/me/svc.db", "nfs4"],
      ["/homes/svc.db", "ext4"],
      ["/home/me/local/svc.db", "tmpfs"],
      ["/mnt/my share/svc.db", "fuse.sshfs"],
      ["/mnt/d/svc.db", "cifs"],
    ] as const
  ) assert.equal(mountHolding(path, mounts)?.type, type, path);
});

Deno.test("databaseFile refuses network file systems and nothing else", async () => {
  await using folder = await tempFolder();
  const on = (type: string) =>
    databaseFile(
      withMounts(`/dev/sda1 / ext4 rw 0 0\nx ${folder.path} ${type} rw 0 0\n`),
      `${folder.path}/svc.db`,
    );
  for (const type of ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "fuse.rclone", "ceph"]) {
    await assert.rejects(on(type), {
      code: "usage",
      message: new RegExp(`network .*\\(${type}\\)`),
    });
  }
  for (const type of ["ext4", "btrfs", "xfs", "zfs", "tmpfs", "overlay", "fuse.ntfs-3g", "nfsd"]) {
    assert.equal(await on(type), `${folder.path}/svc.db`);
  }
});

Deno.test("databaseFile refuses what SQLite cannot keep safe", async () => {
  await using folder = await tempFolder();
  const files = denoFiles();
  const at = (name: string) => `${folder.path}/${name}`;
  await folder.write("real.db", "");
  await Deno.symlink(at("real.db"), at("link.db"));
  await Deno.symlink(at("nowhere"), at("dangling.db"));
  await folder.write("twice.db", "");
  await Deno.link(at("twice.db"), at("again.db"));
  await Deno.mkdir(at("folder"));
  await makeFifo(at("fifo"));
  for (
    const [path, why] of [
      [at("link.db"), /symbolic link/],
      [at("dangling.db"), /symbolic link/],
      [at("twice.db"), /second hard link/],
      [at("again.db"), /second hard link/],
      [at("folder"), /a folder/],
      [at("fifo"), /not a regular file/],
      [`${at("folder")}/`, /names no file/],
      [`${at("folder")}/..`, /names no file/],
      ["relative.db", /names no file/],
    ] as const
  ) await assert.rejects(databaseFile(files, path), { code: "usage", message: why }, path);
});

Deno.test("databaseFile gives one path for every spelling", async () => {
  await using folder = await tempFolder();
  const files = denoFiles();
  await Deno.mkdir(`${folder.path}/real/deep`, { recursive: true });
  await Deno.symlink(`${folder.path}/real`, `${folder.path}/link`);
  const wanted = `${folder.path}/real/deep/new/svc.db`;
  assert.equal(await databaseFile(files, wanted), wanted);
  assert.equal(await databaseFile(files, `${folder.path}/link/deep/new/svc.db`), wanted);
  assert.equal(await databaseFile(files, "/svc.db"), "/svc.db");
});

import assert from "node:assert/strict";
import { FILE_WRITE_BYTES, FOLDER_ENTRIES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { type Folder, openFolder } from "svc/platform/files/folder.ts";
import { cannotMount, makeDevice, makeFifo, makeNonUtf8Name, tmpfs } from "tests/kit/odd_disks.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { bytes, modeOf, names, text, yard } from "tests/unit/platform/yard.ts";

const bound = { maxBytes: 1024 };
const withoutDisk = { ignore: await cannotMount() };

async function codeOf(work: Promise<unknown>): Promise<string> {
  const thrown = await work.then((value) => value, (thrown) => thrown);
  if (!(thrown instanceof Failure)) return "done";
  assert.ok(thrown.detail.remedy, thrown.message);
  return thrown.code;
}

async function messageOf(work: Promise<unknown>): Promise<string> {
  return await work.then(() => "done", (thrown) => (thrown as Error).message);
}

/** Every operation, on the entry `name` of `folder`. */
const operations: Readonly<Record<string, (f: Folder, folder: string) => Promise<unknown>>> = {
  read: (f, at) => f.read(`${at}/secret`, bound),
  write: (f, at) => f.write(`${at}/secret`, bytes("changed")),
  "write new": (f, at) => f.write(`${at}/new`, bytes("new"), { expected: null }),
  stat: (f, at) => f.stat(`${at}/secret`),
  list: (f, at) => f.list(at),
  makeFolder: (f, at) => f.makeFolder(`${at}/sub/sub`),
  remove: (f, at) => f.remove(`${at}/secret`),
  "rename from": (f, at) => f.rename(`${at}/secret`, "taken"),
  "rename to": (f, at) => f.rename("dir/file", `${at}/placed`),
};

Deno.test("Folder reads what it wrote, with stamp, bound and modes", async () => {
  await using place = await yard();
  const { folder, root } = place;
  await folder.write("new", bytes("hello"));
  assert.equal(modeOf(`${root}/new`), 0o666 & ~Deno.umask());
  Deno.chmodSync(`${root}/new`, 0o775);
  await folder.write("new", bytes("hallo!"));
  assert.equal(modeOf(`${root}/new`), 0o775);
  await folder.write("new", bytes("hullo!"), { mode: 0o600 });
  const content = await folder.read("new", bound);
  assert.equal(text(content.bytes), "hullo!");
  assert.deepEqual([content.size, content.mode, content.truncated], [6, 0o600, false]);
  assert.equal(
    content.sha256,
    new Uint8Array(await crypto.subtle.digest("SHA-256", bytes("hullo!"))).toHex(),
  );
  const part = await folder.read("new", { maxBytes: 5 });
  assert.deepEqual([text(part.bytes), part.size, part.truncated], ["hullo", 6, true]);
  assert.deepEqual(structuredClone(content), content);
  assert.deepEqual(names(root), ["dir", "new"]);
});

Deno.test("Folder refuses paths that could leave it, before any look at the disk", async () => {
  await using place = await yard();
  const bad = ["../outside", "dir/../../outside", place.outside, "/proc/self/root/etc", "", "dir/"];
  for (const path of bad) {
    for (const [name, operation] of Object.entries(operations)) {
      assert.equal(await codeOf(operation(place.folder, path)), "usage", `${name} in "${path}"`);
    }
  }
  assert.equal(await codeOf(place.folder.remove(".")), "usage");
  place.assertOutsideUntouched();
});

Deno.test("Folder follows no symbolic link in the middle of a path", async () => {
  await using place = await yard();
  Deno.symlinkSync(place.outside, `${place.root}/away`);
  Deno.symlinkSync(".", `${place.root}/dir/self`);
  Deno.symlinkSync("/proc/self/root", `${place.root}/slash`);
  for (const at of ["away", "dir/self", `slash${place.outside}`]) {
    for (const [name, operation] of Object.entries(operations)) {
      assert.equal(await codeOf(operation(place.folder, at)), "refused", `${name} in "${at}"`);
    }
  }
  assert.equal(
    await messageOf(place.folder.read("away/secret", bound)),
    'Cannot read "away/secret": a symbolic link is on the path, and links are not followed here',
  );
  place.assertOutsideUntouched();
  assert.deepEqual(names(place.root), ["away", "dir", "slash"]);
});

Deno.test("Folder refuses a link, a FIFO or a folder in place of a file", async () => {
  await using place = await yard();
  const { folder, root } = place;
  Deno.symlinkSync(`${place.outside}/secret`, `${root}/link`);
  await makeFifo(`${root}/fifo`);
  for (const name of ["link", "fifo"]) {
    assert.equal(await codeOf(folder.read(name, bound)), "refused");
    assert.equal(await codeOf(folder.write(name, bytes("x"))), "refused");
    assert.equal(await codeOf(folder.remove(name)), "refused");
    assert.equal(await codeOf(folder.rename(name, "moved")), "refused");
  }
  assert.equal((await folder.stat("link"))?.kind, "symlink");
  assert.equal(await codeOf(folder.read("dir", bound)), "failed");
  assert.equal(await codeOf(folder.rename("dir", "moved")), "failed");
  place.assertOutsideUntouched();
});

Deno.test("Folder opens no device", { ignore: Deno.uid() !== 0 }, async () => {
  await using place = await yard();
  await makeDevice(`${place.root}/null`);
  assert.equal(await codeOf(place.folder.read("null", bound)), "refused");
  assert.equal(await codeOf(place.folder.write("null", bytes("x"))), "refused");
  assert.equal((await place.folder.stat("null"))?.kind, "other");
});

Deno.test("Folder.write refuses a file with a second hard link", async () => {
  await using place = await yard();
  Deno.linkSync(`${place.outside}/secret`, `${place.root}/twin`);
  assert.equal(text((await place.folder.read("twin", bound)).bytes), "outside");
  assert.equal(
    await messageOf(place.folder.write("twin", bytes("changed"))),
    'Cannot write "twin": it has a second hard link, which may lie elsewhere',
  );
  place.assertOutsideUntouched();
});

Deno.test("Folder changes nothing under a spelling of .git", async () => {
  await using place = await yard();
  const { folder, root } = place;
  await place.write(".git/config", "[core]");
  for (const git of [".git", ".GIT", ".g\u{200C}it", "git~1", ".git. ", "dir/.git"]) {
    const path = `${git}/config`;
    assert.equal(await codeOf(folder.write(path, bytes("x"))), "refused", path);
    assert.equal(await codeOf(folder.makeFolder(path)), "refused", path);
    assert.equal(await codeOf(folder.remove(path)), "refused", path);
    assert.equal(await codeOf(folder.rename(path, "config")), "refused", path);
    assert.equal(await codeOf(folder.rename("dir/file", path)), "refused", path);
  }
  assert.equal(text((await folder.read(".git/config", bound)).bytes), "[core]");
  assert.deepEqual(names(`${root}/.git`), ["config"]);
  assert.deepEqual(names(root), [".git", "dir"]);
});

Deno.test("Folder.write with a stamp refuses a file that changed since it was read", async () => {
  await using place = await yard();
  const { folder, root } = place;
  const file = `${root}/dir/file`;
  const expected = await folder.read("dir/file", bound);
  const time = new Date(expected.mtimeMs);
  Deno.writeTextFileSync(file, "INSIDE");
  Deno.utimeSync(file, time, time);
  assert.equal(await codeOf(folder.write("dir/file", bytes("x"), { expected })), "conflict");
  Deno.writeTextFileSync(file, "inside");
  Deno.utimeSync(file, time, new Date(expected.mtimeMs + 1000));
  assert.equal(await codeOf(folder.write("dir/file", bytes("x"), { expected })), "conflict");
  Deno.utimeSync(file, time, time);
  assert.equal(await codeOf(folder.write("dir/file", bytes("x"), { expected })), "done");
  Deno.removeSync(file);
  assert.equal(await codeOf(folder.write("dir/file", bytes("y"), { expected })), "conflict");
  assert.deepEqual(names(`${root}/dir`), []);
});

Deno.test("Folder.write with null makes a file once, whoever comes at the same time", async () => {
  await using place = await yard();
  const { folder, root } = place;
  const makers = Array.from(
    { length: 12 },
    (_, i) => folder.write("one", bytes(`${i}`), { expected: null }),
  );
  const codes = await Promise.all(makers.map(codeOf));
  assert.deepEqual(codes.filter((code) => code !== "conflict"), ["done"]);
  assert.equal(Deno.readTextFileSync(`${root}/one`), String(codes.indexOf("done")));
  assert.deepEqual([names(root), Deno.statSync(`${root}/one`).nlink], [["dir", "one"], 1]);
});

Deno.test("Folder.write refuses more than its bound", async () => {
  await using place = await yard();
  await place.folder.write("full", new Uint8Array(FILE_WRITE_BYTES));
  assert.equal(
    await codeOf(place.folder.write("over", new Uint8Array(FILE_WRITE_BYTES + 1))),
    "failed",
  );
  assert.deepEqual(names(place.root), ["dir", "full"]);
});

Deno.test("Folder.list sorts, and counts what it leaves out", async () => {
  await using place = await yard();
  const { folder, root } = place;
  await place.write("dir/new\nline", "");
  await makeNonUtf8Name(`${root}/dir`);
  await folder.makeFolder("dir/a/deep");
  assert.deepEqual(await folder.list("dir"), {
    entries: [{ name: "a", kind: "folder" }, { name: "file", kind: "file" }],
    more: 0,
    skipped: 2,
  });
  assert.deepEqual((await folder.list(".")).entries, [{ name: "dir", kind: "folder" }]);
  for (let i = 0; i < FOLDER_ENTRIES + 3; i++) Deno.mkdirSync(`${root}/dir/a/deep/${i}`);
  const many = await folder.list("dir/a/deep");
  assert.deepEqual([many.entries.length, many.more, many.entries[0]?.name], [
    FOLDER_ENTRIES,
    3,
    "0",
  ]);
});

Deno.test("Folder stats, moves and removes", async () => {
  await using place = await yard();
  const { folder, root } = place;
  assert.equal(await folder.stat("none"), undefined);
  assert.equal(await folder.stat("none/none"), undefined);
  assert.equal((await folder.stat("."))?.kind, "folder");
  await folder.makeFolder("a/b");
  await folder.makeFolder("a/b");
  await folder.rename("dir/file", "a/b/moved");
  assert.equal(text((await folder.read("a/b/moved", bound)).bytes), "inside");
  await place.write("other", "kept");
  const taken = 'Cannot move to "other": it already exists';
  assert.equal(await messageOf(folder.rename("a/b/moved", "other")), taken);
  assert.equal(await codeOf(folder.remove("a")), "conflict");
  assert.equal(await codeOf(folder.remove("none")), "not_found");
  for (const path of ["a/b/moved", "a/b", "a", "dir"]) await folder.remove(path);
  assert.deepEqual(names(root), ["other"]);
});

Deno.test("openFolder resolves links to the root once, and names what it cannot open", async () => {
  await using dir = await tempFolder();
  await dir.write("one/file", "one");
  await dir.write("two/file", "two");
  Deno.symlinkSync("one", `${dir.path}/link`);
  using folder = await openFolder(`${dir.path}/link`);
  assert.equal(folder.root, `${dir.path}/one`);
  Deno.removeSync(`${dir.path}/link`);
  Deno.symlinkSync("two", `${dir.path}/link`);
  Deno.renameSync(`${dir.path}/one`, `${dir.path}/elsewhere`);
  assert.equal(text((await folder.read("file", bound)).bytes), "one");
  assert.equal(await codeOf(openFolder(`${dir.path}/none`)), "not_found");
  assert.equal(await codeOf(openFolder(`${dir.path}/two/file`)), "failed");
  assert.equal(await codeOf(openFolder(dir.path, "darwin")), "environment");
});

function leadsBelow(fd: string, root: string): boolean {
  try {
    return Deno.readLinkSync(`/proc/self/fd/${fd}`).startsWith(root);
  } catch {
    return false; // closed since the listing
  }
}

Deno.test("a disposed folder answers nothing, and no descriptor stays open", async () => {
  let held: Folder;
  let open: () => number;
  {
    await using place = await yard();
    // Other tests of this process open files as well, but none below this yard.
    open = () => names("/proc/self/fd").filter((fd) => leadsBelow(fd, place.root)).length;
    Deno.symlinkSync(place.outside, `${place.root}/away`);
    held = place.folder;
    for (const at of ["dir", "away", "none", "dir/file", "../x"]) {
      for (const operation of Object.values(operations)) await codeOf(operation(held, at));
    }
    assert.equal(open(), 1);
  }
  assert.equal(open(), 0);
  const late = await held.list(".").then(() => undefined, (thrown) => thrown);
  assert.ok(late instanceof Failure && late.code === "internal");
});

Deno.test(
  "Folder.write keeps the old file when the disk is full or read-only",
  withoutDisk,
  async () => {
    await using disk = await tmpfs(64);
    using folder = await openFolder(disk.path);
    await folder.write("file", bytes("old"));
    const full = 'Cannot write "file": the disk is full';
    assert.equal(await messageOf(folder.write("file", new Uint8Array(100_000))), full);
    assert.deepEqual(names(disk.path), ["file"]);
    folder[Symbol.dispose]();
    await disk.makeReadOnly();
    using frozen = await openFolder(disk.path);
    const changes = [
      () => frozen.write("file", bytes("x")),
      () => frozen.makeFolder("sub"),
      () => frozen.remove("file"),
      () => frozen.rename("file", "moved"),
    ];
    for (const change of changes) {
      assert.match(await messageOf(change()), /^Cannot .*: the file system is read-only$/);
    }
    assert.equal(text((await frozen.read("file", bound)).bytes), "old");
  },
);

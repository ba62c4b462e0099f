import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { startDoomed } from "tests/kit/doomed.ts";
import { cannotMount, makeFifo, makeNonUtf8Name, tmpfs } from "tests/kit/odd_disks.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const files = denoFiles();
const bound = { maxBytes: 1024 };
const writeForever = new URL("../write_forever.ts", import.meta.url);
const withoutDisk = { ignore: await cannotMount() };

async function failure(work: Promise<unknown>): Promise<Failure> {
  const thrown = await work.then(() => undefined, (thrown) => thrown);
  assert.ok(thrown instanceof Failure, `expected a Failure, got ${thrown}`);
  assert.ok(thrown.detail.remedy, thrown.message);
  return thrown;
}

async function fails(work: Promise<unknown>, code: string, message: string): Promise<void> {
  const thrown = await failure(work);
  assert.deepEqual([thrown.code, thrown.message], [code, message]);
}

const names = (folder: string) => Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
const modeOf = (path: string) => (Deno.lstatSync(path).mode ?? 0) & 0o7777;

Deno.test("read gives the bytes up to its bound and fails beyond", async () => {
  await using dir = await tempFolder();
  await dir.write("full", "x".repeat(1024));
  await dir.write("over", "x".repeat(1025));
  assert.equal((await files.read(`${dir.path}/full`, bound)).length, 1024);
  await fails(
    files.read(`${dir.path}/over`, bound),
    "failed",
    `Cannot read "${dir.path}/over": it is larger than 1024 bytes`,
  );
});

Deno.test("read takes a file that says it has 0 bytes whole", async () => {
  const text = await files.readText("/proc/self/status", { maxBytes: 64 * 1024 });
  assert.match(text, /^Name:.*\nnonvoluntary_ctxt_switches:\s+\d+\n$/s);
});

Deno.test("read says why a path cannot be read, without waiting on a FIFO", async () => {
  await using dir = await tempFolder();
  await dir.write("file", "");
  await makeFifo(`${dir.path}/fifo`);
  Deno.symlinkSync("loop", `${dir.path}/loop`);
  const cases = [
    ["missing", "not_found", "no such file or folder"],
    [".", "failed", "it is a folder"],
    ["fifo", "refused", "it is not a regular file"],
    ["loop", "failed", "its symbolic links form a loop"],
    ["file/below", "failed", "a file stands where a folder is needed"],
    ["n".repeat(256), "usage", "the name is too long for the file system"],
  ] as const;
  for (const [name, code, why] of cases) {
    const path = `${dir.path}/${name}`;
    const shown = path.length > 300 ? `${path.slice(0, 300)}…` : path;
    await fails(files.read(path, bound), code, `Cannot read "${shown}": ${why}`);
  }
  const nul = await failure(files.read(`${dir.path}/a\0b`, bound));
  assert.equal(nul.code, "usage");
});

Deno.test("readText refuses bytes that are not UTF-8 unless lossy", async () => {
  await using dir = await tempFolder();
  const path = `${dir.path}/latin1`;
  await dir.write("latin1", new Uint8Array([0x63, 0xe9]));
  await fails(files.readText(path, bound), "failed", `Cannot read "${path}": it is not UTF-8 text`);
  assert.equal(await files.readText(path, { ...bound, lossy: true }), "c\u{FFFD}");
});

Deno.test("writeAtomic gives 0600 to a new file and keeps the mode of an old one", async () => {
  await using dir = await tempFolder();
  const path = `${dir.path}/file`;
  await files.writeAtomic(path, "one");
  assert.equal(modeOf(path), 0o600);
  for (const mode of [0o666, 0o755, 0o400]) {
    Deno.chmodSync(path, mode);
    await files.writeAtomic(path, `as ${mode}`);
    assert.equal(modeOf(path), mode);
    assert.equal(await files.readText(path, bound), `as ${mode}`);
  }
  await files.writeAtomic(path, new Uint8Array([1, 2]), { mode: 0o640 });
  assert.equal(modeOf(path), 0o640);
  assert.deepEqual(await files.read(path, bound), new Uint8Array([1, 2]));
  assert.deepEqual(names(dir.path), ["file"]);
});

Deno.test(
  "writeAtomic keeps the owner and the group when root writes",
  { ignore: Deno.uid() !== 0 },
  async () => {
    await using dir = await tempFolder();
    for (const [owner, group] of [[12345, 23456], [0, 23456], [12345, 0]] as const) {
      await dir.write("theirs", "");
      Deno.chownSync(`${dir.path}/theirs`, owner, group);
      await files.writeAtomic(`${dir.path}/theirs`, "new");
      const facts = await files.stat(`${dir.path}/theirs`);
      assert.deepEqual([facts?.owner, facts?.group], [owner, group]);
    }
  },
);

Deno.test("writeAtomic refuses what is not a regular file", async () => {
  await using dir = await tempFolder();
  await dir.write("real", "old");
  await dir.write("folder/file", "");
  Deno.symlinkSync("real", `${dir.path}/link`);
  Deno.symlinkSync("nowhere", `${dir.path}/dangling`);
  await makeFifo(`${dir.path}/fifo`);
  const before = names(dir.path);
  for (const name of ["link", "dangling", "folder", "fifo"]) {
    const thrown = await failure(files.writeAtomic(`${dir.path}/${name}`, "new"));
    assert.equal(thrown.code, name === "folder" ? "failed" : "refused");
  }
  assert.equal((await failure(files.writeAtomic(`${dir.path}/no/file`, ""))).code, "not_found");
  assert.equal(await dir.read("real"), "old");
  assert.deepEqual(names(dir.path), before);
});

Deno.test("writeAtomic with followLink keeps the link and replaces its target", async () => {
  await using dir = await tempFolder();
  await dir.write("dotfiles/bashrc", "old");
  Deno.chmodSync(`${dir.path}/dotfiles/bashrc`, 0o644);
  Deno.symlinkSync("dotfiles/bashrc", `${dir.path}/.bashrc`);
  Deno.symlinkSync("nowhere", `${dir.path}/dangling`);
  await files.writeAtomic(`${dir.path}/.bashrc`, "new", { followLink: true });
  assert.equal(Deno.readLinkSync(`${dir.path}/.bashrc`), "dotfiles/bashrc");
  assert.equal(await dir.read("dotfiles/bashrc"), "new");
  assert.equal(modeOf(`${dir.path}/dotfiles/bashrc`), 0o644);
  await files.writeAtomic(`${dir.path}/absent`, "made", { followLink: true });
  assert.equal(await dir.read("absent"), "made");
  const dangling = files.writeAtomic(`${dir.path}/dangling`, "", { followLink: true });
  assert.equal((await failure(dangling)).code, "not_found");
});

Deno.test("writeAtomic by many at once leaves one whole content and no temp", async () => {
  await using dir = await tempFolder();
  const contents = Array.from({ length: 24 }, (_, i) => String(i % 10).repeat(50_000));
  await Promise.all(contents.map((text) => files.writeAtomic(`${dir.path}/file`, text)));
  assert.ok(contents.includes(await dir.read("file")));
  assert.deepEqual(names(dir.path), ["file"]);
});

Deno.test("writeAtomic sweeps temps of dead writers, and nothing else", async () => {
  await using dir = await tempFolder();
  const temp = (digit: string) => `.svc-tmp-${digit.repeat(24)}`;
  await dir.write(temp("a"), "its writer is gone");
  await dir.write(temp("b"), "its writer lives");
  await dir.write(`${temp("c")}/file`, "a folder");
  await makeFifo(`${dir.path}/${temp("d")}`);
  Deno.symlinkSync(temp("a"), `${dir.path}/${temp("e")}`);
  // Names that svc does not make.
  const others = [".svc-tmp-mine", `notes${temp("f")}`, `${temp("f")}~`];
  for (const name of others) await dir.write(name, "");
  {
    using held = await Deno.open(`${dir.path}/${temp("b")}`);
    await held.lock(true);
    await files.writeAtomic(`${dir.path}/file`, "");
    const kept = [temp("b"), temp("c"), temp("d"), temp("e"), ...others, "file"];
    assert.deepEqual(names(dir.path), kept.sort());
  }
  await files.writeAtomic(`${dir.path}/file`, "");
  assert.ok(!names(dir.path).includes(temp("b")));
});

Deno.test(
  "writeAtomic leaves the old file and no temp when the disk is full",
  withoutDisk,
  async () => {
    await using disk = await tmpfs(64);
    const path = `${disk.path}/file`;
    await files.writeAtomic(path, "old");
    await fails(
      files.writeAtomic(path, new Uint8Array(100_000)),
      "environment",
      `Cannot write "${path}": the disk is full`,
    );
    assert.equal(await files.readText(path, bound), "old");
    assert.deepEqual(names(disk.path), ["file"]);
    assert.equal(await files.isWritableFolder(disk.path), true);
  },
);

Deno.test("writeAtomic names a read-only file system", withoutDisk, async () => {
  await using disk = await tmpfs(64);
  await disk.makeReadOnly();
  const why = "the file system is read-only";
  const path = `${disk.path}/new`;
  await fails(files.writeAtomic(path, ""), "environment", `Cannot write "${path}": ${why}`);
  await fails(files.appendLine(path, ""), "environment", `Cannot append to "${path}": ${why}`);
  await fails(files.makeFolder(path), "environment", `Cannot make folder "${path}": ${why}`);
  assert.equal(await files.isWritableFolder(disk.path), false);
});

Deno.test("writeAtomic never sweeps the temp of a writer that lives", async () => {
  await using dir = await tempFolder();
  await using writer = startDoomed(writeForever, "files", dir.path);
  for (let round = 0; round < 100; round++) {
    await writer.printed(round);
    await files.writeAtomic(`${dir.path}/own`, String(round));
  }
});

Deno.test("writeAtomic killed at any point leaves old or new content, and no temp for long", async () => {
  await using dir = await tempFolder();
  let leftovers = 0;
  for (let round = 0; round < 50; round++) {
    await using writer = startDoomed(writeForever, "files", dir.path);
    await writer.printed(1);
    // Kills at ever later points after a temp has come into being.
    const temp = () => names(dir.path).some((name) => name.startsWith(".svc-tmp-"));
    for (let looks = 0; !temp(); looks++) assert.ok(looks < 1e6, "the writer makes no temp");
    for (let later = 0; later < round; later++) names(dir.path);
    await writer.kill();
    const content = await files.read(`${dir.path}/target`, { maxBytes: 1024 * 1024 });
    assert.equal(content.length, 64 * 1024);
    assert.ok(content.every((byte) => byte === content[0]), `mixed content in round ${round}`);
    leftovers += names(dir.path).length - 1;
    await files.writeAtomic(`${dir.path}/next`, "");
    assert.deepEqual(names(dir.path), ["next", "target"]);
    Deno.removeSync(`${dir.path}/next`);
  }
  assert.ok(leftovers > 0, "no kill came between temp and rename: the test proved nothing");
});

Deno.test("openAppend makes an owner-only file and keeps lines of two writers whole", async () => {
  await using dir = await tempFolder();
  const path = `${dir.path}/log`;
  {
    using one = await files.openAppend(path);
    using other = await files.openAppend(path);
    const line = (who: string) => `${who.repeat(500)}\n`;
    await Promise.all(
      ["a", "b", "c", "d"].flatMap((who) => [one, other].map((f) => f.write(line(who)))),
    );
    await one.sync();
  }
  await files.appendLine(path, "last");
  const lines = (await dir.read("log")).split("\n");
  assert.deepEqual([lines.length, lines.at(-2), lines.at(-1)], [10, "last", ""]);
  assert.ok(lines.slice(0, 8).every((line) => /^(a{500}|b{500}|c{500}|d{500})$/.test(line)));
  assert.equal(modeOf(path), 0o600);
});

Deno.test("openAppend tightens an old log and refuses a link", async () => {
  await using dir = await tempFolder();
  await dir.write("log", "");
  Deno.chmodSync(`${dir.path}/log`, 0o644);
  Deno.symlinkSync("log", `${dir.path}/link`);
  await files.appendLine(`${dir.path}/log`, "x");
  assert.equal(modeOf(`${dir.path}/log`), 0o600);
  assert.equal((await failure(files.openAppend(`${dir.path}/link`))).code, "refused");
});

Deno.test("makeFolder makes 0700 folders and leaves an old one as it is", async () => {
  await using dir = await tempFolder();
  Deno.mkdirSync(`${dir.path}/old`);
  Deno.chmodSync(`${dir.path}/old`, 0o755);
  await files.makeFolder(`${dir.path}/old/a/b`);
  await files.makeFolder(`${dir.path}/old`);
  const modes = ["old", "old/a", "old/a/b"].map((name) => modeOf(`${dir.path}/${name}`));
  assert.deepEqual(modes, [0o755, 0o700, 0o700]);
  await dir.write("file", "");
  assert.equal((await failure(files.makeFolder(`${dir.path}/file`))).code, "conflict");
});

Deno.test("stat tells of the path itself and gives undefined when it is absent", async () => {
  await using dir = await tempFolder();
  await dir.write("file", "abc");
  Deno.linkSync(`${dir.path}/file`, `${dir.path}/twin`);
  Deno.symlinkSync("file", `${dir.path}/link`);
  const facts = await files.stat(`${dir.path}/file`);
  assert.deepEqual([facts?.kind, facts?.size, facts?.links], ["file", 3, 2]);
  assert.equal(facts?.inode, (await files.stat(`${dir.path}/twin`))?.inode);
  assert.equal((await files.stat(`${dir.path}/link`))?.kind, "symlink");
  assert.equal((await files.stat(dir.path))?.kind, "folder");
  assert.equal(await files.stat(`${dir.path}/none`), undefined);
});

Deno.test("list sorts, tells kinds and counts names that are not UTF-8", async () => {
  await using dir = await tempFolder();
  await dir.write("b/file", "");
  await dir.write("a", "");
  Deno.symlinkSync("a", `${dir.path}/c`);
  await makeFifo(`${dir.path}/d`);
  await makeNonUtf8Name(dir.path);
  assert.deepEqual(await files.list(dir.path), {
    entries: [
      { name: "a", kind: "file" },
      { name: "b", kind: "folder" },
      { name: "c", kind: "symlink" },
      { name: "d", kind: "other" },
    ],
    more: 0,
    skipped: 1,
  });
});

Deno.test("remove takes a file, a link or an empty folder, not a full one", async () => {
  await using dir = await tempFolder();
  await dir.write("full/file", "");
  Deno.symlinkSync("full", `${dir.path}/link`);
  await fails(
    files.remove(`${dir.path}/full`),
    "conflict",
    `Cannot remove "${dir.path}/full": the folder is not empty`,
  );
  for (const name of ["link", "full/file", "full"]) await files.remove(`${dir.path}/${name}`);
  assert.deepEqual(names(dir.path), []);
});

Deno.test("realPath resolves links, isWritableFolder leaves no trace", async () => {
  await using dir = await tempFolder();
  await dir.write("file", "");
  Deno.symlinkSync(".", `${dir.path}/link`);
  assert.equal(await files.realPath(`${dir.path}/link/file`), `${dir.path}/file`);
  assert.equal((await failure(files.realPath(`${dir.path}/none`))).code, "not_found");
  assert.equal(await files.isWritableFolder(dir.path), true);
  assert.equal(await files.isWritableFolder(`${dir.path}/file`), false);
  assert.equal(await files.isWritableFolder(`${dir.path}/none`), false);
  assert.deepEqual(names(dir.path), ["file", "link"]);
});

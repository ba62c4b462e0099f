import assert from "node:assert/strict";
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { redactor } from "svc/core/redact.ts";
import { fileEdit } from "svc/features/tools/file_edit.ts";
import { fileRead } from "svc/features/tools/file_read.ts";
import { fileWrite } from "svc/features/tools/file_write.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { cannotMount, tmpfs } from "tests/kit/odd_disks.ts";
import { toolPlace } from "tests/kit/tool_place.ts";

Deno.test("file_write makes a file with its folders, and may then replace it", async () => {
  await using at = await toolPlace();
  const made = await at.call(fileWrite, { path: "src/new/a.ts", content: "one\ntwo\n" });
  assert.deepEqual([made.status, made.text], ["ok", 'Made "src/new/a.ts", 2 lines']);
  const again = await at.call(fileWrite, { path: "src/new/a.ts", content: "one\n" });
  assert.equal(again.text, 'Replaced "src/new/a.ts": 1 lines, before 2');
  assert.equal(await at.repo.read("src/new/a.ts"), "one\n");
});

Deno.test("file_write replaces only what was read and has not changed since", async () => {
  await using at = await toolPlace({ files: { a: "one\n" } });
  const blind = await at.call(fileWrite, { path: "a", content: "two\n" });
  assert.match(blind.text, /"a" exists and was not read/);
  const twice = await at.call(fileWrite, { path: "a", content: "two\n" });
  assert.equal(twice.status, "failed", "the tool's own look does not count");
  await at.call(fileRead, { path: "a" });
  await at.repo.write("a", "changed\n");
  const late = await at.call(fileWrite, { path: "a", content: "two\n" });
  assert.match(late.text, /is not what it was when you read it/);
  assert.equal(await at.repo.read("a"), "changed\n");
  const same = await at.call(fileWrite, { path: "a", content: "changed\n" });
  assert.deepEqual([same.status, same.text], ["ok", '"a" says so already']);
});

Deno.test("file_write and file_edit by hand change a file that nothing could have read before", async () => {
  await using at = await toolPlace({
    files: { a: "one\n", b: "f(“x”)\n" },
    session: { byHand: true },
  });
  const { status, text } = await at.call(fileWrite, { path: "a", content: "two\n" });
  assert.deepEqual([status, text], ["ok", 'Replaced "a": 1 lines, before 1']);
  const edited = await at.call(fileEdit, { path: "b", old: 'f("x")', new: "g()" });
  assert.equal(edited.status, "ok", edited.text);
  assert.equal(await at.repo.read("b"), "g()\n");
});

Deno.test("file_write and file_edit say what else to do with a file that is no text, or no file", async () => {
  await using at = await toolPlace({
    files: { latin: new Uint8Array([97, 0xe9, 10]), huge: "x".repeat(FILE_WRITE_BYTES + 1) },
  });
  for (
    const [path, why] of [["latin", /is not UTF-8/], ["huge", /has more than \d+ bytes/]] as const
  ) {
    const written = await at.call(fileWrite, { path, content: "x\n" });
    const edited = await at.call(fileEdit, { path, old: "a", new: "b" });
    for (const { status, text } of [written, edited]) {
      assert.equal(status, "failed");
      assert.match(text, why);
      assert.match(text, /with a program that can, by command_run/);
    }
  }
  await new Deno.Command("mkfifo", { args: [`${at.repo.path}/fifo`] }).output();
  const { text } = await at.call(fileWrite, { path: "fifo", content: "x" });
  assert.match(text, /^Cannot write "fifo": it is no regular file\nGive another path/);
});

Deno.test("file_write keeps the byte order mark and the line ends of the file", async () => {
  await using at = await toolPlace({ files: { a: "\ufeffone\r\ntwo\r\n", mixed: "a\r\nb\n" } });
  await at.call(fileRead, { path: "a" });
  const { text, facts } = await at.call(fileWrite, { path: "a", content: "1\n2\n3" });
  assert.equal(
    text,
    'Replaced "a": 3 lines, before 2; kept its CRLF line ends and byte order mark',
  );
  assert.deepEqual(facts["kept"], ["CRLF line ends", "byte order mark"]);
  const bytes = await Deno.readFile(`${at.repo.path}/a`);
  assert.deepEqual(bytes, new TextEncoder().encode("\ufeff1\r\n2\r\n3"));
  await at.call(fileRead, { path: "mixed" });
  await at.call(fileWrite, { path: "mixed", content: "x\n" });
  assert.equal(await at.repo.read("mixed"), "x\n");
});

Deno.test("file_write refuses what stands for code left out, and marks of hidden secrets", async () => {
  const session = { redact: redactor(["hunter2-hunter2"]) };
  await using at = await toolPlace({ files: { a: "key = hunter2-hunter2\n" }, session });
  const fresh = await at.call(fileWrite, {
    path: "b",
    content: "a();\n// ... rest of the code ...\n",
  });
  assert.match(fresh.text, /stands for code left out/);
  await at.call(fileRead, { path: "a" });
  for (const content of ["key = [redacted]\n", "// ... existing code ...\n"]) {
    assert.equal((await at.call(fileWrite, { path: "a", content })).status, "failed");
  }
  assert.equal(await at.repo.read("a"), "key = hunter2-hunter2\n");
  assert.equal((await at.repo.git("status", "--porcelain")).trim(), "");
});

Deno.test("file_write refuses binary files, folders and too much", async () => {
  await using at = await toolPlace({ files: { binary: new Uint8Array([0, 1]), "dir/a": "1" } });
  await at.call(fileRead, { path: "binary" });
  const cases = [
    ["binary", "x", /exists and is binary\. Give another path, or/],
    ["dir", "x", /it is a folder/],
    ["dir/a/b", "x", /a file stands where a folder is needed/],
    ["large", "x".repeat(FILE_WRITE_BYTES + 1), /Write at most/],
  ] as const;
  for (const [path, content, wanted] of cases) {
    const { status, text } = await at.call(fileWrite, { path, content });
    assert.equal(status, "failed");
    assert.match(text, wanted);
  }
  assert.equal((await at.repo.git("status", "--porcelain")).trim(), "");
});

Deno.test(
  "file_write leaves the old file when the disk is full",
  { ignore: await cannotMount() },
  async () => {
    await using disk = await tmpfs(256);
    await Deno.writeTextFile(`${disk.path}/a`, "old\n");
    using folder = await openFolder(disk.path);
    await using at = await toolPlace({ folder });
    await at.call(fileRead, { path: "a" });
    const { status, text } = await at.call(fileWrite, {
      path: "a",
      content: "x".repeat(512 * 1024),
    });
    assert.equal(status, "failed");
    assert.match(text, /^Cannot write "a": the disk is full\nFree space/);
    assert.equal(await Deno.readTextFile(`${disk.path}/a`), "old\n");
    assert.deepEqual(Array.from(Deno.readDirSync(disk.path), ({ name }) => name), ["a"]);
    await at.call(fileRead, { path: "a" });
    assert.equal((await at.call(fileWrite, { path: "a", content: "new\n" })).status, "ok");
  },
);

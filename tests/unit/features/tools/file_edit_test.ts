import assert from "node:assert/strict";
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { redactor } from "svc/core/redact.ts";
import { fileEdit } from "svc/features/tools/file_edit.ts";
import { fileRead } from "svc/features/tools/file_read.ts";
import { toolPlace } from "tests/kit/tool_place.ts";

const encoder = new TextEncoder();

Deno.test("file_edit says which rung won and where", async () => {
  await using at = await toolPlace({ files: { "a.ts": "one\ntwo\nthree\n" } });
  const outcome = await at.call(fileEdit, { path: "./a.ts", old: "two\n", new: "2\n" });
  assert.deepEqual([outcome.status, outcome.text], ["ok", 'Changed "a.ts" at line 2']);
  assert.deepEqual(outcome.facts, { rung: "exact", line: 2, count: 1 });
  assert.equal(await at.repo.read("a.ts"), "one\n2\nthree\n");
});

Deno.test("file_edit leaves every byte outside of the change as it is", async () => {
  const before = "\ufeffone\r\ntwo\r\nthree\nfour  \r\nlast";
  await using at = await toolPlace({ files: { a: encoder.encode(before) } });
  await Deno.chmod(`${at.repo.path}/a`, 0o751);
  await at.call(fileRead, { path: "a" });
  assert.equal(
    (await at.call(fileEdit, { path: "a", old: "two\nthree", new: "2\n3" })).status,
    "ok",
  );
  const bytes = await Deno.readFile(`${at.repo.path}/a`);
  assert.deepEqual(bytes, encoder.encode("\ufeffone\r\n2\r\n3\nfour  \r\nlast"));
  assert.equal((await Deno.stat(`${at.repo.path}/a`)).mode! & 0o777, 0o751);
});

Deno.test("file_edit keeps what it wrote as seen, so that edits follow each other", async () => {
  await using at = await toolPlace({ files: { a: "  one\n  two\n" } });
  await at.call(fileRead, { path: "a" });
  for (const [old, fresh] of [["one\ntwo", "1\n2"], ["1\n2", "one\ntwo"]]) {
    const { status, facts } = await at.call(fileEdit, { path: "a", old, new: fresh });
    assert.deepEqual([status, facts["rung"]], ["ok", "indentation"]);
  }
});

Deno.test("file_edit shows what the file is after a loose match", async () => {
  await using at = await toolPlace({ files: { a: "x\n  one\n  two\ny\n" } });
  await at.call(fileRead, { path: "a" });
  const { text } = await at.call(fileEdit, { path: "a", old: "one\ntwo", new: "1\n2" });
  assert.equal(
    text,
    'Changed "a" at line 2. The text was found by its lines, indented otherwise; there the file is now:\nx\n  1\n  2\ny',
  );
});

Deno.test("file_edit refuses a loose match in a file that was not read", async () => {
  await using at = await toolPlace({ files: { a: "  one\n  two\n" } });
  const { status, text } = await at.call(fileEdit, { path: "a", old: "one\ntwo", new: "1\n2" });
  assert.equal(status, "failed");
  assert.match(text, /was not read\. Read it, then repeat the edit$/);
  assert.equal(await at.repo.read("a"), "  one\n  two\n");
});

Deno.test("file_edit refuses a file that changed since it was read, again and again", async () => {
  await using at = await toolPlace({ files: { a: "one\n" } });
  await at.call(fileRead, { path: "a" });
  await at.repo.write("a", "one\nmore\n");
  for (let round = 0; round < 2; round++) {
    const { status, text } = await at.call(fileEdit, { path: "a", old: "one", new: "1" });
    assert.equal(status, "failed");
    assert.match(text, /is not what it was when you read it\. Read it again/);
  }
  await at.call(fileRead, { path: "a" });
  assert.equal((await at.call(fileEdit, { path: "a", old: "one", new: "1" })).status, "ok");
  assert.equal(await at.repo.read("a"), "1\nmore\n");
});

Deno.test("file_edit writes over nothing that changed while it worked", async () => {
  await using at = await toolPlace({ files: { a: "one\n" } });
  const { tree } = at.session;
  const { folder } = tree;
  const session = {
    ...at.session,
    tree: {
      ...tree,
      folder: {
        ...folder,
        stat: (path: string) => folder.stat(path),
        read: (path: string, bound: { maxBytes: number }) => folder.read(path, bound),
        async write(path: string, bytes: Uint8Array, options: Parameters<typeof folder.write>[2]) {
          await at.repo.write("a", "other\n");
          return await folder.write(path, bytes, options);
        },
      } as typeof folder,
    },
  };
  const box = at.box([fileEdit], { session });
  const args = { path: "a", old: "one", new: "1" };
  const { status, text } = await box.call("file_edit", args, {
    signal: new AbortController().signal,
  });
  assert.deepEqual([status, text], [
    "failed",
    'Cannot write "a": it changed since it was read\nRead the file again, then repeat the edit',
  ]);
  assert.equal(await at.repo.read("a"), "other\n");
});

Deno.test("file_edit names the lines of all places when there are too many", async () => {
  await using at = await toolPlace({ files: { a: "x\nsame\ny\nsame\n", b: "see, see" } });
  const once = await at.call(fileEdit, { path: "b", old: "see", new: "other" });
  assert.match(once.text, /stands in "b" 2 times, at line 1\. /);
  const { text, facts } = await at.call(fileEdit, { path: "a", old: "same", new: "other" });
  assert.match(
    text,
    /stands in "a" 2 times, at line 2, 4\. Give more lines around .* expect_count/,
  );
  assert.deepEqual(facts, { found: 2 });
  const both = await at.call(fileEdit, { path: "a", old: "same", new: "other", expect_count: 2 });
  assert.equal(both.text, 'Changed "a" at line 2, in 2 places');
  assert.equal(await at.repo.read("a"), "x\nother\ny\nother\n");
});

Deno.test("file_edit shows three real snippets with line numbers when nothing matches", async () => {
  const text =
    "function area(w, h) {\n\n// one\n\nfunction areas(ws, hs) {\n\n// two\n\nfunction volume(w, h, d) {\n\n";
  await using at = await toolPlace({ files: { a: text } });
  const answer = await at.call(fileEdit, {
    path: "a",
    old: "function aera(wide, high) {",
    new: "x",
  });
  assert.equal(answer.status, "failed");
  assert.equal(
    answer.text,
    [
      'Nothing was changed: "a" has no such text.',
      "Repeat the edit with the real text. What is most like it:",
      ...["Line 1:", "function area(w, h) {"],
      ...["Line 5:", "function areas(ws, hs) {"],
      ...["Line 9:", "function volume(w, h, d) {"],
    ].join("\n"),
  );
});

Deno.test("file_edit refuses what cannot be meant", async () => {
  await using at = await toolPlace({
    files: {
      a: "one\n",
      binary: new Uint8Array([1, 0, 2]),
      latin: new Uint8Array([0x61, 0xe9, 0x0a]),
      large: new Uint8Array(FILE_WRITE_BYTES + 1).fill(97),
    },
  });
  const cases: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ path: "a", old: "", new: "x" }, /old is empty; for a new file use file_write/],
    [{ path: "a", old: "one", new: "one" }, /old and new are the same/],
    [{ path: "a", old: "one", new: "one\n// ... existing code ..." }, /stands for code left out/],
    [{ path: "b", old: "one", new: "1" }, /There is no file "b"/],
    [{ path: "binary", old: "one", new: "1" }, /"binary" is binary/],
    [{ path: "latin", old: "a", new: "1" }, /"latin" is not UTF-8/],
    [{ path: "large", old: "a", new: "1" }, /"large" has more than/],
    [{ path: ".git/config", old: "[core]", new: "1" }, /denied|\.git/i],
    [{ path: "a", old: "one\n", new: "x".repeat(FILE_WRITE_BYTES + 1) }, /Write at most \d+ bytes/],
  ];
  for (const [args, wanted] of cases) {
    const { status, text } = await at.call(fileEdit, args);
    assert.notEqual(status, "ok", JSON.stringify(args).slice(0, 100));
    assert.match(text, wanted);
  }
  assert.equal((await at.repo.git("status", "--porcelain")).trim(), "");
});

Deno.test("file_edit does not write the mark of a hidden secret over the secret", async () => {
  const session = { redact: redactor(["hunter2-hunter2"]) };
  await using at = await toolPlace({ files: { a: "key = hunter2-hunter2\nport = 1\n" }, session });
  const read = await at.call(fileRead, { path: "a" });
  assert.match(read.text, /key = \[redacted\]\nport = 1$/);
  const over = await at.call(fileEdit, { path: "a", old: "hunter2-hunter2", new: "[redacted]" });
  assert.match(over.text, /would put \[redacted\] where a secret is/);
  const beside = await at.call(fileEdit, { path: "a", old: "port = 1", new: "port = 2" });
  assert.equal(beside.status, "ok");
  assert.equal(await at.repo.read("a"), "key = hunter2-hunter2\nport = 2\n");
});

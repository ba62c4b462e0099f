import assert from "node:assert/strict";
import { redactor } from "svc/core/redact.ts";
import { fileList } from "svc/features/tools/file_list.ts";
import { fileRead } from "svc/features/tools/file_read.ts";
import { glob } from "svc/features/tools/glob.ts";
import { outputBound } from "svc/features/tools/bound_output.ts";
import { grep } from "svc/features/tools/grep.ts";
import { toolPlace } from "tests/kit/tool_place.ts";

const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");

Deno.test("file_read gives the lines, and tells of what they do not show", async () => {
  await using at = await toolPlace({
    files: {
      lf: "one\ntwo\n",
      crlf: "\ufeffone\r\ntwo",
      empty: "",
      latin: new Uint8Array([97, 0xe9, 10]),
    },
  });
  const text = async (path: string) => (await at.call(fileRead, { path })).text;
  assert.equal(await text("lf"), "[lf: 2 lines]\none\ntwo");
  assert.equal(
    await text("crlf"),
    "[crlf: 2 lines; byte order mark; CRLF line ends; no line end at the end]\none\ntwo",
  );
  assert.equal(await text("empty"), "[empty: 0 lines]");
  assert.match(await text("latin"), /^\[latin: 1 lines; not UTF-8: .*\]\na\ufffd$/);
});

Deno.test("file_read reads from a line on, and says how to go on", async () => {
  await using at = await toolPlace({ files: { a: numbered(5000) } });
  const part = await at.call(fileRead, { path: "a", offset: 3, limit: 2 });
  assert.equal(
    part.text,
    "[a: 5000 lines; these are 3 to 4]\nline 3\nline 4\n[go on with offset 5]",
  );
  assert.deepEqual([part.facts["from"], part.facts["to"], part.facts["lines"]], [3, 4, 5000]);
  const beyond = await at.call(fileRead, { path: "a", offset: 5001 });
  assert.deepEqual([beyond.status, beyond.text], ["failed", '"a" has only 5000 lines']);
  const whole = (await at.call(fileRead, { path: "a" })).text.split("\n");
  assert.equal(whole[1], "line 1");
  // One line of the 2,000 is the one in brackets.
  assert.equal(whole.at(-1), "[Lines 1 to 1999 are shown; go on with offset 2000]");
  const last = await at.call(fileRead, { path: "a", offset: 4999 });
  assert.equal(last.text, "[a: 5000 lines; these are 4999 to 5000]\nline 4999\nline 5000");
});

Deno.test("file_read keeps a line of 3 MB from flooding the model", async () => {
  await using at = await toolPlace({ files: { min: `a${"b".repeat(3_000_000)}` } });
  const { text } = await at.call(fileRead, { path: "min" });
  assert.match(
    text,
    /^\[min: 1 lines; no line end at the end\]\nab{2999} \[line cut: 3000 of its 3000001 char.*grep/,
  );
  assert.ok(text.length < 4000);
});

Deno.test("file_read shows what stands behind a long line, in small windows too", async () => {
  const secret = "hunter2-hunter2";
  const files = {
    min: `${"語".repeat(60_000)}\nsecond\n`,
    cut: `${"x".repeat(2985)}${secret}x\ny\n`,
  };
  await using at = await toolPlace({ files, session: { redact: redactor([secret]) } });
  const box = at.box([fileRead], { output: outputBound(8000) });
  const read = async (path: string) =>
    (await box.call("file_read", { path }, { signal: new AbortController().signal })).text;
  assert.match(await read("min"), /^\[min: 2 lines\]\n語+ \[line cut: [^\n]*\]\nsecond$/);
  assert.match(await read("cut"), /^\[cut: 2 lines\]\nx+\[redacted\]x\ny$/);
});

Deno.test("file_read reads the start of a huge file, and says so", async () => {
  await using at = await toolPlace({ files: { huge: "0123456789abcde\n".repeat(400_000) } });
  const { text } = await at.call(fileRead, { path: "huge", limit: 1 });
  assert.match(
    text,
    /^\[huge: 262144 lines; only the start of 6400000 bytes; use grep for the rest; these are 1 to 1\]\n0123456789abcde\n/,
  );
  assert.equal(at.session.seen.size, 0);
  const all = (await at.call(fileRead, { path: "huge" })).text;
  assert.match(all, /what was kept of 6400000 bytes is in .*-file_read\.txt\]\n/);
});

Deno.test("file_read says what else a path is", async () => {
  await using at = await toolPlace({
    files: {
      "src/main.ts": "",
      "src/other/x.ts": "",
      "docs/guide.md": "",
      bin: new Uint8Array([1, 0]),
    },
  });
  const text = async (path: string) => (await at.call(fileRead, { path })).text;
  assert.equal(await text("bin"), '"bin" is a binary file of 2 bytes');
  assert.equal(
    await text("src/"),
    '"src" is a folder:\n[src: 2 files, without what git ignores]\nother/ (1 file)\nmain.ts',
  );
  assert.equal(
    await text("src/mian.ts"),
    'There is no file "src/mian.ts". Did you mean "src/main.ts"?',
  );
  assert.equal(
    await text("guide.md"),
    'There is no file "guide.md". Did you mean "docs/guide.md"?',
  );
  assert.equal(
    await text("lib/gide.md"),
    'There is no file "lib/gide.md". Did you mean "docs/guide.md"?',
  );
  assert.match(await text("nothing/like/it"), /Look for it with file_list or glob/);
});

Deno.test("file_read, file_list and grep show nothing of git's data and of key files", async () => {
  await using at = await toolPlace({
    files: { ".harness/.env.local": "KEY=token-abc\n", ".harness/manifest.yaml": "x: token-abc\n" },
  });
  for (const path of [".git/config", ".GIT/config", ".harness/.env.local", ".harness/.ENV.LOCAL"]) {
    const { status, text } = await at.call(fileRead, { path });
    assert.equal(status, "failed");
    assert.match(text, /it may hold credentials/);
    assert.equal((await at.call(grep, { pattern: "token", path })).status, "failed");
  }
  assert.equal((await at.call(fileList, { path: ".git" })).status, "failed");
  assert.match((await at.call(fileRead, { path: ".harness/manifest.yaml" })).text, /token-abc/);
  const found = await at.call(grep, { pattern: "token-abc" });
  assert.equal(found.text, ".harness/manifest.yaml\n1:x: token-abc");
});

Deno.test("file_list shows a tree with counts, without what is ignored", async () => {
  await using at = await toolPlace({
    files: {
      ".gitignore": "out/\n",
      "b.ts": "",
      "src/a/deep/x.ts": "",
      "src/a/y.ts": "",
      "src/z.ts": "",
    },
  });
  await at.repo.write("out/made.js", "");
  await at.repo.write("src/new.ts", "");
  await Deno.mkdir(`${at.repo.path}/empty`);
  const text = async (args: unknown) => (await at.call(fileList, args)).text;
  assert.equal(
    await text({}),
    "[.: 6 files, without what git ignores]\nsrc/ (4 files)\n  a/ (2 files)\n  new.ts\n  z.ts\n.gitignore\nb.ts",
  );
  assert.equal(
    await text({ path: "src/a", depth: 3 }),
    "[src/a: 2 files, without what git ignores]\ndeep/ (1 file)\n  x.ts\ny.ts",
  );
  assert.equal(await text({ path: "out" }), '["out" is ignored by git]\nmade.js');
  assert.equal(await text({ path: "empty" }), '"empty" is empty');
  assert.equal(await text({ path: "b.ts" }), '"b.ts" is not a folder; use file_read');
  assert.match(await text({ path: "scr" }), /There is no file "scr"/);
});

Deno.test("glob finds tracked and new files by name, in the order of their paths", async () => {
  await using at = await toolPlace({
    files: { "b.ts": "", "a/x.ts": "", "a/y.md": "", ".gitignore": "*.log\n" },
  });
  await at.repo.write("a/new.ts", "");
  await at.repo.write("a/new.log", "");
  assert.equal((await at.call(glob, { pattern: "*.{ts,log}" })).text, "a/new.ts\na/x.ts\nb.ts");
  assert.equal((await at.call(glob, { pattern: "*.rs" })).text, "No file fits");
  const many = Object.fromEntries(
    Array.from({ length: 600 }, (_, at) => [`many/${1000 + at}.txt`, ""]),
  );
  for (const [path, content] of Object.entries(many)) await at.repo.write(path, content);
  const { text, facts } = await at.call(glob, { pattern: "many/*" });
  assert.equal(text.split("\n").length, 501);
  assert.match(text, /many\/1499\.txt\n\[100 more fit; use a narrower pattern\]$/);
  assert.deepEqual(facts, { files: 600 });
});

Deno.test("grep shows paths, lines and what is around them", async () => {
  await using at = await toolPlace({
    files: {
      "a.txt": numbered(9),
      "b/c.txt": "one\r\nLINE 5 here\r\n",
      bin: new Uint8Array([0, 108, 105]),
    },
  });
  const text = async (args: unknown) => (await at.call(grep, args)).text;
  assert.equal(await text({ pattern: "line [56]" }), "a.txt\n5:line 5\n6:line 6");
  assert.equal(
    await text({ pattern: "line 5", ignore_case: true }),
    "a.txt\n5:line 5\n\nb/c.txt\n2:LINE 5 here",
  );
  assert.equal(
    await text({ pattern: "line (1|4|8)$", context: 1 }),
    "a.txt\n1:line 1\n2-line 2\n3-line 3\n4:line 4\n5-line 5\n--\n7-line 7\n8:line 8\n9-line 9",
  );
  assert.equal(await text({ pattern: "E 5", path: "b" }), "b/c.txt\n2:LINE 5 here");
  assert.equal(await text({ pattern: ".", glob: "b/*" }), "b/c.txt\n1:one\n2:LINE 5 here");
  assert.equal(await text({ pattern: "line [5", fixed: true }), "No line matches");
  assert.equal(
    await text({ pattern: "line", max: 2 }),
    "a.txt\n1:line 1\n2:line 2\n[2 of 9 matching lines in 1 files; narrow the pattern, path or glob]",
  );
  assert.match(await text({ pattern: "x", path: "a.tx" }), /Did you mean "a.txt"/);
});

Deno.test("grep says why a pattern is not valid, and how to search for it all the same", async () => {
  await using at = await toolPlace({ files: { a: "f(x)\n" } });
  const { status, text } = await at.call(grep, { pattern: "f(" });
  assert.equal(status, "failed");
  assert.match(text, /^Cannot search for "f\(": missing closing parenthesis\n.*set fixed to true/);
  assert.equal((await at.call(grep, { pattern: "f(", fixed: true })).text, "a\n1:f(x)");
  assert.match((await at.call(grep, { pattern: "a\nb" })).text, /a text of several lines/);
});

Deno.test("grep cuts a long line around its match", async () => {
  await using at = await toolPlace({
    files: { min: `${"a".repeat(1_000_000)}needle${"b".repeat(1_000_000)}\n` },
  });
  const { text } = await at.call(grep, { pattern: "needle" });
  assert.match(text, /^min\n1:…a{100}needleb{394}…$/);
});

Deno.test("grep cuts no character in two", async () => {
  const line = (before: string) => `${before}${"🚢".repeat(600)}needle${"🚢".repeat(600)}\n`;
  await using at = await toolPlace({ files: { even: line(""), odd: line("x") } });
  const { text } = await at.call(grep, { pattern: "needle" });
  assert.match(text, /^even\n1:…🚢+needle🚢+…\n\s*odd\n1:…🚢+needle🚢+…$/u);
});

Deno.test("grep cuts no secret in two", async () => {
  const secret = "hunter2-hunter2";
  const files = { min: `${"a".repeat(300)}${secret}${"b".repeat(92)}needle${"c".repeat(600)}\n` };
  await using at = await toolPlace({ files, session: { redact: redactor([secret]) } });
  const { text } = await at.call(grep, { pattern: "needle" });
  assert.match(text, /^min\n1:…edacted\]b{92}needlec+…$/);
  assert.doesNotMatch(text, /unter|nter2/);
});

import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { gitKey, gitObjectId, gitPath, gitRef } from "svc/core/git_args.ts";

const OPTIONS = [
  "-",
  "--",
  "-n",
  "--output=/tmp/x",
  "--upload-pack=touch x",
  "--exec=sh",
  "--ext-diff",
  "--textconv",
  "-O/dev/null",
  "-cdiff.external=x",
  "--no-index",
  "--end-of-options",
];
const CONTROLS = ["\0", "\n", "\r", "\t", "\x1b", "\x7f", "\x01"].flatMap((control) => [
  control,
  `a${control}`,
  `${control}b`,
  `main${control}--output=x`,
]);
const TRANSPORTS = ["ext::sh -c id", "ext::sh", "xext::sh", "a/ext::b"];
const REFS = [
  "a..b",
  "...",
  "..",
  "main..",
  "HEAD@{1}",
  "@{u}",
  "@{-1}",
  "main:README",
  ":/text",
  ":0:a",
  "^main",
  "a b",
  "a?",
  "a*",
  "a[b",
  "a\\b",
  "file:///etc",
  "https://example.org/x",
];
const PATHS = ["/etc/passwd", "..", "../x", "a/../../x", "a/..", "/"];

function refusals(check: (value: string) => string, values: readonly string[]) {
  for (const value of values) {
    assert.throws(
      () => check(value),
      (thrown) => thrown instanceof Failure && thrown.code === "usage",
      JSON.stringify(value),
    );
  }
}

Deno.test("every value that git could take for something else is refused", () => {
  const everywhere = ["", ...OPTIONS, ...CONTROLS, ...TRANSPORTS];
  for (const check of [gitRef, gitPath, gitKey, gitObjectId]) refusals(check, everywhere);
  refusals(gitRef, REFS);
  refusals(gitPath, PATHS);
  refusals(gitKey, ["core", ".x", "x.", "1a.b", "a_b.c", "a.b c", "a.b=c", "a..", "a.b/c"]);
  refusals(gitObjectId, ["HEAD", "abc", "0".repeat(39), "0".repeat(41), "G".repeat(40)]);
  refusals(gitObjectId, ["A".repeat(40), `${"0".repeat(40)} `, "0".repeat(40) + ":x"]);
});

Deno.test("ordinary refs, paths, keys and ids are themselves", () => {
  for (const ref of ["main", "HEAD", "HEAD~2", "HEAD^", "feature/a-b", "v1.2.3", "é", "a@b"]) {
    assert.equal(gitRef(ref), ref);
  }
  for (const path of ["a", "a b/c.ts", "a..b", ".github/x", "*", ":(top)x", "é/ü", "a@{b}"]) {
    assert.equal(gitPath(path), path);
  }
  for (const key of ["user.name", "remote.origin.url", "branch.a.b/c.merge", "core.hooksPath"]) {
    assert.equal(gitKey(key), key);
  }
  for (const oid of ["0a".repeat(20), "0a".repeat(32)]) assert.equal(gitObjectId(oid), oid);
});

Deno.test("the refusal quotes the value, its control characters escaped", () => {
  assert.throws(() => gitRef("a\x1b[31m"), {
    message: 'Cannot use "a\\u001b[31m" as a git ref: it holds a control character',
  });
});

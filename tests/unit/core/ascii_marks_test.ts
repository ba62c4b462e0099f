import assert from "node:assert/strict";
import { asciiMarks, asciiOnly } from "svc/core/ascii_marks.ts";
import { svc } from "tests/kit/entrance.ts";
import { TREE } from "svc/cli/tree.gen.ts";

// deno-lint-ignore no-control-regex -- ASCII begins with control characters
const ASCII = /^[\x00-\x7f]*$/;

const LOCALES = [
  [{}, true, false],
  [{ LANG: "en_US.UTF-8" }, true, false],
  [{ LC_CTYPE: "UTF-8" }, true, false],
  [{ LANG: "C.utf8" }, false, false],
  [{ LC_ALL: "C", LANG: "en_US.UTF-8" }, true, true],
  [{ LC_ALL: "C" }, false, true],
  [{ LC_ALL: "", LC_CTYPE: "POSIX" }, true, true],
  [{ LANG: "de_DE.ISO-8859-1" }, true, true],
  [{ LANG: "en_US.UTF-8", TERM: "linux" }, true, true],
  [{ LANG: "en_US.UTF-8", TERM: "linux" }, false, false],
] as const;
for (const [env, terminal, only] of LOCALES) {
  Deno.test(`ASCII alone: ${only}, with ${JSON.stringify(env)}, terminal: ${terminal}`, () => {
    const known = new Map<string, string>(Object.entries(env));
    assert.equal(asciiOnly((name) => known.get(name), terminal), only);
  });
}

Deno.test("asciiMarks replaces svc's own signs, a cut in one cell, and nothing else", () => {
  assert.equal(asciiMarks("✓ a · b → c ✗ “x” 3×4 – é"), '+ a - b -> c x "x" 3x4 - é');
  assert.equal(asciiMarks("a long te…"), "a long te~");
  assert.equal(asciiMarks("Scanning …, OPENAI_API_KEY=…"), "Scanning ..., OPENAI_API_KEY=...");
  assert.equal(asciiMarks("a␊b␛[2J"), "a?b?[2J");
});

/** Texts of models and files are no signs of svc's own. */
const OTHERS = /[ïüñéà]/;

Deno.test("each sign that commands and the live screen print has one in ASCII", async () => {
  const root = new URL("../../../src/", import.meta.url).pathname;
  for (const folder of ["cli", "terminal"]) {
    const files = await new Deno.Command("git", {
      args: ["ls-files", "--cached", "--others", folder],
      cwd: root,
    }).output();
    for (const path of new TextDecoder().decode(files.stdout).trim().split("\n")) {
      const text = await Deno.readTextFile(root + path).catch(() => "");
      for (const [sign] of text.matchAll(/[\u{80}-\u{10ffff}]/gu)) {
        if (!OTHERS.test(sign)) assert.match(asciiMarks(sign), ASCII, `${path}: ${sign}`);
      }
    }
  }
});

Deno.test("with LC_ALL=C the help of every command is ASCII, and what is for programs is not touched", async () => {
  const env = { LC_ALL: "C", SVC_HOME: "/nonexistent/svc-test-home" };
  const paths = ["", ...Object.keys(TREE.commands), ...Object.keys(TREE.groups)];
  for (const path of paths) {
    const { stdout } = await svc([...path.split(" ").filter(Boolean), "--help"], { env });
    assert.match(stdout, ASCII, path);
    assert.ok(stdout.length > 50);
  }
  const { stdout } = await svc(["tools", "list", "--json"], { env });
  assert.equal(stdout, (await svc(["tools", "list", "--json"])).stdout);
});

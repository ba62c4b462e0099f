import assert from "node:assert/strict";
import fc from "fast-check";
import { unifiedDiff } from "svc/core/unified_diff.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

Deno.test("unifiedDiff shows the change with two lines around it", () => {
  const before = "one\ntwo\nthree\nfour\nfive\nsix\n";
  const after = "one\ntwo\nthree\nFOUR\n4\nfive\nsix\n";
  assert.equal(
    unifiedDiff("/h/.bashrc", utf8(before), utf8(after)),
    [
      "--- /h/.bashrc",
      "+++ /h/.bashrc",
      "@@ -2,5 +2,6 @@",
      " two",
      " three",
      "-four",
      "+FOUR",
      "+4",
      " five",
      " six",
      "",
    ].join("\n"),
  );
});

Deno.test("unifiedDiff names /dev/null for a new file", () => {
  const diff = unifiedDiff("rc", undefined, utf8("one\n"));
  assert.equal(diff, "--- /dev/null\n+++ rc\n@@ -0,0 +1,1 @@\n+one\n");
});

Deno.test("unifiedDiff is empty for equal contents", () => {
  assert.equal(unifiedDiff("rc", utf8("one"), utf8("one")), "");
});

Deno.test("unifiedDiff shows control characters instead of obeying them", () => {
  const diff = unifiedDiff("rc", utf8("\x1b[2J\r\n\u009b1m\n"), utf8("a\tb\n"));
  assert.match(diff, /^-␛\[2J␍$/m);
  assert.match(diff, /^-\u{FFFD}1m$/mu);
  assert.match(diff, /^\+a\tb$/m);
});

Deno.test("unifiedDiff is a patch that patch(1) applies", async () => {
  await using dir = await tempFolder();
  const text = fc.array(fc.constantFrom("a\n", "b\n", "\n", "ü\n"), { maxLength: 8 })
    .chain((lines) => fc.constantFrom("", "end").map((last) => lines.join("") + last));
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      // An emptied or new file is removed or made by patch, which is not what is tested here.
      fc.pre(before !== "" && after !== "" && before !== after);
      await dir.write("rc", before);
      await dir.write("patch", unifiedDiff("rc", utf8(before), utf8(after)));
      const { code, stdout } = await new Deno.Command("patch", {
        args: ["--fuzz=0", "--silent", "rc", "patch"],
        cwd: dir.path,
      }).output();
      assert.equal(code, 0, new TextDecoder().decode(stdout));
      assert.equal(await dir.read("rc"), after);
    }),
    { numRuns: 40 },
  );
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { Failure } from "svc/core/failure.ts";
import { bytesOf, byteText, withBlock, withoutBlock } from "svc/core/marked_block.ts";

const LABEL = "svc path";
const NOTE = "# Written by svc.";
const BEGIN = "# >>> svc path >>>";
const END = "# <<< svc path <<<";
const block = (...lines: string[]) => [BEGIN, NOTE, ...lines, END].join("\n");
const byte = (text: string) => byteText(new TextEncoder().encode(text));

function plan(text: string | undefined, lines: readonly string[], path: string) {
  return withBlock(text, { label: LABEL, lines: [NOTE, ...lines] }, { path, at: "end" });
}

Deno.test("withBlock puts the block behind a blank line at the end", () => {
  const { text, change } = plan("alias ll='ls -l'\n", ["one"], "rc");
  assert.deepEqual([text, change], [`alias ll='ls -l'\n\n${block("one")}\n`, "added"]);
});

Deno.test("withBlock makes a file of the block alone", () => {
  assert.equal(plan(undefined, ["one"], "rc").text, `${block("one")}\n`);
  assert.equal(plan("", ["one"], "rc").text, `${block("one")}\n`);
});

Deno.test("withBlock ends a last line that has no line end before it adds the block", () => {
  assert.equal(plan("last", ["one"], "rc").text, `last\n${block("one")}\n`);
});

Deno.test("withBlock updates a moved folder in place", () => {
  const old = `above\n${block("old", "older")}\nbelow`;
  const { text, change } = plan(old, ["new"], "rc");
  assert.deepEqual([text, change], [`above\n${block("new")}\nbelow`, "updated"]);
});

Deno.test("withBlock keeps CRLF, and hides its CR from the shell behind a comment", () => {
  const { text } = plan("# mine\r\n", ["one"], "rc");
  assert.equal(text, `# mine\r\n\r\n${BEGIN}\r\n${NOTE}\r\none #\r\n${END}\r\n`);
  assert.equal(plan(text, ["one"], "rc").change, "unchanged");
});

Deno.test("withBlock takes the line end of most lines", () => {
  assert.match(plan("a\r\nb\r\nc\n", ["one"], "rc").text, /one #\r\n/);
  assert.match(plan("a\r\nb\nc\n", ["one"], "rc").text, /\none\n/);
});

Deno.test("withBlock merges further blocks into the first", () => {
  const old = `a\n${block("x")}\nb\n${block("y")}\nc\n${block("x")}`;
  assert.deepEqual(plan(old, ["x"], "rc"), {
    text: `a\n${block("x")}\nb\nc\n`,
    change: "updated",
  });
});

Deno.test("withoutBlock takes every block out, and puts lines in place of the first alone", () => {
  const old = `a\n\n${block("x")}\nb\n${block("y")}\nc\n`;
  const place = { path: "rc", at: "end" } as const;
  assert.equal(withoutBlock(old, LABEL, place), "a\nb\nc\n");
  const hook = { path: "rc", at: "below the shebang" } as const;
  assert.equal(withoutBlock(old, LABEL, hook, ["mine"]), "a\n\nmine\nb\nc\n");
});

Deno.test("withoutBlock joins no line of the user's with one that was added behind the block", () => {
  const { text } = plan("last", ["one"], "rc");
  assert.equal(withoutBlock(`${text}mine\n`, LABEL, { path: "rc", at: "end" }), "last\nmine\n");
});

Deno.test("withBlock refuses half a block and names its line", () => {
  const cases = [
    [`a\n${BEGIN}\nb\n`, 2, BEGIN],
    [`a\n\n${END}\n`, 3, END],
    [`${BEGIN}\na\n${block("x")}\n`, 1, BEGIN],
    [`${block("x")}\n${END}`, 5, END],
  ] as const;
  for (const [text, line, marker] of cases) {
    assert.throws(() => plan(text, ["x"], "/h/.bashrc"), (error) => {
      assert.ok(error instanceof Failure && error.code === "conflict");
      const start = `Cannot edit "/h/.bashrc": line ${line} is "${marker}"`;
      assert.ok(error.message.startsWith(start), error.message);
      assert.match(error.detail.remedy!, new RegExp(`Delete line ${line},`));
      return true;
    });
  }
});

/** Files as people have them: lines of any bytes, any line ends, with or without a last one. */
const bytes = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 12 }).map(byteText),
    fc.constantFrom("\n", "\r\n", "\r", "# mine", " "),
  ),
  { maxLength: 12 },
).map((parts) => parts.join(""));
const someLines = fc.array(fc.stringMatching(/^[a-z "$ü]{1,9}$/), { minLength: 1, maxLength: 3 });

Deno.test("withBlock applied twice is plan applied once", () => {
  fc.assert(fc.property(bytes, someLines, (text, lines) => {
    const once = plan(text, lines, "rc");
    assert.deepEqual(plan(once.text, lines, "rc"), { text: once.text, change: "unchanged" });
  }));
});

for (const at of ["end", "below the shebang"] as const) {
  Deno.test(`withoutBlock gives back the file that had a block put in at the ${at}`, () => {
    fc.assert(fc.property(bytes, fc.boolean(), someLines, someLines, (rest, hash, lines, moved) => {
      const text = hash ? `#!/bin/sh\n${rest}` : rest;
      const place = { path: "rc", at };
      const once = withBlock(text, { label: LABEL, lines }, place).text;
      const edited = withBlock(once, { label: LABEL, lines: moved }, place).text;
      assert.equal(withoutBlock(edited, LABEL, place), text);
      assert.equal(withoutBlock(text, LABEL, place), text);
    }));
  });
}

Deno.test("withBlock keeps a shebang first", () => {
  const place = { path: "hook", at: "below the shebang" } as const;
  const { text } = withBlock("#!/bin/sh\necho mine\n", { label: LABEL, lines: ["one"] }, place);
  assert.equal(text, `#!/bin/sh\n${BEGIN}\none\n${END}\necho mine\n`);
});

Deno.test("withBlock leaves what stands around a block as it is", () => {
  fc.assert(fc.property(bytes, bytes, someLines, someLines, (above, below, lines, moved) => {
    const { text } = plan(`${above}\n${byte(block(...lines))}\n${below}`, moved, "rc");
    assert.equal(text, `${above}\n${byte(block(...moved))}\n${below}`);
  }));
});

Deno.test("byteText and bytesOf keep every byte", () => {
  const all = Uint8Array.from({ length: 20_000 }, (_, index) => index % 256);
  assert.deepEqual(bytesOf(byteText(all)), all);
});

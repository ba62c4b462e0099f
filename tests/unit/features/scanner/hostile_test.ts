import assert from "node:assert/strict";
import { factsOf } from "svc/features/scanner/file_facts.ts";
import { FILE_RULES, RULES } from "svc/features/scanner/rules/all.ts";
import { findingsIn } from "./example_view.ts";

/** Texts that a pattern which tries again and again would spend minutes on. */
const PIECES = [
  "/*",
  "\n",
  " ",
  "[",
  "(",
  "`",
  '"',
  "'",
  "=/[",
  "<a ",
  "from ",
  "process.env.AAA ",
  "# ",
  "a.",
];

Deno.test("facts of a text made to be slow are there in time", () => {
  for (
    const path of ["src/a.ts", "tests/a.test.ts", "a.md", ".github/workflows/a.yml", "Dockerfile"]
  ) {
    for (const piece of PIECES) {
      const text = piece.repeat(500_000 / piece.length);
      assert.equal(factsOf(path, { text, bytes: text.length }, FILE_RULES).bytes, text.length);
    }
  }
});

Deno.test("rules take settings made to be slow", async () => {
  for (const piece of ["\n", " ", "[", "a.", "- "]) {
    const text = piece.repeat(100_000 / piece.length);
    const names = ["go.mod", "pyproject.toml", "uv.lock", "Cargo.toml", "Cargo.lock", "AGENTS.md"];
    const files = Object.fromEntries(names.map((name) => [name, text]));
    const ticket = { "docs/tickets/review/T-0001-a.md": `---\nupdated:${text}x\n---\n` };
    assert.ok(Array.isArray(await findingsIn(RULES, { files: { ...files, ...ticket } })));
  }
});

Deno.test("rules take a lock file whose JSON is not as npm writes it", async () => {
  const manifest = '{"dependencies": {"left": "1"}}\n';
  for (
    const own of [
      "null",
      "[]",
      '""',
      '{"dependencies": null}',
      '{"dependencies": {"left": {"toString": 1}}}',
    ]
  ) {
    const lock = `{"packages": {"": ${own}}}\n`;
    const found = await findingsIn(RULES, {
      files: { "package.json": manifest, "package-lock.json": lock },
    });
    assert.ok(Array.isArray(found), own);
  }
});

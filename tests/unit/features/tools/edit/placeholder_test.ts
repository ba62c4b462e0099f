import assert from "node:assert/strict";
import { hidesSecret, placeholderIn } from "svc/features/tools/edit/placeholder.ts";
import { redactor } from "svc/core/redact.ts";

const NOTES = [
  "// ... existing code ...",
  "  // … existing code …",
  "# ... rest of the file unchanged ...",
  "# rest of the code remains unchanged",
  "/* ... rest of the implementation ... */",
  "<!-- ... existing content ... -->",
  "{/* ... existing code ... */}",
  "... (rest of file unchanged)",
  "[... existing code ...]",
  "// ... remaining methods unchanged",
  "// Rest of the file stays the same",
  "// rest of the function",
  "-- ... other functions unchanged",
  "// ...existing imports",
  "// existing code here",
  "// Other methods here",
  "// ... same as before",
  "; ... (previous code)",
  "// [existing code]",
  "% ... omitted for brevity",
  "// remaining code ...",
];

const CODE = [
  "...",
  "const rest = [...existing];",
  "f(...remaining)",
  "// ...",
  "return { ...original, code };",
  "// The existing code of a country is kept as it is in the table.",
  "if (unchanged) return;",
  "console.log('loading...')",
  "// Reads the rest of the file and closes it",
  "def f(): ...",
  "# Existing users keep their rights.",
  "// Other methods call this one first",
  "the rest of us",
  "remaining = total - done",
  "// see the code below",
  "",
];

Deno.test("placeholderIn finds what stands for code left out", () => {
  for (const note of NOTES) {
    assert.equal(placeholderIn(`a();\n${note}\nb();\n`, ""), note.trim(), note);
  }
});

Deno.test("placeholderIn leaves code and prose alone", () => {
  for (const line of CODE) {
    assert.equal(placeholderIn(`a();\n${line}\nb();\n`, ""), undefined, line);
  }
});

Deno.test("placeholderIn leaves a note alone that the file has already", () => {
  assert.equal(
    placeholderIn("  // ... existing code ...\n", "x\n// ... existing code ...\n"),
    undefined,
  );
});

Deno.test("hidesSecret is true only where the mark would stand for a secret", () => {
  const redact = redactor(["hunter2-hunter2"]);
  assert.equal(hidesSecret("key = [redacted]", "key = hunter2-hunter2", redact), true);
  assert.equal(hidesSecret("key = other", "key = hunter2-hunter2", redact), false);
  assert.equal(hidesSecret("print('[redacted]')", "print('')", redact), false);
  assert.equal(hidesSecret("[redacted]", "[redacted]", redact), false);
});

import assert from "node:assert/strict";
import { cells, page, type PageFacts } from "svc/cli/page/page.ts";

function drawn(facts: PageFacts, draw: (to: ReturnType<typeof page>) => void): string {
  let text = "";
  draw(page((part) => text += part, facts));
  return text;
}

Deno.test("table aligns its columns and cuts the last one to the terminal", () => {
  const rows = [["a", "short"], ["longer", "x".repeat(60)]];
  const plain = drawn({ styled: false }, (to) => to.table(["id", "text"], rows));
  assert.deepEqual(plain.split("\n").slice(0, 2), ["id      text", "a       short"]);
  assert.ok(plain.includes("x".repeat(60)), "nothing is cut where no terminal is");
  const narrow = drawn({ styled: false, columns: 30 }, (to) => to.table(["id", "text"], rows));
  assert.ok(narrow.split("\n").every((line) => cells(line) <= 30), narrow);
  assert.ok(narrow.includes("…"));
});

Deno.test("fields align their values", () => {
  const text = drawn({ styled: false }, (to) => to.fields([["a", "1"], ["long", "2"]]));
  assert.equal(text, "a:    1\nlong: 2\n");
});

Deno.test("a styled page colours, a plain one does not", () => {
  const draw = (to: ReturnType<typeof page>) => to.line(to.tone("good", "ok"));
  assert.equal(drawn({ styled: true }, draw), "\x1b[32mok\x1b[0m\n");
  assert.equal(drawn({ styled: false }, draw), "ok\n");
});

Deno.test("cells counts wide characters twice and marks not at all", () => {
  assert.deepEqual(["abc", "日本", "e\u0301", "\x1b[1mx\x1b[0m"].map(cells), [3, 4, 1, 1]);
});

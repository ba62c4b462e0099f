import assert from "node:assert/strict";
import { page } from "svc/cli/page/page.ts";
import { cells } from "svc/core/terminal_text.ts";
import { svc } from "tests/kit/entrance.ts";

const HEAD = ["provider", "endpoint", "key is read from"];
const ROWS = [
  ["openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"],
  ["gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"],
];

function tableAt(columns: number, rows = ROWS): string[] {
  let text = "";
  const facts = { styled: false, columns, redact: (text: string) => text };
  page((more) => void (text += more), facts).table(HEAD, rows);
  return text.trimEnd().split("\n");
}

for (const columns of [40, 60, 80]) {
  Deno.test(`a table at ${columns} columns overflows nowhere and cuts no short cell`, () => {
    const lines = tableAt(columns);
    for (const line of lines) assert.ok(cells(line) <= columns, line);
    const whole = lines.join("").replaceAll(/\s+/g, "");
    for (const cell of ROWS.flat()) assert.ok(whole.includes(cell), cell);
    assert.ok(!whole.includes("…"));
  });
}

Deno.test("a table that fits has columns; a long last one is cut", () => {
  assert.match(tableAt(100)[0]!, /^provider +endpoint +key is read from$/);
  const long = tableAt(60, [["a", "b", `${"word ".repeat(30)}`]]);
  assert.match(long[1]!, /^a +b +word .*…$/);
  assert.equal(cells(long[1]!), 60);
});

Deno.test("svc models list overflows no terminal", async () => {
  for (const columns of [40, 60]) {
    const { stdout } = await svc(["models", "list"], {
      columns,
      env: { SVC_HOME: "/nonexistent/svc-test-home", NO_COLOR: "1" },
    });
    assert.match(stdout, /ANTHROPIC_API_KEY/);
    // Headings are whole lines, which a terminal wraps.
    const tables = stdout.split("\n").filter((line) => !/^(?:Bundles|Providers) /.test(line));
    for (const line of tables) assert.ok(cells(line) <= columns, line);
  }
});

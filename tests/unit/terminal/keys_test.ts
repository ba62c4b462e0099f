import assert from "node:assert/strict";
import { KeyReader, KEYS } from "svc/terminal/keys.ts";

Deno.test("KEYS name each key and each action once", () => {
  const keys = KEYS.flatMap(({ keys }) => keys);
  assert.equal(new Set(keys).size, keys.length);
  assert.deepEqual(KEYS.map(({ action }) => action), ["pause", "restart", "scan", "stop", "help"]);
});

Deno.test("KeyReader reads keys, and nothing else", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["p", "pause"],
    ["P", "pause"],
    ["rs", "restart scan"],
    ["h?", "help help"],
    ["x\r\n \t1é漢", ""],
    // Arrows, F1, Alt-q, an answer to a query of the terminal, Escape alone.
    ["\x1b[A\x1bOP\x1bq\x1b[?1;2cq", "stop"],
    ["\x1b", ""],
    ["\x1b[200~push scan quick\x1b[201~h", "help"],
    ["\x1b[200~q\x1b[201~\x1b[200~r\x1b[201~", ""],
  ];
  for (const [typed, actions] of cases) {
    assert.equal(new KeyReader().read(typed).join(" "), actions, JSON.stringify(typed));
  }
});

Deno.test("KeyReader passes over pasted text that comes in pieces", () => {
  const reader = new KeyReader();
  assert.deepEqual(reader.read("p\x1b[200~que"), ["pause"]);
  assert.deepEqual(reader.read("stop here"), []);
  assert.deepEqual(reader.read("q\x1b[201~s"), ["scan"]);
});

import assert from "node:assert/strict";
import { fitsOn, pagerLine } from "svc/cli/page/pager.ts";
import { capturedEntrance } from "tests/kit/entrance.ts";

function asked(env: Record<string, string>, given: Record<string, unknown> = {}, terminal = true) {
  const { entrance } = capturedEntrance();
  const stdout = { ...entrance.stdout, terminal };
  return pagerLine({ stdout, env: { ...entrance.env, get: (name) => env[name] } }, given);
}

Deno.test("a pager is the person's, and none where nobody scrolls", () => {
  assert.equal(asked({}), "less -FRX");
  assert.equal(asked({ PAGER: "more -d" }), "more -d");
  for (const off of [{ json: true }, { plain: true }, { noPager: true }]) {
    assert.equal(asked({}, off), undefined);
  }
  for (const PAGER of ["", " ", "cat"]) assert.equal(asked({ PAGER }), undefined);
  assert.equal(asked({ TERM: "dumb" }), undefined);
  assert.equal(asked({}, {}, false), undefined);
});

Deno.test("a text fits while a row is left for the prompt, with long lines in several rows", () => {
  const screen = { columns: 10, rows: 4 };
  assert.equal(fitsOn("1\n2\n3\n", screen), true);
  assert.equal(fitsOn("1\n2\n3\n4\n", screen), false);
  assert.equal(fitsOn(`1\n${"x".repeat(20)}\n`, screen), true);
  assert.equal(fitsOn(`1\n${"x".repeat(21)}\n`, screen), false);
  assert.equal(fitsOn(`1\n\x1b[1m${"x".repeat(20)}\x1b[0m\n`, screen), true);
  assert.equal(fitsOn(`1\n${"界".repeat(11)}\n`, screen), false);
});

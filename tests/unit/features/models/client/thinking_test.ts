import fc from "fast-check";
import assert from "node:assert/strict";
import { splitThinking, thinkingFilter } from "svc/features/models/client/thinking.ts";

Deno.test("splitThinking takes out the block that a reply starts with", () => {
  assert.equal(splitThinking("<think>\nhm\n</think>\n\nYes.").said, "Yes.");
  assert.equal(splitThinking("<thinking>a</thinking><think>b</think> Yes.").said, "Yes.");
  assert.equal(splitThinking("so it is\n</think>\n\nYes.").said, "Yes.");
  assert.equal(splitThinking("<think>still").said, "still");
  assert.equal(splitThinking("<think>still", true).said, "");
  assert.equal(splitThinking("[THINK]a[/THINK]Yes.").said, "Yes.");
  assert.equal(splitThinking("<|START_THINKING|>a<|END_THINKING|>Yes.").thought, "a");
  assert.equal(splitThinking("<|channel>thought\na<channel|>Yes.").said, "Yes.");
  assert.equal(splitThinking("<seed:think>a</seed:think>Yes.").said, "Yes.");
  assert.equal(splitThinking("<think></think>".repeat(50_000) + "Yes.").said, "Yes.");
  assert.equal(splitThinking("Write `<think>` first.").said, "Write `<think>` first.");
  assert.equal(splitThinking("Say </think> here.").said, "Say </think> here.");
});

Deno.test("property: the filter shows the same whatever the pieces are", () => {
  const texts = fc.constantFrom(
    "<think>a\nb</think>\nYes <b>",
    "No thoughts <think> here",
    "<thinking></thinking>ok",
    "[THINK]a[/THINK]ok",
    "<|START_THINKING|>a<|END_THINKING|>ok",
    "<",
    "<think>open",
  );
  const shown = (pieces: readonly string[]) => {
    let seen = "";
    const push = thinkingFilter((delta) => seen += delta);
    pieces.forEach(push);
    return seen;
  };
  fc.assert(fc.property(texts, fc.array(fc.nat({ max: 12 })), (text, cuts) => {
    const points = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
    const pieces = [...points, text.length].map((end, at) => text.slice(points[at - 1] ?? 0, end));
    assert.equal(shown(pieces).trim(), shown([text]).trim());
  }));
});

Deno.test("the filter looks at each piece of long thoughts once", () => {
  let seen = "";
  const push = thinkingFilter((delta) => seen += delta);
  push("<think>");
  // Looked through from their beginning with each piece, these took minutes.
  for (let piece = 0; piece < 200_000; piece++) push(" thought");
  for (const piece of [" </th", "ink", ">\n", "Yes", "."]) push(piece);
  assert.equal(seen, "Yes.");
});

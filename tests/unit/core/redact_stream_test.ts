import assert from "node:assert/strict";
import { REDACTED, redactor } from "svc/core/redact.ts";
import { REDACT_HELD_CHARS, redactedStream } from "svc/core/redact_stream.ts";
import { redactSecrets } from "svc/features/guardrails/redact_text.ts";

function streamed(pieces: readonly string[], secrets: readonly string[] = ["hunter2hunter2"]) {
  const writes: string[] = [];
  const stream = redactedStream(redactor(secrets, redactSecrets), (text) => writes.push(text));
  for (const piece of pieces) stream.push(piece);
  const before = writes.join("");
  stream.end();
  return { writes, before, all: writes.join("") };
}

Deno.test("redactedStream takes out a secret that is cut at any place", () => {
  const text = "a hunter2hunter2 b\n";
  for (let cut = 0; cut <= text.length; cut++) {
    const { all } = streamed([text.slice(0, cut), text.slice(cut)]);
    assert.equal(all, `a ${REDACTED} b\n`);
  }
});

Deno.test("redactedStream writes whole lines at once and the rest at the end", () => {
  const { before, all } = streamed(["one\ntwo", " three"]);
  assert.equal(before, "one\n");
  assert.equal(all, "one\ntwo three");
});

Deno.test("redactedStream keeps a private key together over reads", () => {
  const body = Array.from({ length: 12 }, (_, line) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${line}`);
  const [begin, end] = ["BEGIN", "END"].map((word) => `-----${word} PRIVATE KEY-----`);
  const lines = ["before", begin!, ...body, end!, "after"];
  const { all, before } = streamed(lines.map((line) => `${line}\n`));
  assert.ok(!all.includes("MIIEvQ"), all);
  assert.match(all, /^before\n[\s\S]*after\n$/);
  assert.equal(before, all);
});

Deno.test("redactedStream holds back no more than its bound", () => {
  for (const size of [REDACT_HELD_CHARS + 1, 5 * REDACT_HELD_CHARS]) {
    const text = "x".repeat(size);
    const { before, all } = streamed([text]);
    assert.ok(size - before.length <= REDACT_HELD_CHARS);
    assert.equal(all, text);
  }
});

Deno.test("redactedStream cuts no secret in two where reads are long and end anywhere", () => {
  const token = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
  const line = `say hunter2hunter2 and ${token} too\n`;
  const text = line.repeat(5000);
  const expected = `say ${REDACTED} and [redacted:github-pat] too\n`.repeat(5000);
  for (const read of [20_011, 65_536]) {
    const pieces = text.match(new RegExp(`[^]{1,${read}}`, "g"))!;
    assert.ok(streamed(pieces).all === expected, `reads of ${read}`);
  }
});

Deno.test("redactedStream cuts no secret in two in a line without an end", () => {
  const token = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
  const text = `say hunter2hunter2 and ${token} too, `.repeat(3000);
  for (const read of [1009, 16_385, 65_536]) {
    const pieces = text.match(new RegExp(`[^]{1,${read}}`, "g"))!;
    const { writes, all } = streamed(pieces);
    assert.ok(writes.length > 2);
    const expected = `say ${REDACTED} and [redacted:github-pat] too, `.repeat(3000);
    assert.ok(all === expected, `reads of ${read}`);
  }
});

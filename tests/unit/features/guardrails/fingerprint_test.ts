import assert from "node:assert/strict";
import {
  Fingerprints,
  KEY_BYTES,
  keyOfRepo,
  newKey,
  redactValue,
} from "svc/features/guardrails/fingerprint.ts";
import { Draw } from "svc/features/guardrails/secret_rules/draw.ts";

const draw = new Draw(5);
const TOKEN = draw.base62(40);
const WEAK = "hunter-22";

Deno.test("Fingerprints are equal for equal values under one key, and differ otherwise", async () => {
  const key = newKey();
  assert.equal(key.length, KEY_BYTES);
  for (const value of [TOKEN, WEAK]) {
    const one = await new Fingerprints(key).of(value);
    assert.match(one, /^[0-9a-f]{32}$/);
    assert.equal(await new Fingerprints(key).of(value), one);
    assert.notEqual(await new Fingerprints(newKey()).of(value), one);
    assert.notEqual(await new Fingerprints(key).of(`${value}x`), one);
  }
});

Deno.test("Fingerprints are HMAC-SHA-256 of a drawn token, and something dearer of a weak value", async () => {
  const key = newKey();
  const hmac = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const plain = async (value: string) =>
    new Uint8Array(await crypto.subtle.sign("HMAC", hmac, new TextEncoder().encode(value))).toHex()
      .slice(0, 32);
  assert.equal(await new Fingerprints(key).of(TOKEN), await plain(TOKEN));
  assert.notEqual(await new Fingerprints(key).of(WEAK), await plain(WEAK));
});

Deno.test("Fingerprints do not see line ends, blanks or their escapes", async () => {
  const fingerprints = new Fingerprints(newKey());
  const lines = [draw.base64(64), draw.base64(64)];
  const one = await fingerprints.of(lines.join("\n"));
  for (const joint of ["\r\n", "\\n", "\n    "]) {
    assert.equal(await fingerprints.of(lines.join(joint)), one);
  }
});

Deno.test("keyOfRepo is the same for one repo and another for the next", async () => {
  assert.deepEqual(await keyOfRepo("a"), await keyOfRepo("a"));
  assert.notDeepEqual(await keyOfRepo("a"), await keyOfRepo("b"));
});

Deno.test("redactValue shows at most four characters and the length", () => {
  assert.equal(redactValue("ghp_" + "a".repeat(36)), "ghp_\u2026 (40 characters)");
  assert.equal(redactValue("0123456789abcde"), "\u2026 (15 characters)");
  assert.equal(redactValue("a\nb\u001bcdefghijklmnop"), "a?b?\u2026 (18 characters)");
});

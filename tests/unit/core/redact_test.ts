import assert from "node:assert/strict";
import fc from "fast-check";
import { REDACTED, redactor } from "svc/core/redact.ts";

const secret = 'p@ss/w"ord+ü 99';
const bytes = new TextEncoder().encode(secret);

const FORMS: Record<string, string> = {
  raw: secret,
  base64: bytes.toBase64(),
  base64url: bytes.toBase64({ alphabet: "base64url" }),
  url: encodeURIComponent(secret),
  "url, lower case": encodeURIComponent(secret).replaceAll(/%../g, (hex) => hex.toLowerCase()),
  form: encodeURIComponent(secret).replaceAll("%20", "+"),
  json: JSON.stringify(secret).slice(1, -1),
  hex: bytes.toHex(),
  HEX: bytes.toHex().toUpperCase(),
};

for (const [name, form] of Object.entries(FORMS)) {
  Deno.test(`redactor takes out a secret written as ${name}`, () => {
    const out = redactor([secret])(`before ${form} after`);
    assert.ok(out.includes(REDACTED) && out.endsWith(" after"), out);
    assert.ok(!out.includes(form), out);
  });
}

Deno.test("redactor finds a secret inside a longer base64 text at every offset", () => {
  const value = "canary-4f9a1c7be2";
  for (const before of ["", "x", "xy", "xyz"]) {
    const out = redactor([value])(btoa(`${before}${value} tail`));
    assert.ok(out.includes(REDACTED), `offset ${before.length}: ${out}`);
  }
});

Deno.test("redactor leaves no known value in any text", () => {
  const value = fc.string({ minLength: 6, maxLength: 40, unit: "binary" });
  fc.assert(fc.property(value, fc.string(), fc.string(), (value, before, after) => {
    fc.pre(!REDACTED.includes(value) && !before.includes(value) && !after.includes(value));
    const out = redactor([value])(`${before}|${value}|${after}`);
    assert.ok(!out.includes(value) || `${before}|${REDACTED}|${after}`.includes(value));
  }));
});

Deno.test("redactor leaves short values and other text alone", () => {
  assert.equal(redactor(["abc", ""])("abc is a word"), "abc is a word");
});

Deno.test("redactor applies patterns after exact values", () => {
  const redact = redactor(["secret-value"], (text) => text.replaceAll("shape", "[redacted:x]"));
  assert.equal(redact("secret-value shape"), `${REDACTED} [redacted:x]`);
});

Deno.test("redactor sees through escape sequences and unseen characters, and else keeps them", () => {
  const redact = redactor(["hunter-42-hunter"], (text) => text.replaceAll("ghp_token", "[shape]"));
  for (const parting of ["\u200b", "\x1b[31m", "\x1b]8;;x\x07", "\u202e", "\x00", "\ufe0f"]) {
    assert.equal(redact(`a hunter-42${parting}-hunter b`), `a ${REDACTED} b`);
    assert.equal(redact(`a ghp${parting}_token b`), "a [shape] b");
    assert.equal(redact(`a ${parting}b`), `a ${parting}b`, "nothing is lost where no secret is");
  }
  assert.equal(redact("a\thunter-42-hunter\r\n\tb"), `a\t${REDACTED}\r\n\tb`);
});

import assert from "node:assert/strict";
import { sha256, sha256Now } from "svc/core/digest.ts";

Deno.test("sha256Now gives what Web Cryptography gives, at every length around a block", async () => {
  for (const length of [...Array(200).keys(), 5000, 70_001]) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 131 + length) & 255);
    assert.equal(sha256Now(bytes), await sha256(bytes), `${length} bytes`);
  }
});

import assert from "node:assert/strict";
import { sha256 } from "svc/core/digest.ts";

Deno.test("sha256 gives the digests that NIST publishes for FIPS 180-4", async () => {
  const digests = [
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ];
  for (const [text, digest] of digests) {
    assert.equal(await sha256(new TextEncoder().encode(text)), digest);
  }
});

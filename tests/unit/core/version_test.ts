import assert from "node:assert/strict";
import { VERSION } from "svc/core/version.ts";

Deno.test("VERSION is what the file VERSION says", async () => {
  const file = await Deno.readTextFile(new URL("../../../VERSION", import.meta.url));
  assert.equal(`${VERSION}\n`, file);
});

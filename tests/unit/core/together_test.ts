import assert from "node:assert/strict";
import { together } from "svc/core/together.ts";

Deno.test("together gives what all came to, in the order given", async () => {
  const [one, two] = await together(Promise.resolve(1), Promise.resolve("two"));
  assert.deepEqual([one, two], [1, "two"]);
});

Deno.test("together waits for the slow ones, then fails as the first one in the order given", async () => {
  const slow = Promise.withResolvers<never>();
  let ended = false;
  const all = together(slow.promise, Promise.reject(new Error("second")));
  const failed = assert.rejects(all.finally(() => ended = true), /first/);
  await Promise.resolve();
  assert.equal(ended, false);
  slow.reject(new Error("first"));
  await failed;
});

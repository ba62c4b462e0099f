import assert from "node:assert/strict";
import { ReadCache } from "svc/runtime/views/read_cache.ts";

/** What was read is numbered; time goes by hand. */
function place() {
  let now = 0;
  let reads = 0;
  const kept = new ReadCache<number>(
    { monotonic: () => now },
    (tookMs) => Math.max(100, tookMs * 10),
  );
  const read = (tookMs = 0) => () => {
    now += tookMs;
    return Promise.resolve(++reads);
  };
  return { kept, read, pass: (ms: number) => void (now += ms) };
}

Deno.test("ReadCache reads again when something happened, and when its time is over", async () => {
  const { kept, read, pass } = place();
  assert.equal(await kept.of("a", 1, read()), 1);
  pass(99);
  assert.equal(await kept.of("a", 1, read()), 1);
  assert.equal(await kept.of("b", 1, read()), 2, "of its own");
  assert.equal(await kept.of("a", 2, read()), 3, "another mark");
  pass(100);
  assert.equal(await kept.of("a", 2, read()), 4, "too old");
});

Deno.test("ReadCache keeps longer what takes long to read", async () => {
  const { kept, read, pass } = place();
  assert.equal(await kept.of("a", 1, read(50)), 1);
  pass(499);
  assert.equal(await kept.of("a", 1, read()), 1);
  pass(1);
  assert.equal(await kept.of("a", 1, read()), 2);
});

Deno.test("ReadCache shares one reading among those who ask at once, and does not keep a failure", async () => {
  const { kept, read } = place();
  const slow = Promise.withResolvers<number>();
  const both = [kept.of("a", 1, () => slow.promise), kept.of("a", 1, read())];
  slow.resolve(7);
  assert.deepEqual(await Promise.all(both), [7, 7]);
  await assert.rejects(kept.of("b", 1, () => Promise.reject(new Error("broken"))), /broken/);
  assert.equal(await kept.of("b", 1, read()), 1);
});

Deno.test("ReadCache reads one at a time: whoever knows of something newer waits, and reads once more", async () => {
  const { kept } = place();
  const slow = [1, 2].map(() => Promise.withResolvers<number>());
  let begun = 0;
  const read = () => slow[begun++]!.promise;
  const asked = [kept.of("a", 1, read), kept.of("a", 2, read), kept.of("a", 2, read)];
  await Promise.resolve();
  assert.equal(begun, 1);
  slow[0]!.resolve(10);
  slow[1]!.resolve(20);
  assert.deepEqual(await Promise.all(asked), [10, 20, 20]);
  assert.equal(begun, 2);
  assert.equal(await kept.of("a", 1, read), 20, "what is newer serves an older question");
});

Deno.test("ReadCache drops what is not wanted or too old, and nothing that is being read", async () => {
  const { kept, read, pass } = place();
  await kept.of("old", 1, read());
  pass(100);
  for (const key of ["let go", "kept"]) await kept.of(key, 1, read());
  const slow = Promise.withResolvers<number>();
  const reading = kept.of("being read", 1, () => slow.promise);
  kept.keepOnly((key) => key === "kept");
  const names = ["old", "let go", "kept", "being read"];
  assert.deepEqual(names.filter((key) => kept.has(key)), ["kept", "being read"]);
  slow.resolve(7);
  assert.equal(await reading, 7);
  kept.keepOnly((key) => key === "kept");
  assert.deepEqual(names.filter((key) => kept.has(key)), ["kept"]);
});

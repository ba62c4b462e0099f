import assert from "node:assert/strict";
import { outputQueue } from "svc/mcp/output_queue.ts";

Deno.test("a queue has no room while its client reads too little, and has it again afterwards", async () => {
  const { promise: reads, resolve: read } = Promise.withResolvers<void>();
  const got: string[] = [];
  const queue = outputQueue(
    new WritableStream({
      async write(bytes) {
        await reads;
        got.push(new TextDecoder().decode(bytes));
      },
    }),
    10,
  );
  queue.send("few");
  await queue.room();
  queue.send("many more");
  let free = false;
  const room = queue.room().then(() => free = true);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([free, got], [false, []]);
  read();
  await room;
  assert.deepEqual(got, ['"few"\n', '"many more"\n']);
  queue.send("end");
  await queue.flushed();
  assert.equal(got.length, 3);
});

Deno.test("a client that has gone is told of, whether something was to be written or not", async () => {
  const cause = new Error("broken pipe");
  const idle = outputQueue(new WritableStream({ start: (to) => to.error(cause) }), 10);
  assert.equal(await idle.gone, cause);
  const busy = outputQueue(new WritableStream({ write: () => Promise.reject(cause) }), 10);
  busy.send("too much for the queue");
  await busy.room();
  await busy.flushed();
  assert.equal(await busy.gone, cause);
});

import assert from "node:assert/strict";
import { BodyRoom, withBody } from "svc/http/body.ts";
import { systemClock } from "svc/platform/clock.ts";

const stream = (...sizes: number[]) =>
  ReadableStream.from(sizes.map((size) => new Uint8Array(size).fill(size)));

Deno.test("withBody holds no more than all bodies together may take, and gives it back", async () => {
  const room = new BodyRoom(10);
  const how = { maxBytes: 8, room, clock: systemClock };
  await withBody(stream(3, 4), how, async (first) => {
    assert.deepEqual([...first as Uint8Array], [3, 3, 3, 4, 4, 4, 4]);
    assert.equal(room.freeBytes, 3);
    await withBody(stream(2, 2), how, (second) => Promise.resolve(assert.equal(second, "no room")));
    assert.equal(room.freeBytes, 3);
    await withBody(stream(3), how, (third) => Promise.resolve(assert.equal(third.length, 3)));
  });
  assert.equal(room.freeBytes, 10);
});

Deno.test("withBody stops reading at the bound, and lets go when its user throws", async () => {
  const room = new BodyRoom(100);
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(4));
    },
  });
  const how = { maxBytes: 8, room, clock: systemClock };
  await withBody(endless, how, (body) => Promise.resolve(assert.equal(body, "too large")));
  assert.ok(pulled <= 4);
  await assert.rejects(() => withBody(stream(5), how, () => Promise.reject(new Error("no"))), /no/);
  assert.equal(room.freeBytes, 100);
});

Deno.test("withBody tells a body that breaks off from one that takes too long", async () => {
  const how = { maxBytes: 8, room: new BodyRoom(100), clock: systemClock };
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
  await withBody(broken, how, (body) => Promise.resolve(assert.equal(body, "broken off")));
  const silent = new ReadableStream();
  await withBody(
    silent,
    { ...how, deadlineMs: 1 },
    (body) => Promise.resolve(assert.equal(body, "too slow")),
  );
});

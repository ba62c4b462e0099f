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
  const cancelled = Promise.withResolvers<void>();
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(4));
    },
    cancel: () => cancelled.resolve(),
  });
  const how = { maxBytes: 8, room, clock: systemClock };
  await withBody(endless, how, (body) => Promise.resolve(assert.equal(body, "too large")));
  assert.ok(pulled <= 4);
  await cancelled.promise; // what the client still sends is read by nobody
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

Deno.test("withBody leaves no wait behind, however its user ends", async () => {
  const waits: AbortSignal[] = [];
  const sleep = (_: number, signal: AbortSignal) => {
    waits.push(signal);
    return new Promise<void>(() => {});
  };
  const how = { maxBytes: 8, room: new BodyRoom(100), clock: { sleep } };
  await withBody(stream(3), how, () => Promise.resolve());
  await assert.rejects(() => withBody(stream(3), how, () => Promise.reject(new Error("no"))), /no/);
  assert.deepEqual(waits.map(({ aborted }) => aborted), [true, true]);
});

/** A body that gives its pieces when it is told to. */
function trickle() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(
    undefined,
    new CountQueuingStrategy({ highWaterMark: 9 }),
  );
  const writer = writable.getWriter();
  return { readable, send: (size: number) => writer.write(new Uint8Array(size)), writer };
}

/** Reads it, and gives back how that ended. */
function reading(room: BodyRoom, connection: string) {
  const { readable, send, writer } = trickle();
  const how = { maxBytes: 100, room, clock: systemClock, connection };
  const ended = withBody(
    readable,
    how,
    (body) => Promise.resolve(typeof body === "string" ? body : body.length),
  );
  writer.closed.catch(() => {}); // it may be cut off
  return { send: (size: number) => send(size).catch(() => {}), writer, ended };
}

/** Until all that was sent has been taken. */
async function until(room: BodyRoom, freeBytes: number): Promise<void> {
  for (let turn = 0; room.freeBytes !== freeBytes; turn++) {
    assert.ok(turn < 10_000, `${room.freeBytes} bytes are free`);
    await Promise.resolve();
  }
}

Deno.test("the connection that holds most gives way to those that hold less", async () => {
  const room = new BodyRoom(10);
  const [slow, other] = [reading(room, "a"), reading(room, "b")];
  await slow.send(6);
  await other.send(4);
  await until(room, 0);
  const honest = reading(room, "c");
  await honest.send(3);
  await until(room, 3);
  await honest.writer.close();
  assert.equal(await honest.ended, 3);
  assert.equal(await slow.ended, "no room");
  await other.writer.close();
  assert.equal(await other.ended, 4);
  assert.equal(room.freeBytes, 10);
});

Deno.test("a body that is in use gives way to nobody", async () => {
  const room = new BodyRoom(10);
  const how = { maxBytes: 9, room, clock: systemClock };
  await withBody(stream(7), { ...how, connection: "a" }, async () => {
    const others = { ...how, connection: "b" };
    await withBody(stream(4), others, (other) => Promise.resolve(assert.equal(other, "no room")));
    assert.equal(room.makeWay(), false);
    assert.equal(room.freeBytes, 3);
  });
  assert.equal(room.freeBytes, 10);
  assert.equal(
    await withBody(null, how, (none) => Promise.resolve(`${none.length} bytes`)),
    "0 bytes",
  );
});

Deno.test("bodies of one connection count together, and none makes room for one that holds more", async () => {
  const room = new BodyRoom(10);
  const [one, two, other] = [reading(room, "a"), reading(room, "a"), reading(room, "b")];
  for (const each of [one, two]) await each.send(3);
  await other.send(4);
  await until(room, 0);
  await other.send(3);
  assert.equal(await other.ended, "no room");
  await until(room, 4);
  const third = reading(room, "a");
  await third.send(5);
  assert.equal(await third.ended, "no room");
  const honest = reading(room, "c");
  await honest.send(5);
  await until(room, 2);
  assert.equal(await Promise.race([one.ended, two.ended]), "no room");
  assert.equal(room.makeWay(), true);
  assert.equal(await one.ended, "no room");
  assert.equal(await two.ended, "no room");
  await honest.writer.close();
  assert.equal(await honest.ended, 5);
  assert.equal(room.makeWay(), false);
});

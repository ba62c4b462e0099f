import assert from "node:assert/strict";
import { STREAM_KEEPALIVE_MS, STREAM_REPLAY_EVENTS } from "svc/core/bounds.ts";
import type { RawContent } from "svc/http/answer.ts";
import { EventStreams } from "svc/http/event_streams.ts";
import { Sessions } from "svc/http/sessions.ts";
import { HandFeed, SteppedClock } from "./dashboard_place.ts";

function streamsOver(feed: HandFeed) {
  const clock = new SteppedClock();
  const sessions = new Sessions(clock);
  return { clock, sessions, streams: new EventStreams({ feed, sessions, clock }) };
}

async function idsIn(body: unknown, until: number): Promise<number[]> {
  const { bytes } = body as RawContent;
  const ids: number[] = [];
  for await (const chunk of bytes as ReadableStream<Uint8Array>) {
    const id = /^id: (\d+)$/m.exec(new TextDecoder().decode(chunk))?.[1];
    if (id !== undefined) ids.push(Number(id));
    if (ids.at(-1) === until) return ids;
  }
  return ids;
}

Deno.test("EventStreams loses and doubles nothing of what happens while a replay is read", async () => {
  const feed = new HandFeed();
  for (let at = 0; at < 5; at++) feed.add({ at });
  const { sessions, streams } = streamsOver(feed);
  const read = feed.after.bind(feed);
  let reads = 0;
  feed.after = async (id, limit) => {
    const events = await read(id, limit);
    // One more each time, twice: it was stored after that was read.
    if (reads++ < 2) feed.add({ late: reads });
    return events;
  };
  const { body } = await streams.open(sessions.open().session, undefined);
  feed.add({ live: true });
  assert.deepEqual(await idsIn(body, 8), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.equal(reads, 3);
  assert.deepEqual([streams.size, feed.listeners], [0, 0]);
});

Deno.test("EventStreams tells once what another process stored, which a replay read before the feed told it", async () => {
  const feed = new HandFeed();
  const first = feed.add({ at: 1 });
  const { sessions, streams } = streamsOver(feed);
  feed.after = () => Promise.resolve([first, { ...first, id: 2 }]);
  const { body } = await streams.open(sessions.open().session, undefined);
  assert.deepEqual([feed.add({ at: 2 }).id, feed.add({ at: 3 }).id], [2, 3]);
  assert.deepEqual(await idsIn(body, 3), [1, 2, 3]);
});

Deno.test("EventStreams begins behind events that are gone, and replays no more than its bound", async () => {
  const feed = new HandFeed();
  const { sessions, streams } = streamsOver(feed);
  for (let at = 0; at < STREAM_REPLAY_EVENTS; at++) feed.add({ at });
  const { session } = sessions.open();
  const read = feed.after.bind(feed);
  feed.after = () => Promise.resolve([]);
  const pruned = await streams.open(session, undefined);
  feed.after = async (id, limit) => {
    const events = await read(id, limit);
    if (feed.last === STREAM_REPLAY_EVENTS) feed.add({ late: true });
    return events;
  };
  const { body } = await streams.open(session, undefined);
  const last = STREAM_REPLAY_EVENTS + 1;
  assert.deepEqual(await idsIn(pruned.body, last), [last]);
  const ids = await idsIn(body, last);
  assert.deepEqual([ids[0], ids.length], [2, STREAM_REPLAY_EVENTS]);
});

Deno.test("EventStreams keeps streams alive, also when all earlier ones have ended", async () => {
  const feed = new HandFeed();
  const { clock, sessions, streams } = streamsOver(feed);
  const { session } = sessions.open();
  for (const client of ["first", "second"]) {
    const { body } = await streams.open(session, feed.last);
    const reader = ((body as RawContent).bytes as ReadableStream<Uint8Array>).getReader();
    const said = async () => new TextDecoder().decode((await reader.read()).value);
    assert.deepEqual([await said(), await said()], [": keepalive\n\n", "retry: 3000\n\n"]);
    clock.advance(STREAM_KEEPALIVE_MS);
    assert.equal(await said(), ": keepalive\n\n");
    // The next is due as long after it.
    clock.advance(STREAM_KEEPALIVE_MS - 1);
    await new Promise((resolve) => setImmediate(resolve));
    feed.add({ at: client });
    assert.match(await said(), /^id: \d\n/);
    await reader.cancel();
  }
  // Those that have left are no stream of the session any more.
  sessions.end(session.key);
});

Deno.test("EventStreams gives a place back when the replay fails, or the session has ended", async () => {
  const feed = new HandFeed();
  const { sessions, streams } = streamsOver(feed);
  const { session } = sessions.open();
  const read = feed.after.bind(feed);
  feed.after = () => Promise.reject(new Error("locked"));
  for (let at = 0; at < 40; at++) {
    await assert.rejects(() => streams.open(session, undefined), /locked/);
  }
  feed.after = async (id, limit) => {
    sessions.end(session.key);
    return await read(id, limit);
  };
  const { status, body } = await streams.open(session, undefined);
  assert.equal(status, 200);
  assert.deepEqual(await idsIn(body, 0), []);
  assert.deepEqual([streams.size, feed.listeners], [0, 0]);
  feed.after = read;
  const next = sessions.open().session;
  const opened = await Promise.all(Array.from({ length: 5 }, () => streams.open(next, undefined)));
  assert.deepEqual(opened.map((one) => one.status), [200, 200, 200, 200, 429]);
  streams.close();
  assert.deepEqual([streams.size, feed.listeners], [0, 0]);
});

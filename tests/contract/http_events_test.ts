/** The stream of events, read by parsers that are not ours. */
import assert from "node:assert/strict";
import { EventSource } from "eventsource";
import { _iterSSEMessages } from "openai/core/streaming";
import {
  SESSION_IDLE_MS,
  STREAM_EVENT_BYTES,
  STREAM_KEEPALIVE_MS,
  STREAM_LOOK_MS,
  STREAM_REPLAY_BYTES,
  STREAM_REPLAY_EVENTS,
  STREAMS,
  STREAMS_PER_SESSION,
} from "svc/core/bounds.ts";
import { type Clock, systemClock } from "svc/platform/clock.ts";
import { verifies } from "tests/kit/verifies.ts";
import {
  type DashboardPlace,
  dashboardPlace,
  SteppedClock,
} from "tests/unit/http/dashboard_place.ts";

interface Message {
  readonly id: number;
  readonly type: string;
  readonly data: Record<string, unknown>;
  /** Bytes of the whole message on the wire. */
  readonly bytes: number;
}

interface Listening extends Disposable {
  readonly response: Response;
  /** The next one, as another's parser reads it; undefined at the end. */
  next(): Promise<Message | undefined>;
}

async function listening(
  place: DashboardPlace,
  cookie: string,
  headers: Record<string, string> = {},
): Promise<Listening> {
  const control = new AbortController();
  const response = await fetch(`${place.url}/api/events`, {
    headers: { cookie, ...headers },
    signal: control.signal,
  });
  const messages = _iterSSEMessages(response, control);
  return {
    response,
    async next() {
      const { value } = await messages.next();
      if (value === undefined) return undefined;
      const { type, data, ...rest } = JSON.parse(value.data);
      assert.deepEqual(rest, {});
      const id = Number(value.raw.find((line) => line.startsWith("id: "))!.slice(4));
      return { id, type, data: JSON.parse(data), bytes: value.raw.join("\n").length + 2 };
    },
    [Symbol.dispose]: () => control.abort(),
  };
}

/** Buckets are full again at each look. */
function hasty(): Clock {
  let ticks = 0;
  return { ...systemClock, monotonic: () => (ticks += 60_000) };
}

async function many(stream: Listening, count: number): Promise<Message[]> {
  const messages: Message[] = [];
  while (messages.length < count) messages.push((await stream.next())!);
  return messages;
}

verifies(
  ["4.3:events:stream", "6:stream:initial-keepalive"],
  "a stream begins with a comment, says when to come back, and is not packed",
  async () => {
    await using place = dashboardPlace();
    place.feed.add({ id: "j1" });
    const { cookie } = await place.login();
    const response = await fetch(`${place.url}/api/events`, {
      headers: { cookie, "accept-encoding": "gzip, br" },
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    assert.equal(response.headers.get("cache-control"), "no-store, no-transform");
    assert.equal(response.headers.get("content-encoding"), null);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("data: ")) text += (await reader.read()).value;
    await reader.cancel();
    assert.equal(
      text,
      ": keepalive\n\nretry: 3000\n\n" +
        'id: 1\ndata: {"type":"job_update","data":"{\\"id\\":\\"j1\\"}"}\n\n',
    );
  },
);

verifies(
  ["6:stream:replays-recent-events", "6:stream:streams-new-events", "6:stream:data-line"],
  "a stream tells what was, then what comes, and resumes after what its client has seen",
  async () => {
    await using place = dashboardPlace();
    const { feed } = place;
    feed.add({ state: "paused", text: "line\nbreak \u2028 \r\n\r\ndata: {}" }, "status_change");
    feed.add({ id: "j1" });
    const { cookie } = await place.login();
    using stream = await listening(place, cookie);
    const [first, second] = await many(stream, 2);
    assert.deepEqual([first!.id, first!.type, first!.data.state], [1, "status_change", "paused"]);
    assert.equal(first!.data.text, "line\nbreak \u2028 \r\n\r\ndata: {}");
    assert.deepEqual([second!.id, second!.data], [2, { id: "j1" }]);
    feed.add({ id: "j2" });
    const third = (await stream.next())!;
    assert.deepEqual([third.id, third.type, third.data], [3, "job_update", { id: "j2" }]);
    using resumed = await listening(place, cookie, { "last-event-id": "2" });
    assert.equal((await resumed.next())!.id, 3);
    feed.add({ id: "j3" });
    assert.deepEqual([(await stream.next())!.id, (await resumed.next())!.id], [4, 4]);
    for (const id of ["99", "-1", "x", "1e3", " "]) {
      using fresh = await listening(place, cookie, { "last-event-id": id });
      assert.equal((await fresh.next())!.id, 1, id);
    }
  },
);

verifies(
  ["8:stream:replay-bounded", "8:stream:event-size-bounded"],
  "what a stream begins with is bounded in number and bytes, and each event in bytes",
  async () => {
    await using place = dashboardPlace();
    const { feed } = place;
    for (let at = 0; at < STREAM_REPLAY_EVENTS + 50; at++) feed.add({ at });
    const { cookie } = await place.login();
    using few = await listening(place, cookie);
    assert.equal((await few.next())!.id, 51);
    for (let at = 0; at < 40; at++) feed.add({ text: "é\n".repeat(10_000) });
    using large = await listening(place, cookie);
    const got: Message[] = [];
    while (got.at(-1)?.id !== feed.last) got.push((await large.next())!);
    const bytes = got.reduce((sum, message) => sum + message.bytes, 0);
    assert.ok(got.length >= 10 && got.length < 40 && bytes <= STREAM_REPLAY_BYTES);
    feed.add({ text: "x".repeat(STREAM_EVENT_BYTES) });
    const cut = (await large.next())!;
    assert.deepEqual(cut.data, { too_large: true, bytes: STREAM_EVENT_BYTES + 11 });
    assert.equal(cut.type, "job_update");
    feed.add({ id: "j1" });
    assert.deepEqual((await large.next())!.data, { id: "j1" });
  },
);

verifies(
  [
    "7:status-429:stream",
    "8:stream:client-count-bounded",
    "8:stream:connections-per-session-bounded",
  ],
  "32 clients get each event; more, of one session or of all, are asked to come later",
  async () => {
    await using place = dashboardPlace({ clock: hasty() });
    const streams: Listening[] = [];
    const refused = async (cookie: string) => {
      using one = await listening(place, cookie);
      assert.equal(one.response.status, 429);
      assert.equal(one.response.headers.get("retry-after"), "3");
      assert.deepEqual(await one.response.json(), { ok: false, error: "too many event streams" });
    };
    try {
      while (streams.length < STREAMS) {
        const { cookie } = await place.login();
        for (let at = 0; at < STREAMS_PER_SESSION; at++) {
          streams.push(await listening(place, cookie));
        }
        await refused(cookie);
      }
      const { cookie } = await place.login();
      await refused(cookie);
      place.feed.add({ id: "j1" });
      const got = await Promise.all(streams.map((stream) => stream.next()));
      assert.equal(got.filter((message) => message!.data.id === "j1").length, STREAMS);
      assert.equal(place.feed.listeners, 1);
    } finally {
      for (const stream of streams) stream[Symbol.dispose]();
    }
    await place.feed.quiet;
    const { cookie } = await place.login();
    using again = await listening(place, cookie);
    assert.equal(again.response.status, 200);
  },
);

Deno.test("a session's end, by logout or by its time, cuts its streams and no others", async () => {
  const clock = new SteppedClock();
  await using place = dashboardPlace({ clock });
  const [one, other] = [await place.login(), await place.login()];
  using cut = await listening(place, one.cookie);
  using kept = await listening(place, other.cookie);
  const { cookie, csrf } = one;
  const headers = { cookie, origin: place.url, "x-svc-csrf-token": csrf };
  const logout = await fetch(`${place.url}/api/logout`, { method: "POST", headers });
  assert.equal(logout.status, 200);
  await logout.body?.cancel();
  assert.equal(await cut.next(), undefined);
  place.feed.add({ id: "j1" });
  assert.equal((await kept.next())!.id, 1);
  clock.advance(SESSION_IDLE_MS - STREAM_LOOK_MS);
  place.feed.add({ id: "j2" });
  assert.equal((await kept.next())!.id, 2);
  clock.advance(STREAM_LOOK_MS);
  assert.equal(await kept.next(), undefined);
  assert.equal(place.feed.listeners, 0);
});

Deno.test("a stop cuts the streams, and waits for none of them", async () => {
  const place = dashboardPlace();
  const { cookie } = await place.login();
  using stream = await listening(place, cookie);
  place.feed.add({ id: "j1" });
  assert.equal((await stream.next())!.id, 1);
  const ended = stream.next();
  await place.listener.stop(60_000);
  assert.equal(await ended, undefined);
  assert.equal(place.feed.listeners, 0);
});

Deno.test("a silent stream says that it lives", async () => {
  const clock = new SteppedClock();
  await using place = dashboardPlace({ clock });
  const { cookie } = await place.login();
  const response = await fetch(`${place.url}/api/events`, { headers: { cookie } });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const until = async (end: string) => {
    let text = "";
    while (!text.endsWith(end)) text += (await reader.read()).value;
    return text;
  };
  await until("retry: 3000\n\n");
  clock.advance(STREAM_KEEPALIVE_MS);
  assert.equal(await until("\n\n"), ": keepalive\n\n");
  await reader.cancel();
});

Deno.test("a client that does not read is cut off, and holds up no other", async () => {
  await using place = dashboardPlace();
  const { cookie } = await place.login();
  using slow = await Deno.connect({ hostname: "127.0.0.1", port: place.port });
  const head = `GET /api/events HTTP/1.1\r\nHost: ${place.host}\r\nCookie: ${cookie}\r\n\r\n`;
  await slow.write(new TextEncoder().encode(head));
  const first = new Uint8Array(20);
  await slow.read(first);
  let sent = 0;
  while (place.feed.listeners > 0) {
    assert.ok(++sent < 2_000, "it was never cut off");
    place.feed.add({ text: "x".repeat(60_000) });
    await new Promise((resolve) => setImmediate(resolve)); // lets the socket take what it can
  }
  using quick = await listening(place, cookie, { "last-event-id": String(place.feed.last) });
  place.feed.add({ id: "j1" });
  assert.deepEqual((await quick.next())!.data, { id: "j1" });
  // What the socket took it may read still; then the answer is over (RFC 9112, section 7.1).
  const buffer = new Uint8Array(1024 * 1024);
  let read = 0;
  for (let end = ""; !end.endsWith("\r\n0\r\n\r\n");) {
    const count = (await slow.read(buffer))!;
    read += count;
    end = (end + new TextDecoder().decode(buffer.subarray(0, count))).slice(-10);
  }
  assert.ok(read < sent * 60_000);
});

Deno.test("EventSource, as npm has it, follows the stream and stops when the session has ended", async () => {
  await using place = dashboardPlace();
  place.feed.add({ id: "j1" });
  const { cookie } = await place.login();
  const source = new EventSource(`${place.url}/api/events`, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, cookie } }),
  });
  const got: [string, unknown][] = [];
  const two = Promise.withResolvers<void>();
  source.onmessage = ({ lastEventId, data }) => {
    got.push([lastEventId, JSON.parse(JSON.parse(data).data)]);
    if (got.length === 1) place.feed.add({ id: "j2" });
    else two.resolve();
  };
  await two.promise;
  source.close();
  assert.deepEqual(got, [["1", { id: "j1" }], ["2", { id: "j2" }]]);
  await place.feed.quiet;
});

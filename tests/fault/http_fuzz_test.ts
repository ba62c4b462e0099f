/** Bytes that are nearly requests: nothing of them crashes the dashboard, or gets where it should not. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { OPERATIONS } from "svc/http/api.ts";
import { type Clock, systemClock } from "svc/platform/clock.ts";
import { type DashboardPlace, dashboardPlace } from "tests/unit/http/dashboard_place.ts";

const RUNS = Number(Deno.env.get("SVC_HTTP_FUZZ") ?? 3_000);

/** Buckets are always full here: a 429 would hide what is behind it. */
function hasty(): Clock {
  let ticks = 0;
  return { ...systemClock, monotonic: () => (ticks += 60_000) };
}

/** Statuses of each answer that came, in order. The line is shut after the bytes, so that none waits. */
async function exchange(port: number, bytes: Uint8Array): Promise<number[]> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const buffer = new Uint8Array(65_536);
  let text = "";
  try {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    await connection.closeWrite();
    for (;;) {
      const count = await connection.read(buffer);
      if (count === null) break;
      text += new TextDecoder("latin1").decode(buffer.subarray(0, count));
    }
  } catch (thrown) {
    // The other side hung up, as it may.
    assert.ok(
      thrown instanceof Deno.errors.ConnectionReset || thrown instanceof Deno.errors.BrokenPipe,
    );
  }
  return [...text.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status]) => Number(status));
}

interface Parts {
  readonly lines: readonly string[];
  readonly body: string;
}

/** A good request to each operation but the stream, which would go on, and the logout. */
async function goodRequests(place: DashboardPlace): Promise<Parts[]> {
  const { cookie, csrf } = await place.login();
  const names = Object.keys(OPERATIONS).filter((name) => !/events|logout|login/.test(name));
  return names.map((name) => {
    const [method, path] = name.split(" ");
    const body = /scan|run-role/.test(name) ? '{"repo_id":"r1","role":"qa"}' : "";
    return {
      lines: [
        `${method} ${path}?repo_id=r1 HTTP/1.1`,
        `Host: ${place.host}`,
        `Origin: ${place.url}`,
        `Cookie: ${cookie}`,
        `X-SVC-CSRF-Token: ${csrf}`,
        ...(body === "" ? [] : ["Content-Type: application/json"]),
        `Content-Length: ${body.length}`,
      ],
      body,
    };
  });
}

const LINES = [
  ...["Host: evil.test", "Host:", "Content-Length: 5", "Content-Length: -1", "Content-Length: 1e9"],
  ...["Transfer-Encoding: chunked", "Transfer-Encoding: chunked, identity", "Expect: 100-continue"],
  ...["Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "Upgrade: websocket", "Origin: null"],
  ...[
    "Content-Encoding: gzip",
    "Cookie: a=b; =; ;;",
    "Cookie: \u00ff\u00fe",
    " folded: yes",
    "no colon",
  ],
  ...[": empty", "X: \0", "Range: bytes=0-", "If-None-Match: *", "Connection: close", "\u00e9: 1"],
  ...["X-SVC-CSRF-Token: ", "Last-Event-ID: 99999999999999999999", "Accept-Encoding: br;q=9"],
  `X: ${"a".repeat(20_000)}`,
];

/** What is done to a good request, in order. */
type Change = (parts: Parts, at: number, text: string) => Parts;
const CHANGES: readonly Change[] = [
  (parts, at) => ({ ...parts, lines: parts.lines.toSpliced(at % parts.lines.length, 1) }),
  (parts, at) => ({
    ...parts,
    lines: [...parts.lines, parts.lines[1 + at % (parts.lines.length - 1)] ?? "X: 1"],
  }),
  (parts, at) => ({ ...parts, lines: parts.lines.toSpliced(1, 0, LINES[at % LINES.length]!) }),
  (parts, at) => ({ ...parts, lines: [...parts.lines, LINES[at % LINES.length]!] }),
  (parts, at, text) => ({
    ...parts,
    lines: parts.lines.map((line, index) =>
      index === at % parts.lines.length ? line.slice(0, at % 40) + text + line.slice(at % 40) : line
    ),
  }),
  (parts, _, text) => ({ ...parts, body: parts.body + text }),
  (parts, at, text) => ({
    ...parts,
    body: parts.body.slice(0, at % 30) + text + parts.body.slice(at % 30),
  }),
  (parts, _, text) => ({ ...parts, lines: [text, ...parts.lines.slice(1)] }),
];

const asked = fc.record({
  which: fc.nat(),
  changes: fc.array(
    fc.tuple(
      fc.nat(CHANGES.length - 1),
      fc.nat(1_000),
      fc.string({ unit: "binary", maxLength: 12 }),
    ),
    { minLength: 1, maxLength: 2 },
  ),
  ending: fc.oneof(
    { weight: 20, arbitrary: fc.constant("\r\n") },
    fc.constantFrom("\n", "\r", "\r\n "),
  ),
  cut: fc.option(fc.nat(400), { freq: 8 }),
  twice: fc.boolean(),
});

/** Answers that a request of any kind may get. */
const STATUSES = [100, 200, 302, 400, 401, 403, 404, 405, 408, 415, 431];

Deno.test("bytes that are nearly requests crash nothing and cause no failure", async () => {
  await using place = dashboardPlace({ clock: hasty() });
  const good = await goodRequests(place);
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(asked, async ({ which, changes, ending, cut, twice }) => {
      let parts = good[which % good.length]!;
      for (const [change, at, text] of changes) parts = CHANGES[change]!(parts, at, text);
      const text = `${parts.lines.join(ending)}${ending}${ending}${parts.body}`;
      const one = new TextEncoder().encode(text).subarray(0, cut ?? undefined);
      const bytes = twice ? new Uint8Array([...one, ...one]) : one;
      for (const status of await exchange(place.port, bytes)) {
        assert.ok(STATUSES.includes(status), `${status} to ${JSON.stringify(text)}`);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }
    }),
    { numRuns: RUNS },
  );
  for (const status of [200, 400, 403]) assert.ok(seen.get(status)! > 0, `no ${status}`);
  assert.deepEqual(place.logged, []);
  const response = await fetch(`${place.url}/api/status`);
  assert.equal((await response.json()).healthy, true);
});

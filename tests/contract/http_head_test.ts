/** HEAD of every GET route: the status and the headers of GET after the same checks, and no body. */
import assert from "node:assert/strict";
import { OPERATIONS } from "svc/http/api.ts";
import { STREAMS_PER_SESSION } from "svc/core/bounds.ts";
import { verifies } from "tests/kit/verifies.ts";
import { controlPlace } from "tests/unit/http/control_place.ts";
import { dashboardPlace } from "tests/unit/http/dashboard_place.ts";
import { ground, ROWS, type Sent, shown } from "tests/unit/http/matrix_ground.ts";

const GETS = ROWS.filter(({ method }) => method === "GET");

/** Without what differs from one second to the next, and what says how the body is cut. */
const headOf = (text: string) =>
  text.split("\r\n\r\n")[0]!.split("\r\n")
    .filter((line) => !/^(?:date|transfer-encoding):/i.test(line)).sort();

Deno.test("HEAD answers as GET does, whatever is wrong with the request", async () => {
  await using place = await ground();
  const cases: Readonly<Record<string, Sent>> = {
    "good": {},
    "no session": { cookie: undefined },
    "other host": { host: "evil.test" },
    "other origin": { origin: "http://evil.test" },
    "cross-site": { more: "Sec-Fetch-Site: cross-site" },
    "a body": { body: "x", type: "text/plain" },
    "refused codings": { more: "Accept-Encoding: identity;q=0" },
  };
  for (const [what, but] of Object.entries(cases)) {
    for (const row of GETS) {
      const got = await place.ask(row, but);
      const head = await place.ask(row, { ...but, method: "HEAD" });
      assert.equal(head.status, got.status, shown(row, what));
      assert.deepEqual(headOf(head.text), headOf(got.text), shown(row, what));
      const stream = row.path === "/api/events" && got.status === 200;
      assert.equal(/^content-length: [1-9]/im.test(head.text), !stream, shown(row, what));
    }
  }
  const unknown = await place.ask(GETS[0]!, { method: "HEAD", target: "/nowhere" });
  assert.equal(unknown.status, 404);
});

Deno.test("nothing follows the head of an answer to HEAD, so that a connection can be used again", async () => {
  await using place = dashboardPlace();
  const { cookie } = await place.login();
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: place.port });
  const paths = ["/api/repos", "/pipeline", "/api/quality-score", "/", "/nowhere", "/api/events"];
  const ask = (path: string, more = "") =>
    `HEAD ${path} HTTP/1.1\r\nHost: ${place.host}\r\nCookie: ${cookie}\r\n${more}\r\n`;
  const all = paths.map((path) => ask(path)).join("") + ask("/login", "Connection: close\r\n");
  await connection.write(new TextEncoder().encode(all));
  const text = await new Response(connection.readable).text();
  const heads = text.split("\r\n\r\n");
  assert.equal(heads.pop(), "");
  assert.deepEqual(heads.map((head) => head.slice(0, 12)), [
    ...["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 302", "HTTP/1.1 404"],
    ...["HTTP/1.1 200", "HTTP/1.1 200"],
  ]);
});

verifies("6:stream:get-only", "HEAD of the event stream begins none", async () => {
  await using place = dashboardPlace();
  const { cookie } = await place.login();
  const asked = { headers: { cookie } };
  const url = `${place.url}/api/events`;
  let begun = 0;
  place.feed.after = () => Promise.resolve((begun++, []));
  for (let count = 0; count <= STREAMS_PER_SESSION; count++) {
    const { status, headers } = await fetch(url, { method: "HEAD", ...asked });
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/event-stream");
    assert.equal(headers.get("x-accel-buffering"), "no");
    assert.equal(headers.get("content-length"), null);
  }
  assert.deepEqual([begun, place.feed.listeners], [0, 0]);
  const streams = await Promise.all(
    Array.from({ length: STREAMS_PER_SESSION }, () => fetch(url, asked)),
  );
  // Where GET is one too many, so is HEAD.
  const full = await fetch(url, { method: "HEAD", ...asked });
  assert.equal(full.status, 429);
  assert.ok(full.headers.has("retry-after"));
  await Promise.all(streams.map(({ body }) => body!.cancel()));
});

verifies(
  ["4.3:mutation:post-only", "7:status-405:post-on-get-only", "7:status-405:get-on-post-only"],
  "Allow lists the methods that a path answers to",
  async () => {
    await using dashboard = dashboardPlace();
    await using control = await controlPlace();
    const allowed = async (url: string, method: string) => {
      const { status, headers, body } = await fetch(url, { method });
      await body?.cancel();
      assert.equal(status, 405, `${method} ${url}`);
      return headers.get("allow");
    };
    for (const name of Object.keys(OPERATIONS)) {
      const [method, path] = name.split(" ");
      const wanted = method === "GET" ? "GET, HEAD" : "POST";
      assert.equal(await allowed(`${dashboard.url}${path}`, "PUT"), wanted, name);
      if (method === "POST") {
        assert.equal(await allowed(`${dashboard.url}${path}`, "HEAD"), wanted, name);
      }
    }
    for (const path of ["/", "/pipeline", "/login", "/assets/app.js", "/login/app.js"]) {
      assert.equal(await allowed(`${dashboard.url}${path}`, "POST"), "GET, HEAD", path);
    }
    assert.equal(await allowed(`${control.url}/healthz`, "POST"), "GET, HEAD");
    assert.equal(await allowed(`${control.url}/webhooks/github`, "HEAD"), "POST");
    const health = await fetch(`${control.url}/healthz`, { method: "HEAD" });
    assert.deepEqual([health.status, await health.text()], [200, ""]);
    const length = (await (await fetch(`${control.url}/healthz`)).text()).length;
    assert.ok(Math.abs(Number(health.headers.get("content-length")) - length) < 3); // uptime grows
  },
);

import assert from "node:assert/strict";
import { connect } from "node:http2";
import { loopbackAddress } from "svc/core/loopback.ts";
import { answer } from "svc/http/answer.ts";
import { gate, type GatePlan } from "svc/http/gate.ts";
import type { HttpRoute } from "svc/http/route.ts";
import { systemClock } from "svc/platform/clock.ts";
import { type Listener, listenLoopback } from "svc/platform/net/listen.ts";
import { verifies } from "tests/kit/verifies.ts";
import { rawRequest } from "./raw_http.ts";

interface Gated extends AsyncDisposable {
  readonly port: number;
  /** Paths whose handlers ran. */
  readonly reached: string[];
  readonly logged: string[];
}

function gated(plan: Partial<GatePlan> = {}): Gated {
  const reached: string[] = [];
  const logged: string[] = [];
  const handle = (path: string) => () => {
    reached.push(path);
    if (path === "/broken") throw new Error("secret of the disk /home/ada");
    return Promise.resolve(answer(200, { ok: true }));
  };
  const route = (more: Pick<HttpRoute, "method" | "path" | "access" | "body">): HttpRoute => ({
    ...more,
    handle: handle(more.path),
  });
  const none = { kind: "none" } as const;
  const routes = [
    route({ method: "GET", path: "/healthz", access: "open", body: none }),
    route({ method: "GET", path: "/broken", access: "open", body: none }),
    route({ method: "POST", path: "/hook", access: "signed", body: { kind: "raw", maxBytes: 64 } }),
    route({ method: "POST", path: "/login", access: "open", body: { kind: "raw", maxBytes: 64 } }),
  ];
  const listener: Listener = listenLoopback(
    loopbackAddress("127.0.0.1:0"),
    gate({
      routes,
      hosts: () => [`127.0.0.1:${listener.address.port}`, `localhost:${listener.address.port}`],
      origins: () => [`http://127.0.0.1:${listener.address.port}`],
      clock: systemClock,
      log: {
        write: (level, text, { cause } = {}) => void logged.push(`${level} ${text} ${cause}`),
      },
      ...plan,
    }),
  );
  return {
    ...{ port: listener.address.port, reached, logged },
    [Symbol.asyncDispose]: () => listener.stop(500),
  };
}

const JSON_TYPE = "Content-Type: application/json\r\n";

/** What is sent, with P for the port and H for a good Host line, and the status that refuses it. */
const REFUSED: readonly (readonly [number | "too large", string])[] = [
  // Host
  [400, "GET /healthz HTTP/1.1\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost:\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\n{H}{H}\r\n"],
  [400, "GET /healthz HTTP/1.1\r\n{H}Host: evil.test\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: evil.test\r\n{H}\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: evil.test:{P}\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:0{P}\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1.nip.io:{P}\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: 0.0.0.0:{P}\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: 127.1:{P}\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: 0x7f000001:{P}\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: 2130706433:{P}\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: [::ffff:127.0.0.1]:{P}\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: [::1]:{P}\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: LOCALHOST:{P}\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: localhost.:{P}\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: localhost:{P}@evil.test\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: ada@127.0.0.1:{P}\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{P}/healthz\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{P}, evil.test\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nHost: l\u00f6calhost:{P}\r\n\r\n"],
  [400, "GET /healthz HTTP/1.1\r\nX-Forwarded-Host: 127.0.0.1:{P}\r\nHost: evil.test\r\n\r\n"],
  [400, "GET /healthz HTTP/1.0\r\n\r\n"],
  [400, "GET /healthz HTTP/1.0\r\nHost: evil.test\r\n\r\n"],
  // Target
  [400, "GET http://evil.test/healthz HTTP/1.1\r\n{H}\r\n"],
  [400, "GET http://127.0.0.1:{P}/healthz HTTP/1.1\r\nHost: evil.test\r\n\r\n"],
  [400, "GET https://127.0.0.1:{P}/healthz HTTP/1.1\r\n{H}\r\n"],
  [400, "GET http://127.0.0.1:{P}@evil.test/healthz HTTP/1.1\r\n{H}\r\n"],
  [400, "GET /healthz#top HTTP/1.1\r\n{H}\r\n"],
  [400, "GET /healthz\0 HTTP/1.1\r\n{H}\r\n"],
  [400, "GET \\healthz HTTP/1.1\r\n{H}\r\n"],
  [400, "GET /healthz\\ HTTP/1.1\r\n{H}\r\n"],
  [400, "GET /healthz?a\\b HTTP/1.1\r\n{H}\r\n"],
  [400, "GET /healthz\u00e9 HTTP/1.1\r\n{H}\r\n"],
  [400, `GET /healthz?${"a".repeat(5000)} HTTP/1.1\r\n{H}\r\n`],
  [400, `GET /healthz HTTP/1.1\r\n{H}${many()}\r\n`],
  [404, "GET /healthz/ HTTP/1.1\r\n{H}\r\n"],
  [404, "GET //healthz HTTP/1.1\r\n{H}\r\n"],
  [404, "GET //evil.test/healthz HTTP/1.1\r\n{H}\r\n"],
  [404, "GET /x/../healthz HTTP/1.1\r\n{H}\r\n"],
  [404, "GET /%68ealthz HTTP/1.1\r\n{H}\r\n"],
  [404, "GET /HEALTHZ HTTP/1.1\r\n{H}\r\n"],
  [404, "GET / HTTP/1.1\r\n{H}\r\n"],
  [404, "POST /api/pause HTTP/1.1\r\n{H}Content-Length: 0\r\n\r\n"],
  // Method
  [405, "HEAD /hook HTTP/1.1\r\n{H}\r\n"],
  [404, "HEAD /nowhere HTTP/1.1\r\n{H}\r\n"],
  [400, "HEAD /healthz HTTP/1.1\r\nHost: evil.test\r\n\r\n"],
  [405, "OPTIONS /healthz HTTP/1.1\r\n{H}\r\n"],
  [405, "OPTIONS * HTTP/1.1\r\n{H}\r\n"],
  [405, "TRACE /healthz HTTP/1.1\r\n{H}\r\n"],
  [405, "PUT /hook HTTP/1.1\r\n{H}\r\n"],
  [405, "get /healthz HTTP/1.1\r\n{H}\r\n"],
  [405, "POST /healthz HTTP/1.1\r\n{H}Content-Length: 0\r\n\r\n"],
  [405, "GET /hook HTTP/1.1\r\n{H}\r\n"],
  [400, "CONNECT 127.0.0.1:{P} HTTP/1.1\r\n{H}\r\n"],
  // Origin
  [403, "GET /healthz HTTP/1.1\r\n{H}Origin: http://evil.test\r\n\r\n"],
  [403, "GET /healthz HTTP/1.1\r\n{H}Origin: null\r\n\r\n"],
  [403, "GET /healthz HTTP/1.1\r\n{H}Origin: http://localhost:{P}\r\n\r\n"],
  [403, "GET /healthz HTTP/1.1\r\n{H}Sec-Fetch-Site: cross-site\r\n\r\n"],
  [403, "GET /healthz HTTP/1.1\r\n{H}Sec-Fetch-Site: same-site\r\n\r\n"],
  [
    403,
    `POST /hook HTTP/1.1\r\n{H}Origin: http://127.0.0.1:{P}\r\n${JSON_TYPE}Content-Length: 2\r\n\r\n{}`,
  ],
  [
    403,
    `POST /hook HTTP/1.1\r\n{H}Sec-Fetch-Site: none\r\n${JSON_TYPE}Content-Length: 2\r\n\r\n{}`,
  ],
  [403, `POST /login HTTP/1.1\r\n{H}${JSON_TYPE}Content-Length: 2\r\n\r\n{}`],
  [403, `POST /login HTTP/1.1\r\n{H}Origin: null\r\n${JSON_TYPE}Content-Length: 2\r\n\r\n{}`],
  [
    403,
    `POST /login HTTP/1.1\r\n{H}Origin: http://127.0.0.1:{P}/\r\n${JSON_TYPE}Content-Length: 2\r\n\r\n{}`,
  ],
  [
    403,
    `POST /login HTTP/1.1\r\n{H}Origin: HTTP://127.0.0.1:{P}\r\n${JSON_TYPE}Content-Length: 2\r\n\r\n{}`,
  ],
  [
    403,
    `POST /login HTTP/1.1\r\n{H}Origin: http://127.0.0.1:{P}\r\nOrigin: http://127.0.0.1:{P}\r\n${JSON_TYPE}Content-Length: 2\r\n\r\n{}`,
  ],
  // Content type
  [415, "POST /hook HTTP/1.1\r\n{H}Content-Length: 2\r\n\r\n{}"],
  [415, "POST /hook HTTP/1.1\r\n{H}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}"],
  [
    415,
    "POST /hook HTTP/1.1\r\n{H}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 2\r\n\r\n{}",
  ],
  [
    415,
    "POST /hook HTTP/1.1\r\n{H}Content-Type: application/json-seq\r\nContent-Length: 2\r\n\r\n{}",
  ],
  [
    415,
    "POST /hook HTTP/1.1\r\n{H}Content-Type: application/json; charset=utf-16\r\nContent-Length: 2\r\n\r\n{}",
  ],
  [
    415,
    `POST /hook HTTP/1.1\r\n{H}${JSON_TYPE}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
  ],
  [
    415,
    `POST /hook HTTP/1.1\r\n{H}${JSON_TYPE}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`,
  ],
  // Size and framing
  ["too large", `POST /hook HTTP/1.1\r\n{H}${JSON_TYPE}Content-Length: 65\r\n\r\n`],
  [
    "too large",
    `POST /hook HTTP/1.1\r\n{H}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n41\r\n${
      "a".repeat(65)
    }\r\n`,
  ],
  [400, `POST /hook HTTP/1.1\r\n{H}${JSON_TYPE}Content-Length: -1\r\n\r\n`],
  [400, `POST /hook HTTP/1.1\r\n{H}${JSON_TYPE}Content-Length: ${"9".repeat(16)}\r\n\r\n`],
  [400, `POST /hook HTTP/1.1\r\n{H}${JSON_TYPE}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
  [
    400,
    `POST /hook HTTP/1.1\r\n{H}${JSON_TYPE}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [400, "GET /healthz HTTP/1.1\r\n{H}Content-Length: 2\r\n\r\n{}"],
  [400, "GET /healthz HTTP/1.1\r\n{H}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
];

function many(): string {
  return Array.from({ length: 129 }, (_, at) => `X-${at}: 1\r\n`).join("");
}

const spelled = (text: string, port: number) =>
  text.replaceAll("{H}", `Host: 127.0.0.1:${port}\r\n`).replaceAll("{P}", String(port));

const REASONS: Readonly<Record<number, string>> = {
  400: "bad request",
  403: "forbidden",
  404: "not found",
  405: "method not allowed",
  415: "send application/json",
};

verifies(
  [
    "7:status-400:invalid-host",
    "7:status-405:get-on-post-only",
    "7:status-405:post-on-get-only",
    "7:status-415:content-type",
  ],
  "the gate refuses what it does not know, and no handler runs",
  async () => {
    await using place = gated();
    assert.ok(REFUSED.length >= 60);
    for (const [what, bytes] of REFUSED) {
      const status = what === "too large" ? 400 : what;
      const shown = bytes.slice(0, 120);
      const got = await rawRequest(place.port, spelled(bytes, place.port));
      assert.equal(got.status, status, shown);
      // What the listener's parser refuses has no body, nor has an answer to HEAD.
      const body = got.text.split("\r\n\r\n")[1];
      const error = what === "too large" ? "the body is too large" : REASONS[what];
      if (body) assert.deepEqual(JSON.parse(body), { ok: false, error }, shown);
      assert.doesNotMatch(got.text, /access-control-|^server:/im);
    }
    assert.deepEqual(place.reached, []);
  },
);

Deno.test("the gate lets in what is meant for it", async () => {
  await using place = gated();
  const json = "Content-Type: application/json";
  for (
    const bytes of [
      "GET /healthz HTTP/1.1\r\n{H}\r\n",
      "HEAD /healthz HTTP/1.1\r\n{H}\r\n",
      "GET /healthz?full=1 HTTP/1.1\r\nHost: localhost:{P}\r\n\r\n",
      "GET /healthz HTTP/1.1\r\n{H}Content-Length: 0\r\n\r\n",
      "GET /healthz HTTP/1.1\r\n{H}Sec-Fetch-Site: none\r\n\r\n",
      "GET /healthz HTTP/1.1\r\n{H}X-Forwarded-Host: evil.test\r\nForwarded: host=evil.test\r\n\r\n",
      `POST /hook HTTP/1.1\r\n{H}${json}\r\nContent-Length: 2\r\n\r\n{}`,
      `POST /hook HTTP/1.1\r\n{H}${json}; charset=UTF-8\r\nContent-Length: 64\r\n\r\n${
        "a".repeat(64)
      }`,
      `POST /login HTTP/1.1\r\n{H}Origin: http://127.0.0.1:{P}\r\n${json}\r\nContent-Length: 2\r\n\r\n{}`,
    ]
  ) {
    const got = await rawRequest(place.port, spelled(bytes, place.port));
    assert.equal(got.status, 200, bytes);
  }
  assert.equal(place.reached.length, 9);
});

Deno.test("the gate refuses HTTP/2 that names its host in the address alone", async () => {
  await using place = gated();
  const session = connect(`http://127.0.0.1:${place.port}`);
  const request = session.request({ ":path": "/healthz" });
  const status = await new Promise((resolve, reject) => {
    request.on("response", (headers) => resolve(headers[":status"]));
    request.on("error", reject);
  });
  const closed = new Promise((resolve) => session.on("close", resolve));
  session.destroy();
  await closed;
  assert.equal(status, 400);
  assert.deepEqual(place.reached, []);
});

Deno.test("the gate gives every answer the headers that keep browsers out", async () => {
  await using place = gated();
  for (const path of ["/healthz", "/nowhere", "/broken"]) {
    const response = await fetch(`http://127.0.0.1:${place.port}${path}`);
    await response.body?.cancel();
    assert.match(
      response.headers.get("content-security-policy")!,
      /^default-src 'none';.*frame-ancestors 'none'/,
    );
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.equal(response.headers.get("referrer-policy"), "no-referrer");
    assert.equal(response.headers.get("cross-origin-opener-policy"), "same-origin");
    assert.equal(response.headers.get("cross-origin-resource-policy"), "same-origin");
    assert.equal(response.headers.get("cache-control"), "no-store");
  }
});

Deno.test("the gate says nothing of what a handler threw, and logs it", async () => {
  await using place = gated();
  const response = await fetch(`http://127.0.0.1:${place.port}/broken`);
  assert.equal(response.status, 500);
  assert.deepEqual(await response.json(), { ok: false, error: "internal error" });
  assert.match(place.logged.join(), /a request failed Error: secret of the disk/);
});

Deno.test("the gate does not wait for the rest of a body for ever", async () => {
  await using place = gated({ bodyMs: 50 });
  const bytes = `POST /hook HTTP/1.1\r\n{H}${JSON_TYPE}Content-Length: 10\r\n\r\n{`;
  assert.equal((await rawRequest(place.port, spelled(bytes, place.port))).status, 408);
  assert.deepEqual(place.reached, []);
});

Deno.test("the gate asks rate, session and CSRF in this order, after Origin, before the body", async () => {
  const asked: string[] = [];
  const check = (name: string, stop = false) => () => {
    asked.push(name);
    return stop ? answer(stop ? 401 : 200, { ok: false }) : undefined;
  };
  const route: HttpRoute = {
    ...{ method: "POST", path: "/pause", access: "mutation" },
    body: { kind: "raw", maxBytes: 10 },
    needs: check("needs"),
    handle() {
      asked.push("handle");
      return Promise.resolve(answer(200, {}));
    },
  };
  const checks = { rate: check("rate"), session: check("session"), csrf: check("csrf") };
  await using place = gated({ routes: [route], ...checks });
  const bytes = (origin: string, length: number) =>
    spelled(
      `POST /pause HTTP/1.1\r\n{H}Origin: ${origin}\r\n${JSON_TYPE}Content-Length: ${length}\r\n\r\n{}`,
      place.port,
    );
  const good = `http://127.0.0.1:${place.port}`;
  assert.equal((await rawRequest(place.port, bytes("http://evil.test", 2))).status, 403);
  assert.match(
    (await rawRequest(place.port, bytes(good, 11))).text,
    /^HTTP\/1\.1 400 [^]*too large/,
  );
  assert.deepEqual(asked, []);
  assert.equal((await rawRequest(place.port, bytes(good, 2))).status, 200);
  assert.deepEqual(asked, ["rate", "session", "csrf", "needs", "handle"]);
  asked.length = 0;
  await using strict = gated({ routes: [route], ...checks, session: check("session", true) });
  const refused = bytes(good, 2).replaceAll(String(place.port), String(strict.port));
  assert.equal((await rawRequest(strict.port, refused)).status, 401);
  assert.deepEqual(asked, ["rate", "session"]);
});

Deno.test("gate refuses to serve a route for people without a check of sessions", () => {
  const route: HttpRoute = {
    ...{ method: "GET", path: "/api/jobs", access: "session", body: { kind: "none" } },
    handle: () => Promise.resolve(answer(200, {})),
  };
  assert.throws(() => gated({ routes: [route] }), { code: "internal" });
  const control = { ...route, method: "POST", access: "mutation" } as const;
  const check = () => undefined;
  for (const one of [{ session: check }, { csrf: check }]) {
    assert.throws(() => gated({ routes: [control], ...one }), { code: "internal" });
  }
});

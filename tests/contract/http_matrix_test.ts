/** Every route of the dashboard against everything that must not pass. */
import assert from "node:assert/strict";
import { JSON_BODY_BYTES, SESSION_IDLE_MS } from "svc/core/bounds.ts";
import {
  ground,
  privileged,
  type Row,
  ROWS,
  type Sent,
  shown,
} from "tests/unit/http/matrix_ground.ts";
import { verifies } from "tests/kit/verifies.ts";

const API = ROWS.filter(({ path }) => path.startsWith("/api/"));
const MUTATIONS = ROWS.filter(({ access }) => access === "mutation");
const READS = ROWS.filter(({ access }) => access === "session");
const JSON_ROWS = ROWS.filter(({ body }) => body !== undefined);

/** Asks each row and wants that status; nothing behind the gate may be reached unless it is 2xx. */
async function refusedAll(
  place: Awaited<ReturnType<typeof ground>>,
  rows: readonly Row[],
  status: number | "400 too large",
  cases: Readonly<Record<string, (row: Row) => Sent>>,
): Promise<void> {
  assert.ok(rows.length > 0);
  const before = place.reached().length;
  for (const [what, but] of Object.entries(cases)) {
    for (const row of rows) {
      const got = await place.ask(row, but(row));
      assert.equal(got.status, Number.parseInt(`${status}`), shown(row, `${what}: ${got.text}`));
      if (status === "400 too large") assert.match(got.text, /too large/, shown(row, what));
      const body = got.text.split("\r\n\r\n")[1];
      if (body && got.status >= 400) {
        const said = JSON.parse(body);
        assert.deepEqual(Object.keys(said).sort(), ["error", "ok"], shown(row, what));
        assert.equal(said.ok, false);
        assert.equal(typeof said.error, "string");
      }
      assert.doesNotMatch(got.text, /access-control-|^server:/im);
    }
  }
  assert.equal(place.reached().length, before);
}

verifies(
  ["7:status-200:success", "5:observer-surface:shells-and-assets"],
  "each route answers who may ask as it should, and no GET changes anything",
  async () => {
    await using place = await ground();
    const gets = ROWS.filter(({ method }) => method === "GET");
    for (const row of gets) {
      const { status, text } = await place.ask(row);
      assert.equal(status, row.good, shown(row, text));
      if (!row.path.startsWith("/api/")) {
        assert.equal((await place.ask(row, { cookie: undefined })).status, row.good);
      }
    }
    const controls =
      /^(?:pause|resume|restart|stop|scan|run|cancel|answer|tell|emergency|create|edit|move)/;
    assert.deepEqual(place.reached().filter((name) => controls.test(name)), []);
    for (const row of ROWS.filter(({ method }) => method === "POST")) {
      assert.equal((await place.ask(row)).status, row.good, shown(row, "good"));
    }
    assert.deepEqual(place.logged, []);
  },
);

verifies(
  [
    "5:read-apis:no-secret-is-503",
    "5:control-secret:reads-disabled-without",
    "5:control-secret:events-disabled-without",
    "5:control-secret:controls-disabled-without",
    "8:control-secret:at-least-32-bytes",
  ],
  "without a control secret, or with one of 31 bytes, everything privileged is shut",
  async () => {
    const short = "é".repeat(15) + "a";
    assert.equal(new TextEncoder().encode(short).length, 31);
    for (const secret of [undefined, "", short, " ".repeat(31), "a".repeat(31)]) {
      await using place = await ground({ secret });
      const shut = ROWS.filter((row) => privileged(row) || row.path === "/api/login");
      await refusedAll(place, shut, 503, {
        "no secret": ({ body }) =>
          body && secret ? { body: body.replace(/a control[^"]*/, secret) } : {},
      });
      for (const row of ROWS.filter((row) => !shut.includes(row))) {
        assert.equal((await place.ask(row)).status, row.good, shown(row, "open"));
      }
    }
    // Its length alone decides.
    for (const secret of [`${short}b`, "a".repeat(32)]) {
      await using place = await ground({ secret });
      const login = ROWS.find(({ path }) => path === "/api/login")!;
      assert.equal((await place.ask(login, { body: JSON.stringify({ secret }) })).status, 200);
    }
  },
);

verifies(
  [
    "4.3:mutation:session-cookie",
    "4.3:session:needs-cookie-and-same-origin",
    "5:read-apis:no-login-is-401",
    "6:stream:needs-session",
    "7:status-401-403:session",
  ],
  "without a session that lives, everything privileged answers 401",
  async () => {
    await using place = await ground();
    const { cookie } = place.session;
    const [name, id] = cookie.split("=") as [string, string];
    await refusedAll(place, ROWS.filter(privileged), 401, {
      "no session": () => ({ cookie: undefined }),
      "wrong id": () => ({ cookie: `${name}=${id.replace(/./, (c) => c === "A" ? "B" : "A")}` }),
      "other name": () => ({ cookie: `svc_session=${id}` }),
      "other port's": () => ({ cookie: `svc_session_1=${id}` }),
      "the secret": () => ({ cookie: `${name}=a control secret of 32 bytes: 0123456789` }),
      "CSRF token for id": () => ({ cookie: `${name}=${place.session.csrf}` }),
      "id in the address": (row) => ({
        cookie: undefined,
        target: `${row.path}?${cookie}`,
        more: `Authorization: Bearer ${id}`,
      }),
    });
    place.later(SESSION_IDLE_MS);
    await refusedAll(place, ROWS.filter(privileged), 401, { "stale session": () => ({}) });
  },
);

verifies(
  [
    "4.3:mutation:csrf-header",
    "4.3:logout:mutation-policy",
    "7:status-401-403:csrf",
    "2.2:session:own-csrf-token",
  ],
  "without the session's own CSRF token no control is reached",
  async () => {
    await using place = await ground();
    const { csrf } = place.session;
    assert.notEqual(csrf, place.other.csrf);
    await refusedAll(place, MUTATIONS, 403, {
      "no CSRF": () => ({ csrf: undefined }),
      "other session's": () => ({ cookie: place.session.cookie, csrf: place.other.csrf }),
      "other case": () => ({ cookie: place.session.cookie, csrf: csrf.toLowerCase() + "A" }),
      "cut": () => ({ csrf: csrf.slice(1) }),
      "twice": () => ({ more: `X-SVC-CSRF-Token: ${csrf}` }),
      "in the address": (row) => ({ csrf: undefined, target: `${row.path}?csrf_token=${csrf}` }),
      "the session's id": () => ({ csrf: place.session.cookie.split("=")[1] }),
    });
  },
);

verifies(
  [
    "4.3:mutation:exact-origin",
    "7:status-401-403:origin",
    "4.3:session:needs-cookie-and-same-origin",
  ],
  "a request of another origin is refused, and a control without one",
  async () => {
    await using place = await ground();
    const { port, url } = place;
    const foreign = [
      ...["null", "http://evil.test", `https://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`],
      ...[`${url}/`, url.toUpperCase(), `${url}.evil.test`, `${url}, http://evil.test`],
      ...["http://127.0.0.1", `http://localhost:${port}`, `http://evil.test:${port}`, "file://"],
    ];
    const origins = foreign.map((origin) => [origin, () => ({ origin })] as const);
    await refusedAll(place, ROWS, 403, {
      ...Object.fromEntries(origins),
      "cross-site": () => ({ more: "Sec-Fetch-Site: cross-site" }),
      "same-site": () => ({ more: "Sec-Fetch-Site: same-site" }),
    });
    const posts = ROWS.filter(({ method }) => method === "POST");
    await refusedAll(place, posts, 403, { "no origin": () => ({ origin: undefined }) });
  },
);

verifies(
  "7:status-400:invalid-host",
  "a request for another host is refused, whatever route it asks for",
  async () => {
    await using place = await ground();
    const { port: P } = place;
    const hosts = [
      ...["", "evil.test", `evil.test:${P}`, "127.0.0.1", "localhost", `127.0.0.1:${P + 1}`],
      ...[`localhost:${P + 1}`, `127.0.0.1:0${P}`, `127.0.0.1.nip.io:${P}`, `0.0.0.0:${P}`],
      ...[`127.1:${P}`, `0x7f000001:${P}`, `2130706433:${P}`, `0177.0.0.1:${P}`, `127.0.0.2:${P}`],
      ...[`[::1]:${P}`, `[::]:${P}`, `[::ffff:127.0.0.1]:${P}`, `[0:0:0:0:0:0:0:1]:${P}`],
      ...[`LOCALHOST:${P}`, `Localhost:${P}`, `localhost.:${P}`, `127.0.0.1.:${P}`],
      `.localhost:${P}`,
      ...[`localhost:${P}@evil.test`, `ada@127.0.0.1:${P}`, `ada:pw@127.0.0.1:${P}`],
      ...[`127.0.0.1:${P}/`, `127.0.0.1:${P}/healthz`, `127.0.0.1:${P}?`, `127.0.0.1:${P}#`],
      ...[`127.0.0.1:${P}, evil.test`, `127.0.0.1:${P},127.0.0.1:${P}`, `127.0.0.1:${P} evil.test`],
      ...[`127.0.0.1:+${P}`, `127.0.0.1:`, `:${P}`, `http://127.0.0.1:${P}`, `lócalhost:${P}`],
      ...[`localhost%2e:${P}`, `127.0.0.1%00:${P}`, `127.0.0.1\\:${P}`, `*:${P}`],
      "svc.example.com",
    ];
    assert.ok(new Set(hosts).size >= 40);
    // Each host with some routes, and each route with some hosts.
    const few = ROWS.filter((_, at) => at % 9 === 0);
    const cases = (all: readonly string[]) =>
      Object.fromEntries(all.map((host) => [host, () => ({ host })] as const));
    await refusedAll(place, few, 400, cases(hosts));
    await refusedAll(place, ROWS, 400, {
      ...cases(["evil.test", `evil.test:${P}`, `127.0.0.1.nip.io:${P}`]),
      "two": () => ({ more: `Host: 127.0.0.1:${P}` }),
      "forwarded": () => ({
        host: "evil.test",
        more: `X-Forwarded-Host: 127.0.0.1:${P}\r\nForwarded: host="127.0.0.1:${P}"`,
      }),
      "absolute": (row) => ({ target: `http://evil.test${row.target}` }),
    });
    for (const row of ROWS.slice(0, 5)) {
      const host = `localhost:${P}`;
      const named = { host, ...row.method === "POST" && { origin: `http://${host}` } };
      assert.equal((await place.ask(row, named)).status, row.good, shown(row, "by name"));
    }
  },
);

verifies(
  [
    "4.3:mutation:post-only",
    "6:stream:get-only",
    "7:status-405:get-on-post-only",
    "7:status-405:post-on-get-only",
  ],
  "each route answers to its own method only",
  async () => {
    await using place = await ground();
    await refusedAll(place, ROWS, 405, {
      "the other": (row) => ({ method: row.method === "GET" ? "POST" : "GET", body: undefined }),
      ...Object.fromEntries(
        ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "post", "POSTS"]
          .map((method) => [method, () => ({ method, body: undefined })]),
      ),
    });
    const posts = ROWS.filter(({ method }) => method === "POST");
    await refusedAll(place, posts, 405, { "HEAD": () => ({ method: "HEAD", body: undefined }) });
  },
);

verifies(
  ["4.3:mutation:bodyless-rejects-body"],
  "what takes no body refuses one",
  async () => {
    await using place = await ground();
    await refusedAll(place, ROWS.filter(({ body }) => body === undefined), 400, {
      "empty object": () => ({ body: "{}", type: "application/json" }),
      "a byte": () => ({ body: "x" }),
      "white space": () => ({ body: "\n", type: "text/plain" }),
      "chunks": () => ({ more: "Transfer-Encoding: chunked\r\n\r\n0" }),
      "oversize": () => ({ body: "x".repeat(JSON_BODY_BYTES + 1), type: "application/json" }),
    });
  },
);

verifies(
  [
    "7:status-415:content-type",
    "4.3:json-control:not-json",
    "4.3:json-control:exact-content-type",
    "5:login:json-only",
  ],
  "a JSON route takes exactly application/json",
  async () => {
    await using place = await ground();
    const types = [
      ...[undefined, "", "text/plain", "text/json", "application/x-www-form-urlencoded"],
      ...[
        "multipart/form-data",
        "application/json-seq",
        "application/jsonx",
        "application/ld+json",
      ],
      ...["application/json, text/plain", "application/json; charset=utf-16", "*/*"],
      ...["application/json; x=1", "application/json;", "application/json; charset=utf-8"],
      ...["Application/JSON", "application/JSON", "application/json;charset=UTF-8"],
    ];
    await refusedAll(place, JSON_ROWS, 415, {
      ...Object.fromEntries(types.map((type) => [String(type), () => ({ type })] as const)),
      packed: () => ({ more: "Content-Encoding: gzip" }),
    });
  },
);

verifies(
  [
    "4.3:json-control:unknown-field",
    "4.3:json-control:trailing-value",
    "4.3:json-control:not-json",
    "4.3:mutation:failure-body",
    "7:status-400:invalid-body",
    "7:status-400:scan-without-repo-id",
    "7:status-400:run-role-without-repo-id",
    "7:status-400:run-role-without-role",
  ],
  "a JSON route takes exactly its own object",
  async () => {
    await using place = await ground();
    const object = (row: Row): Record<string, unknown> => JSON.parse(row.body!);
    const first = (row: Row) => Object.keys(object(row))[0]!;
    const changed = (change: (row: Row) => string | Uint8Array) => (row: Row) => ({
      body: change(row),
    });
    const utf8 = (text: string) => new TextEncoder().encode(text);
    const cases: Record<string, (row: Row) => string | Uint8Array> = {
      "empty": () => "",
      "half": (row) => row.body!.slice(0, -1),
      "unknown field": (row) => JSON.stringify({ ...object(row), forced: "yes" }),
      "__proto__": (row) => row.body!.replace("{", '{"__proto__":"x",'),
      "twice": (row) => row.body!.replace("{", `{"${first(row)}":"r1",`),
      "twice, escaped": (row) =>
        row.body!.replace(
          "{",
          `{"\\u00${first(row).charCodeAt(0).toString(16)}${first(row).slice(1)}":"r1",`,
        ),
      "trailing value": (row) => `${row.body} {}`,
      "trailing byte": (row) => `${row.body}\0`,
      "trailing comma": (row) => row.body!.replace("}", ",}"),
      "comment": (row) => `/**/${row.body}`,
      "BOM": (row) => `\uFEFF${row.body}`,
      "UTF-16": (row) => new Uint8Array([...row.body!].flatMap((c) => [c.charCodeAt(0), 0])),
      "no UTF-8": (row) => new Uint8Array([...utf8(row.body!.slice(0, -2)), 0xff, 0x22, 0x7d]),
      "array": (row) => `[${row.body}]`,
      "text": (row) => JSON.stringify(row.body),
      "null": () => "null",
      "form": () => "repo_id=r1&role=engineer",
      "deep": (row) => `{"${first(row)}":${"[".repeat(20)}${"]".repeat(20)}}`,
      "number": (row) => JSON.stringify({ ...object(row), [first(row)]: 1 }),
      "object": (row) => JSON.stringify({ ...object(row), [first(row)]: {} }),
      "list": (row) => JSON.stringify({ ...object(row), [first(row)]: ["r1"] }),
      "empty text": (row) => JSON.stringify({ ...object(row), [first(row)]: "" }),
      "first missing": (row) => JSON.stringify({ ...object(row), [first(row)]: undefined }),
      "last missing": (row) =>
        JSON.stringify({ ...object(row), [Object.keys(object(row)).at(-1)!]: undefined }),
      "none": () => "{}",
    };
    await refusedAll(
      place,
      JSON_ROWS,
      400,
      Object.fromEntries(Object.entries(cases).map(([what, change]) => [what, changed(change)])),
    );
    for (const row of JSON_ROWS) {
      const spaced = ` \t\r\n${row.body}\n `;
      assert.equal((await place.ask(row, { body: spaced })).status, 200, shown(row, "spaces"));
    }
  },
);

verifies(
  ["4.3:json-control:oversize", "7:status-400:oversize-body"],
  "a JSON route refuses a body beyond its bound",
  async () => {
    await using place = await ground();
    await refusedAll(place, JSON_ROWS, "400 too large", {
      "declared": (row) => ({ body: row.body! + " ".repeat(row.maxBytes) }),
      "in chunks": (row) => ({
        body: undefined,
        more: `Transfer-Encoding: chunked\r\n\r\n${(row.maxBytes + 1).toString(16)}\r\n` +
          row.body!.padEnd(row.maxBytes + 1) + "\r\n0",
      }),
    });
  },
);

verifies(
  ["7:status-400:repo-roles-without-repo-id"],
  "an API route takes its own query, each parameter once",
  async () => {
    await using place = await ground();
    const more = (row: Row, query: string) =>
      row.target + (row.target.includes("?") ? "&" : "?") + query;
    await refusedAll(place, API, 400, {
      "unknown": (row) => ({ target: more(row, "x=1") }),
      "without a value": (row) => ({ target: more(row, "x") }),
      "empty": (row) => ({ target: more(row, "=") }),
      "__proto__": (row) => ({ target: more(row, "__proto__=1") }),
    });
    const asking = READS.filter(({ target }) => target.includes("?"));
    await refusedAll(place, asking, 400, {
      "none": (row) => ({ target: row.path }),
      "empty": (row) => ({ target: row.target.replace(/=[^&]*/g, "=") }),
      "twice": (row) => ({ target: `${row.target}&${row.target.split("?")[1]}` }),
      "broken escape": (row) => ({ target: `${row.target}%` }),
      "no UTF-8": (row) => ({ target: `${row.target}%ff` }),
    });
  },
);

/** The dashboard behind a reverse proxy: one exact https origin, and nobody without a session. */
import assert from "node:assert/strict";
import { OPERATIONS } from "svc/http/api.ts";
import { LOGIN_FILES, PAGES } from "svc/http/pages.ts";
import { verifies } from "tests/kit/verifies.ts";
import { type DashboardPlace, dashboardPlace, SECRET } from "tests/unit/http/dashboard_place.ts";
import { rawRequest } from "tests/unit/http/raw_http.ts";
import { described } from "tools/openapi.ts";

const ORIGIN = "https://svc.example.com";
const HOST = "svc.example.com";

const DESCRIBED = Object.fromEntries(described().map(({ name, statuses }) => [name, statuses]));

interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** As a proxy hands it on: with the `Host` that the browser sent. */
async function passed(place: DashboardPlace, lines: readonly string[], body = ""): Promise<Answer> {
  const head = [lines[0], `Host: ${HOST}`, "X-Forwarded-Proto: https", ...lines.slice(1)];
  const { status, text } = await rawRequest(place.port, `${head.join("\r\n")}\r\n\r\n${body}`);
  const [answered = "", rest = ""] = text.split("\r\n\r\n");
  return { status, head: answered, body: rest };
}

async function login(
  place: DashboardPlace,
): Promise<{ cookie: string; csrf: string; head: string }> {
  const body = JSON.stringify({ secret: SECRET });
  const sent = ["POST /api/login HTTP/1.1", `Origin: ${ORIGIN}`, "Content-Type: application/json"];
  const answer = await passed(place, [...sent, `Content-Length: ${body.length}`], body);
  assert.equal(answer.status, 200, answer.body);
  const cookie = /^set-cookie: ([^;]*)/im.exec(answer.head)![1]!;
  return { cookie, csrf: JSON.parse(answer.body).csrf_token, head: answer.head };
}

Deno.test("through the trusted origin the login leads to the page and the view that were asked for", async () => {
  await using place = dashboardPlace({ trustedOrigin: ORIGIN });
  const leads = async (target: string) => {
    const { head } = await passed(place, [`GET ${target} HTTP/1.1`]);
    return /^location: (\S+)\r$/im.exec(head)?.[1];
  };
  const view = "/ticket?repo_id=a&id=T-0001";
  assert.equal(await leads(view), `/login?next=${encodeURIComponent(view)}`);
  assert.equal(
    await leads("/roles?next=//example.com"),
    "/login?next=%2Froles%3Fnext%3D%2F%2Fexample.com",
  );
  // The login's own address would be refused as too long.
  assert.equal(await leads(`/tickets?q=${"%20".repeat(1000)}`), "/login");
});

verifies(
  ["5:remote:every-route-needs-session"],
  "through the trusted origin nothing but the login is there without a session",
  async () => {
    const assets = () => ({ bytes: "1;", type: "text/javascript" });
    await using place = dashboardPlace({ trustedOrigin: ORIGIN, assets });
    for (const [name, { access }] of Object.entries(OPERATIONS)) {
      if (name === "POST /api/login") continue;
      const post = name.startsWith("POST") ? [`Origin: ${ORIGIN}`, "Content-Length: 0"] : [];
      const json = OPERATIONS[name]!.body !== undefined ? ["Content-Type: application/json"] : [];
      const { status } = await passed(place, [`${name} HTTP/1.1`, ...post, ...json]);
      assert.equal(status, 401, `${name} is ${access}`);
      for (const told of ["401", "503"]) assert.ok(Object.hasOwn(DESCRIBED[name]!, told), name);
    }
    for (const page of ["", ...Object.keys(PAGES)]) {
      const { status, head } = await passed(place, [`GET /${page} HTTP/1.1`]);
      assert.equal(status, page === "login" ? 200 : 302, page);
      if (page === "login") continue;
      const next = page === "" ? "" : `?next=%2F${page}`;
      assert.equal(/^location: (\S+)\r$/im.exec(head)?.[1], `/login${next}`);
    }
    for (const name of LOGIN_FILES) {
      assert.equal((await passed(place, [`GET /login/${name} HTTP/1.1`])).status, 200, name);
      assert.equal((await passed(place, [`GET /assets/${name} HTTP/1.1`])).status, 401, name);
    }
    // Nobody learns without a session which file there is.
    const had = ["GET /assets/app.js HTTP/1.1", "If-None-Match: *", "Accept-Encoding: br"];
    assert.equal((await passed(place, had)).status, 401);
    assert.equal((await passed(place, ["HEAD /assets/app.js HTTP/1.1"])).status, 401);
    assert.equal((await passed(place, ["GET /login/pipeline.html HTTP/1.1"])).status, 404);
    const { cookie, csrf, head } = await login(place);
    assert.equal(
      (await passed(place, ["GET /assets/app.js HTTP/1.1", `Cookie: ${cookie}`])).status,
      200,
    );
    assert.match(head, /__Host-svc_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure/);
    const own = `Cookie: ${cookie}`;
    assert.equal((await passed(place, ["GET /pipeline HTTP/1.1", own])).status, 200);
    const status = await passed(place, ["GET /api/status HTTP/1.1", own]);
    assert.equal(JSON.parse(status.body).repos, 1);
    const control = ["POST /api/pause HTTP/1.1", own, `X-SVC-CSRF-Token: ${csrf}`];
    const paused = await passed(place, [...control, `Origin: ${ORIGIN}`, "Content-Length: 0"]);
    assert.equal(paused.status, 200);
    // On this machine the page is as open as ever.
    assert.equal((await (await fetch(`${place.url}/api/status`)).json()).healthy, true);
    await using shut = dashboardPlace({ trustedOrigin: ORIGIN, secret: undefined });
    assert.equal((await passed(shut, ["GET /pipeline HTTP/1.1"])).status, 503);
    assert.equal((await passed(shut, ["GET /api/status HTTP/1.1"])).status, 503);
  },
);

verifies(
  ["5:remote:only-through-trusted-origin", "4.1:trusted-origin:forwarded-headers-ignored"],
  "no other remote origin is served, whatever a proxy says of it",
  async () => {
    await using place = dashboardPlace({ trustedOrigin: ORIGIN });
    const { cookie, csrf } = await login(place);
    const own = [`Cookie: ${cookie}`, `X-SVC-CSRF-Token: ${csrf}`, "Content-Length: 0"];
    for (
      const origin of [
        ...["http://svc.example.com", "https://svc.example.com:443", "https://svc.example.com/"],
        ...[
          "https://evil.example.com",
          "https://svc.example.com.evil.test",
          `http://${place.host}`,
        ],
        ...["https://SVC.example.com", "https://example.com", "null"],
      ]
    ) {
      const sent = ["POST /api/pause HTTP/1.1", `Origin: ${origin}`, ...own];
      assert.equal((await passed(place, sent)).status, 403, origin);
    }
    const { port } = place;
    for (
      const host of [
        ...["example.com", "svc.example.com:443", "svc.example.com.", "SVC.example.com"],
        ...["a.svc.example.com", "svc.example.com:9091"],
      ]
    ) {
      const told =
        "X-Forwarded-Host: svc.example.com\r\nForwarded: host=svc.example.com;proto=https";
      const bytes = `GET /login HTTP/1.1\r\nHost: ${host}\r\n${told}\r\n\r\n`;
      assert.equal((await rawRequest(port, bytes)).status, 400, host);
    }
    // A page of the trusted origin is foreign to the loopback name.
    const local = `POST /api/pause HTTP/1.1\r\nHost: ${place.host}\r\nOrigin: ${ORIGIN}\r\n` +
      `${own.join("\r\n")}\r\n\r\n`;
    assert.equal((await rawRequest(port, local)).status, 403);
    assert.deepEqual(place.asked, []);
    await using alone = dashboardPlace();
    assert.equal((await passed(alone, ["GET /login HTTP/1.1"])).status, 400);
  },
);

Deno.test("dashboardListener takes one exact https origin and binds nothing for another", () => {
  for (
    const trustedOrigin of [
      ...["http://svc.example.com", "https://svc.example.com/", "https://svc.example.com/x"],
      ...["https://SVC.example.com", "https://svc.example.com:443", "https://*.example.com"],
      ...["https://ada@svc.example.com", "svc.example.com", "https://", "", "null", "https://a b"],
      ...["https://svc.example.com,https://other.test", "https://svc.example.com?x"],
    ]
  ) assert.throws(() => dashboardPlace({ trustedOrigin }), { code: "usage" }, trustedOrigin);
});

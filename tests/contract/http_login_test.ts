/** Sessions of the dashboard: how they begin, what they are worth, how often one may ask. */
import { LOGINS_AT_ONCE } from "svc/http/people.ts";
import assert from "node:assert/strict";
import { MUTATIONS_AT_ONCE } from "svc/core/bounds.ts";
import { verifies } from "tests/kit/verifies.ts";
import { dashboardPlace, SECRET, SteppedClock } from "tests/unit/http/dashboard_place.ts";
import { person } from "tests/unit/http/person.ts";

verifies(
  [
    "4.3:login:accepts-secret",
    "4.3:login:answers-cookie-and-csrf-token",
    "4.3:login:refuses-wrong-secret",
    "4.3:session:answers-csrf-token",
    "4.3:logout:invalidates-session",
    "2.2:session:cookie",
  ],
  "a login opens a session, its page learns the token again, and a logout ends it",
  async () => {
    await using place = dashboardPlace();
    for (const secret of [`${SECRET}x`, SECRET.slice(1), "x"]) {
      const { status, cookie, csrf } = await place.login(secret);
      assert.deepEqual([status, cookie, csrf], [401, "", ""]);
    }
    // Whoever keeps the machine finds the guesses in the log.
    assert.equal(place.logged.filter((line) => line.includes("was refused")).length, 3);
    const { status, cookie, csrf, response } = await place.login();
    assert.equal(status, 200);
    assert.match(csrf, /^[\w-]{43}$/);
    assert.match(
      response.headers.get("set-cookie")!,
      new RegExp(`^svc_session_${place.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    const session = () => fetch(`${place.url}/api/session`, { headers: { cookie } });
    const again = await (await session()).json();
    assert.deepEqual([again.ok, again.csrf_token], [true, csrf]);
    assert.ok(Date.parse(again.expires_at) > Date.now());
    const headers = { cookie, origin: place.url, "x-svc-csrf-token": csrf };
    const logout = await fetch(`${place.url}/api/logout`, { method: "POST", headers });
    assert.deepEqual(await logout.json(), { ok: true });
    assert.match(logout.headers.get("set-cookie")!, /=; Path=\/; .*Max-Age=0$/);
    const ended = await session();
    assert.equal(ended.status, 401);
    await ended.body?.cancel();
  },
);

Deno.test("who logs in anew ends the session before, and nobody else's", async () => {
  await using place = dashboardPlace();
  const [before, other] = [await place.login(), await place.login()];
  const after = await place.login(SECRET, { cookie: before.cookie });
  const statuses = await Promise.all([before, other, after].map(async ({ cookie }) => {
    const { status, body } = await fetch(`${place.url}/api/session`, { headers: { cookie } });
    await body?.cancel();
    return status;
  }));
  assert.deepEqual(statuses, [401, 200, 200]);
});

Deno.test("what a page reads uses nothing up of what its person may do", async () => {
  await using place = dashboardPlace({ clock: new SteppedClock() });
  const { get, post } = await person(place);
  for (let at = 0; at <= MUTATIONS_AT_ONCE; at++) {
    const { status, body } = await get("/api/repos");
    await body?.cancel();
    assert.equal(status, 200);
  }
  const { status, body } = await post("/api/pause");
  await body?.cancel();
  assert.equal(status, 200);
});

verifies(
  ["5:login:secret-only-in-body"],
  "the secret opens nothing but a login, and its body alone is looked at",
  async () => {
    await using place = dashboardPlace();
    const asked = [
      fetch(`${place.url}/api/repos`, { headers: { authorization: `Bearer ${SECRET}` } }),
      fetch(`${place.url}/api/repos`, { headers: { "x-svc-csrf-token": SECRET } }),
      fetch(`${place.url}/api/repos?secret=${encodeURIComponent(SECRET)}`),
      fetch(`${place.url}/api/login?secret=${encodeURIComponent(SECRET)}`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: place.url },
        body: '{"secret":"something else of many bytes, wrong"}',
      }),
    ];
    const statuses = (await Promise.all(asked)).map(({ status, body }) => {
      body?.cancel();
      return status;
    });
    assert.deepEqual(statuses, [401, 401, 401, 400]);
    assert.doesNotMatch(place.logged.join(), new RegExp(SECRET));
  },
);

verifies(
  ["7:status-429:login", "7:status-429:mutation"],
  "who asks too often is told when to come again, and may then",
  async () => {
    const clock = new SteppedClock();
    await using place = dashboardPlace({ clock });
    const { post } = await person(place);
    const other = await person(place);
    const answers: Response[] = [];
    for (let at = 0; at <= MUTATIONS_AT_ONCE; at++) answers.push(await post("/api/pause"));
    const last = answers.at(-1)!;
    assert.deepEqual(answers.slice(0, -1).filter(({ status }) => status !== 200), []);
    assert.deepEqual([last.status, last.headers.get("retry-after")], [429, "1"]);
    assert.deepEqual(await last.json(), { ok: false, error: "too many controls" });
    assert.equal((await other.post("/api/pause")).status, 200); // each session has its own
    for (let at = 2; at < LOGINS_AT_ONCE; at++) await place.login("wrong");
    const refused = await place.login();
    assert.deepEqual([refused.status, refused.response.headers.get("retry-after")], [429, "6"]);
    clock.advance(1_000);
    assert.equal((await post("/api/pause")).status, 200);
    clock.advance(5_000);
    assert.equal((await place.login()).status, 200);
  },
);

import assert from "node:assert/strict";
import {
  MUTATIONS_AT_ONCE,
  SESSION_COOKIES,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
} from "svc/core/bounds.ts";
import { Bucket } from "svc/http/bucket.ts";
import { controlSecret, isWeak, secretCheck } from "svc/http/control_secret.ts";
import { loopbackCookie, sessionIds, setCookie, TRUSTED_COOKIE } from "svc/http/session_cookie.ts";
import { SESSIONS, Sessions } from "svc/http/sessions.ts";
import { SteppedClock } from "./dashboard_place.ts";

Deno.test("Sessions ends one that is not used, and one that is old", () => {
  const clock = new SteppedClock();
  const sessions = new Sessions(clock);
  const { id, session } = sessions.open();
  const end = clock.now() + SESSION_LIFE_MS;
  assert.equal(sessions.expiresAt(session), clock.now() + SESSION_IDLE_MS);
  const told: string[] = [];
  sessions.onEnd(session, () => told.push("ended"));
  sessions.onEnd(session, () => told.push("forgotten"))();
  for (let used = 0; used + SESSION_IDLE_MS < SESSION_LIFE_MS; used += SESSION_IDLE_MS - 1) {
    assert.equal(sessions.use([id]), session);
    clock.advance(SESSION_IDLE_MS - 1);
  }
  assert.equal(sessions.use([id]), session);
  clock.advance(end - clock.now() - 1);
  assert.equal(sessions.use([id]), session);
  assert.deepEqual([sessions.expiresAt(session), told.length], [end, 0]);
  clock.advance(1);
  assert.equal(sessions.use([id]), undefined);
  assert.deepEqual(told, ["ended"]);
  const idle = sessions.open();
  clock.advance(SESSION_IDLE_MS);
  assert.equal(sessions.use([idle.id]), undefined);
  sessions.onEnd(idle.session, () => told.push("at once"));
  assert.deepEqual(told, ["ended", "at once"]);
});

Deno.test("Sessions keeps a few, never their ids, and looks at each id that is brought", () => {
  const clock = new SteppedClock();
  const sessions = new Sessions(clock);
  const opened = Array.from({ length: SESSIONS + 2 }, () => sessions.open());
  const alive = opened.filter(({ id }) => sessions.use([id]) !== undefined);
  assert.deepEqual(alive, opened.slice(2));
  const { id, session } = opened.at(-1)!;
  assert.equal(sessions.use([opened[0]!.id, "x", id]), session);
  assert.equal(new Set(opened.flatMap(({ id, session }) => [id, session.csrf])).size, 36);
  assert.doesNotMatch(JSON.stringify(session), new RegExp(id));
  sessions.end(session.key);
  assert.equal(sessions.use([id]), undefined);
});

Deno.test("Sessions ends what nobody uses before what somebody does", () => {
  const clock = new SteppedClock();
  const sessions = new Sessions(clock);
  const used = sessions.open();
  for (let at = 1; at < SESSIONS; at++) sessions.open();
  clock.advance(SESSION_IDLE_MS - 1);
  assert.equal(sessions.use([used.id]), used.session);
  clock.advance(1);
  sessions.open();
  assert.equal(sessions.use([used.id]), used.session);
});

Deno.test("Bucket lets so many through at once, and so many a minute", () => {
  const clock = new SteppedClock();
  const bucket = new Bucket(clock, 60, MUTATIONS_AT_ONCE);
  const taken = () => bucket.take() === undefined;
  assert.equal(Array.from({ length: 100 }, taken).filter(Boolean).length, MUTATIONS_AT_ONCE);
  assert.equal(bucket.take(), 1);
  let through = 0;
  for (let ms = 0; ms < 60_000; ms += 250) {
    clock.advance(250);
    if (taken()) through++;
  }
  assert.equal(through, 60);
  clock.advance(10 * 60_000);
  assert.equal(Array.from({ length: 100 }, taken).filter(Boolean).length, MUTATIONS_AT_ONCE);
});

Deno.test("sessionIds finds its own name among other cookies, and not too many", () => {
  const cookie = loopbackCookie(9091);
  const id = "A".repeat(43);
  const other = "b-_".repeat(15).slice(0, 43);
  assert.deepEqual(sessionIds(cookie, null), []);
  assert.deepEqual(sessionIds(cookie, `a=1; svc_session_9091=${id};svc_session_9091=${other}`), [
    ...[id, other],
  ]);
  for (
    const header of [
      ...["", ";", "svc_session_9091", "svc_session_9091=", `svc_session_9091="${id}"`, `=${id}`],
      ...[`svc_session_9090=${id}`, `SVC_SESSION_9091=${id}`, `svc_session_9091=${id}A`, id],
    ]
  ) assert.deepEqual(sessionIds(cookie, header), [], header);
  const many = Array.from({ length: 50 }, () => `svc_session_9091=${id}`).join("; ");
  assert.equal(sessionIds(cookie, many).length, SESSION_COOKIES);
  assert.equal(
    setCookie(TRUSTED_COOKIE, id),
    `__Host-svc_session=${id}; Path=/; HttpOnly; SameSite=Strict; Secure`,
  );
  assert.match(setCookie(cookie, undefined), /^svc_session_9091=; .*; Max-Age=0$/);
});

Deno.test("controlSecret takes any 32 bytes, says which are weak, and compares all of them", () => {
  const good = "0123456789abcdef0123456789abcdef";
  assert.equal(controlSecret(good), good);
  assert.equal(controlSecret("é".repeat(15) + "ab"), "é".repeat(15) + "ab");
  for (const bad of [undefined, "", good.slice(1), " ".repeat(31), "x".repeat(31)]) {
    assert.equal(controlSecret(bad), undefined, bad);
  }
  for (const weak of [" ".repeat(64), "x".repeat(32), "\t \n".repeat(20)]) {
    assert.deepEqual([controlSecret(weak), isWeak(weak)], [weak, true]);
  }
  assert.equal(isWeak(good), false);
  const knows = secretCheck(good);
  assert.equal(knows(good), true);
  for (const given of ["", good.slice(1), `${good} `, good.toUpperCase(), `${good}${good}`]) {
    assert.equal(knows(given), false, given);
  }
});

/** What every answer of svc's listeners carries, as bytes on the socket. */
import assert from "node:assert/strict";
import { dashboardPlace } from "./dashboard_place.ts";
import { rawRequest } from "./raw_http.ts";

/** Deno 2.9.6 begins the head of an answer with room for so many bytes, a body that fits included. */
const FIRST_ROOM_BYTES = 512;

Deno.test("no answer may be shown in a frame, by browsers without frame-ancestors either", async () => {
  await using place = dashboardPlace();
  for (const path of ["/api/status", "/api/session", "/nowhere"]) {
    const response = await fetch(`${place.url}${path}`);
    await response.body?.cancel();
    assert.equal(response.headers.get("x-frame-options"), "DENY", path);
  }
});

Deno.test("the head of a small answer is so long that its body is sent together with it", async () => {
  await using place = dashboardPlace();
  for (const path of ["/api/status", "/api/session", "/nowhere"]) {
    const { text } = await rawRequest(
      place.port,
      `GET ${path} HTTP/1.1\r\nHost: ${place.host}\r\n\r\n`,
    );
    const headBytes = text.indexOf("\r\n\r\n") + 4;
    assert.ok(headBytes > FIRST_ROOM_BYTES, `${path}: a head of ${headBytes} bytes`);
  }
});

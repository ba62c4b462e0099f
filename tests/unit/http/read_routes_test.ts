/** What a read answers where it finds nothing or fails, and the page for a wrong address. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { NoLongerThere } from "svc/runtime/views/read.ts";
import { dashboardPlace } from "./dashboard_place.ts";
import { person } from "./person.ts";

Deno.test("a read tells what is wrong with its query and what has gone, and of its own faults nothing", async () => {
  const faults: readonly [Error, number, string][] = [
    [new Failure("usage", "unknown repo"), 400, "unknown repo"],
    [
      new NoLongerThere("removed by retention on 2026-11-22"),
      404,
      "removed by retention on 2026-11-22",
    ],
    [new Failure("not_found", "no /home/ada/shop"), 500, "internal error"],
    [new Error("secret of the disk /home/ada"), 500, "internal error"],
  ];
  for (const [fault, status, error] of faults) {
    await using place = dashboardPlace({ reads: { jobs: () => Promise.reject(fault) } });
    const answered = await (await person(place)).get("/api/jobs");
    assert.deepEqual([answered.status, await answered.json()], [status, { ok: false, error }]);
    assert.equal(place.logged.length, status === 500 ? 1 : 0);
  }
});

Deno.test("a wrong address has a page for who reads pages, and JSON for programs", async () => {
  const page = { bytes: "<p>lost</p>", type: "text/html" };
  await using place = dashboardPlace({ assets: (path) => path === "lost.html" ? page : undefined });
  const asked = async (path: string, accept: string, method = "GET") => {
    const headers = { accept, origin: place.url };
    const answered = await fetch(`${place.url}${path}`, { method, headers });
    return [answered.status, answered.headers.get("content-type"), (await answered.text()).trim()];
  };
  const json = [404, "application/json", '{"ok":false,"error":"not found"}'];
  const html = "text/html,application/xhtml+xml";
  assert.deepEqual(await asked("/nowhere", html), [404, "text/html", "<p>lost</p>"]);
  assert.deepEqual(await asked("/nowhere", html, "HEAD"), [404, "text/html", ""]);
  assert.deepEqual(await asked("/nowhere", html, "POST"), json);
  assert.deepEqual(await asked("/nowhere", "*/*"), json);
  assert.deepEqual(await asked("/api/nowhere", html), json);
  await using bare = dashboardPlace();
  const answered = await fetch(`${bare.url}/nowhere`, { headers: { accept: html } });
  assert.deepEqual([answered.status, await answered.json()], [404, {
    ok: false,
    error: "not found",
  }]);
});

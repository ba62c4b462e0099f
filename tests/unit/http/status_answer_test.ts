import assert from "node:assert/strict";
import type { ServiceStatus, StatusGlance } from "svc/runtime/service/plan.ts";
import { team } from "tests/kit/browser_board.ts";
import { verifies } from "tests/kit/verifies.ts";
import { dashboardPlace } from "./dashboard_place.ts";

const RUNS: StatusGlance = { healthy: true, claims: "claiming", startedAt: Date.now() };

verifies(
  ["4.3:status:redacted-when-anonymous"],
  "the anonymous status is rendered once and told anew as soon as something in it has changed",
  async () => {
    let seen: StatusGlance | Promise<StatusGlance> = RUNS;
    await using place = dashboardPlace({ service: { glance: () => seen } });
    const asked = async () => {
      const response = await fetch(`${place.url}/api/status`);
      const { uptime_secs: _, ...rest } = await response.json();
      return rest;
    };
    assert.deepEqual(await asked(), { healthy: true, paused: false });
    assert.deepEqual(await asked(), { healthy: true, paused: false });
    seen = { ...RUNS, claims: "paused" };
    assert.deepEqual(await asked(), { healthy: true, paused: true });
    seen = Promise.resolve({ ...RUNS, healthy: false });
    assert.deepEqual(await asked(), { healthy: false, paused: false });
  },
);

verifies(
  ["4.3:status:redacted-when-anonymous", "4.3:status:fields"],
  "a rendered status has every header of safety, HEAD its length, and a session its own answer",
  async () => {
    await using place = dashboardPlace({ service: { glance: () => RUNS } });
    const { cookie } = await place.login();
    const ask = async (init: RequestInit = {}) => {
      const response = await fetch(`${place.url}/api/status`, init);
      return { response, text: await response.text() };
    };
    const [first, second] = [await ask(), await ask()];
    const headers = ({ response }: typeof first) =>
      [...response.headers].filter(([name]) => name !== "date");
    assert.deepEqual(headers(second), headers(first));
    const wanted = ["content-security-policy", "x-content-type-options", "cache-control"];
    for (const name of wanted) assert.ok(second.response.headers.has(name), name);
    const head = await ask({ method: "HEAD" });
    assert.equal(head.text, "");
    assert.equal(head.response.headers.get("content-length"), String(first.text.length));
    const own = JSON.parse((await ask({ headers: { cookie } })).text);
    assert.equal(typeof own.active_jobs, "number");
    assert.equal("active_jobs" in JSON.parse((await ask()).text), false);
  },
);

verifies(
  ["4.3:status:redacted-when-anonymous", "4.3:status:fields"],
  "a session is told of the nodes of a team, and a stranger of none",
  async () => {
    const nodes = team(RUNS.startedAt);
    const status = {
      ...{ ...RUNS, running: [], repos: [], holds: [], nodes },
    } as unknown as ServiceStatus;
    const service = { status: () => Promise.resolve(status), glance: () => status };
    await using place = dashboardPlace({ service });
    const { cookie } = await place.login();
    const asked = async (headers: Record<string, string>) =>
      await (await fetch(`${place.url}/api/status`, { headers })).text();
    assert.deepEqual(JSON.parse(await asked({ cookie })).nodes, nodes);
    const stranger = await asked({});
    assert.deepEqual(Object.keys(JSON.parse(stranger)), ["healthy", "paused", "uptime_secs"]);
    for (const { id, name } of nodes) {
      assert.equal(stranger.includes(name) || stranger.includes(id), false, name);
    }
  },
);

Deno.test("a status that cannot be told is one refusal, and the listener goes on", async () => {
  let fails = true;
  const glance = () => {
    if (fails) throw new Error("the engine is gone");
    return RUNS;
  };
  await using place = dashboardPlace({ service: { glance } });
  const first = await fetch(`${place.url}/api/status`);
  assert.deepEqual([first.status, await first.json()], [
    500,
    { ok: false, error: "internal error" },
  ]);
  assert.match(place.logged.join(), /a request failed: Error: the engine is gone/);
  fails = false;
  const second = await fetch(`${place.url}/api/status`);
  assert.equal((await second.json()).healthy, true);
});

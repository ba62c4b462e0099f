/** What each of the two listeners serves, and what only the other does. */
import assert from "node:assert/strict";
import { OPERATIONS } from "svc/http/api.ts";
import { verifies } from "tests/kit/verifies.ts";
import { controlPlace } from "tests/unit/http/control_place.ts";
import { dashboardPlace } from "tests/unit/http/dashboard_place.ts";

async function statusOf(url: string, name: string): Promise<number> {
  const [method = "", path = ""] = name.split(" ");
  const post = method === "POST" ? { method, headers: { origin: url } } : {};
  const response = await fetch(`${url}${path}`, post);
  await response.body?.cancel();
  return response.status;
}

verifies(
  ["4.1:dashboard-listener:controls-and-reads", "4.3:healthz:control-address-only"],
  "controls and reads are on the dashboard alone, health on the control address alone",
  async () => {
    await using control = await controlPlace();
    await using dashboard = dashboardPlace();
    for (const name of Object.keys(OPERATIONS)) {
      assert.equal(await statusOf(control.url, name), 404, name);
      assert.notEqual(await statusOf(dashboard.url, name), 404, name);
    }
    assert.equal(await statusOf(control.url, "GET /healthz"), 200);
    assert.equal(await statusOf(dashboard.url, "GET /healthz"), 404);
    assert.equal(await statusOf(dashboard.url, "POST /webhooks/github"), 404);
  },
);

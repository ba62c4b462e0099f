import assert from "node:assert/strict";
import type { RouteCount } from "svc/features/routing/decision_store.ts";
import { dispositionsOf } from "svc/runtime/views/orchestration_view.ts";

const of = (
  role: string,
  count: number,
  at: string,
  more: Partial<RouteCount> = {},
): RouteCount => ({
  ...{ role, rule: `roles.${role}.routes.submitted`, count },
  ...{ last_at: Date.parse(at), last_job: `job at ${at}` },
  disposition: "submitted",
  ...more,
});

Deno.test("dispositionsOf sums over repos and rules, names the newest job, and puts the most frequent first", () => {
  const [early, late] = ["2026-11-21T10:00:00.000Z", "2026-11-21T11:00:00.000Z"];
  const found = dispositionsOf([
    of("qa", 2, early, { disposition: "approved" }),
    of("engineer", 2, late),
    of("engineer", 3, early, { rule: "dispatch.max_rework" }),
  ]);
  assert.deepEqual(found, [
    {
      role: "engineer",
      disposition: "submitted",
      count: 5,
      last_at: late,
      last_job: `job at ${late}`,
    },
    { role: "qa", disposition: "approved", count: 2, last_at: early, last_job: `job at ${early}` },
  ]);
});

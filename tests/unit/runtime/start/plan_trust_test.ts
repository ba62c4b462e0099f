import assert from "node:assert/strict";
import { planStart } from "svc/runtime/start/plan.ts";
import { decision, FACTS, ticket } from "tests/unit/runtime/start_kit.ts";

Deno.test("planStart hands a ticket out with the trust of its own source", () => {
  for (
    const [source, vouched, was] of [
      ["human", undefined, "observer"],
      ["webhook:github", "ada", "observer"],
    ] as const
  ) {
    const routed = { role: "orchestrator", disposition: "routed", next_role: "engineer" } as const;
    const plan = planStart({
      ...FACTS,
      tickets: [ticket("backlog", { source, ...(vouched !== undefined && { vouched }) })],
      unfollowed: [decision({ ...routed, ticket_id: null, to: undefined, source_trust: was })],
    });
    const given = plan.jobs.map(({ role, ticket_id, source_trust }) =>
      [role, ticket_id, source_trust].join(" ")
    );
    assert.deepEqual(given, ["engineer T-0001 contributor"]);
  }
});

Deno.test("planStart hands out no ticket from outside that nobody vouches for", () => {
  const plan = planStart({ ...FACTS, tickets: [ticket("backlog", { source: "webhook:github" })] });
  assert.deepEqual(plan.jobs.flatMap(({ ticket_id }) => ticket_id ?? []), []);
});

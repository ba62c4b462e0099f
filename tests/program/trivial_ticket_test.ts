/** What a ticket of one line costs through the whole program: docs/decisions/0039-fewer-turns.md. */
import assert from "node:assert/strict";
import { throughAllRoles, trivialSite } from "tests/kit/trivial_ticket.ts";

Deno.test("a trivial ticket goes through all roles in 9 turns and 24,000 tokens at most", async () => {
  await using site = await trivialSite();
  const costs = await throughAllRoles(site);
  const sum = (of: "turns" | "tokens") => costs.reduce((total, cost) => total + cost[of], 0);
  const said = JSON.stringify(costs);
  assert.deepEqual(costs.map(({ role, turns }) => [role, turns]).slice(0, 3), [
    ["orchestrator", 0],
    ["engineer", 6],
    ["qa", 2],
  ], said);
  assert.ok(sum("turns") <= 9, said);
  assert.ok(sum("tokens") <= 24_000, said);
  assert.match(await site.repo.read("add.sh"), /\+/);
  // The choice is explained as a role's would be.
  const explained = await site.svc("explain", costs[0]!.first!);
  assert.match(explained.stdout, /T-0001: p2, the only one that can be started/, explained.stdout);
});

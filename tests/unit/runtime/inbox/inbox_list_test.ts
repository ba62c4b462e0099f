/** What a person is told who runs no service: of jobs too whose process died a moment ago. */
import assert from "node:assert/strict";
import { listRepos } from "svc/features/repos/repo_store.ts";
import type { Life } from "svc/platform/process/identity.ts";
import { inboxOf } from "svc/runtime/inbox/inbox_list.ts";
import { queued } from "tests/unit/runtime/engine_place.ts";
import { inboxPlace } from "tests/unit/runtime/inbox_place.ts";

Deno.test("a job of a ticket that is gone needs a person once its process is dead, whatever its lease", async () => {
  await using place = await inboxPlace();
  const { ports } = place;
  const repos = await listRepos(ports.db);
  const { id } = await queued(ports, repos[0]!.id, "engineer", "T-0009");
  const now = ports.clock.now();
  await ports.db.updateTable("jobs").where("id", "=", id).set({
    ...{ status: "running", attempt: 1, generation: 1, started_at: now, heartbeat_at: now },
    ...{ lease_owner: "h/b/1/1/w1", lease_until: now + 60_000 },
  }).execute();
  const cards = async (life: Life) => {
    const identities = { ...ports.identities, life: () => Promise.resolve(life) };
    const inbox = await inboxOf({ ...ports, identities, profile: "host" }, repos, { named: false });
    return inbox.cards.filter(({ job_id }) => job_id === id).map(({ why }) => why);
  };
  assert.deepEqual(await cards("alive"), []);
  assert.deepEqual(await cards("unknown"), []);
  assert.deepEqual(await cards("dead"), ["It is for T-0009, and docs/tickets has no such ticket"]);
});

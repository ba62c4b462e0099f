/** Held roles and models go on, unchecked work is let in, and svc looks again: by a person's word. */
import assert from "node:assert/strict";
import { waiverOf } from "svc/features/checks/waiver_store.ts";
import { pausedLanes, pauseLane, roleLane } from "svc/features/jobs/lane_store.ts";
import { verifies } from "tests/kit/verifies.ts";
import { inboxPlace } from "tests/unit/runtime/inbox_place.ts";

verifies(
  ["4.3:mutation:success-body"],
  "a held role and a held model go on, and are held again when that is taken back",
  async () => {
    await using place = await inboxPlace();
    const { db } = place.ports;
    const model = {
      kind: "model",
      key: "openai/m at https://h/v1",
      reason: "401",
      category: "policy_denied",
    } as const;
    await pauseLane(
      db,
      { kind: "role", key: roleLane(place.id, "engineer"), reason: "3 failed" },
      Date.now(),
    );
    await pauseLane(db, model, Date.now());
    const byName = { act: "resume-role", role: "engineer", request: "once-role" } as const;
    const role = await place.decide(byName);
    assert.equal((await place.decide(byName)).decision, role.decision);
    assert.equal(role.said, 'role "engineer" goes on');
    await assert.rejects(place.decide({ act: "resume-role", role: "engineer" }), {
      code: "conflict",
      message: /nothing holds it back/,
    });
    const laneByName = { act: "resume-model", lane: model.key, request: "once-model" } as const;
    const lane = await place.decide(laneByName);
    assert.equal((await place.decide(laneByName)).decision, lane.decision);
    assert.deepEqual(await pausedLanes(db, Date.now()), []);
    await place.decide({ act: "undo", decision: lane.decision! });
    const [held] = await pausedLanes(db, Date.now());
    assert.deepEqual([held!.kind, held!.key, held!.reason, held!.category, held!.until], [
      ...[model.kind, model.key, model.reason, model.category, null],
    ]);
  },
);

Deno.test("the word for unchecked work is given once, and taken back", async () => {
  await using place = await inboxPlace({ checks: false });
  const { db } = place.ports;
  const acted = await place.decide({ act: "waive-checks", note: "notes only" });
  assert.equal((await waiverOf(db, place.id))?.reason, "notes only");
  await assert.rejects(place.decide({ act: "waive-checks" }), { code: "conflict" });
  await place.decide({ act: "undo", decision: acted.decision! });
  assert.equal(await waiverOf(db, place.id), undefined);
});

verifies(
  ["4.3:mutation:success-body"],
  "a look finds the checkout clean once a person has put their changes aside",
  async () => {
    await using place = await inboxPlace({ review: true });
    const { held, commit } = place;
    await held.write("fixed.txt", "mine\n");
    await place.decide({ act: "approve", ticket: "T-0001", commit });
    const look = () => place.settle();
    const dirty = await place.decide({ act: "recheck" }, { look });
    assert.deepEqual([dirty.decision, dirty.said], [
      undefined,
      "Still waited for: a clean checkout: fixed.txt",
    ]);
    assert.equal(await held.read("fixed.txt"), "mine\n", "svc stashes nothing");
    await held.git("clean", "-fdq");
    const clean = await place.decide({ act: "recheck" }, { look });
    assert.match(clean.said, /^(?:Nothing is waited for|Still waited for: the checks of what)/);
  },
);

Deno.test("what nobody decided, or what is old, is not taken back", async () => {
  await using place = await inboxPlace();
  const unknown = "01a1ff0d-0000-7000-8000-000000000001";
  await assert.rejects(place.decide({ act: "undo", decision: unknown }), { code: "not_found" });
  const { decision } = await place.decide({ act: "unblock", ticket: "T-0001" });
  await place.ports.db.updateTable("decisions").set({ at: Date.now() - 16 * 60_000 }).execute();
  await assert.rejects(place.decide({ act: "undo", decision: decision! }), {
    code: "conflict",
    message: /it is more than 15 minutes old$/,
  });
});

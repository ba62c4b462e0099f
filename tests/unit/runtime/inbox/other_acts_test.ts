/** Held roles and models go on, unchecked work is let in, and svc looks again: by a person's word. */
import assert from "node:assert/strict";
import { waiverOf } from "svc/features/checks/waiver_store.ts";
import { pausedLanes, pauseLane, roleLane } from "svc/features/jobs/lane_store.ts";
import { verifies } from "tests/kit/verifies.ts";
import { queued } from "tests/unit/runtime/engine_place.ts";
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

Deno.test("of several roles that are held, the one that went on is held again", async () => {
  await using place = await inboxPlace();
  const { db } = place.ports;
  const roles = ["engineer", "qa"].map((role) => roleLane(place.id, role));
  for (const key of roles) {
    await pauseLane(db, { kind: "role", key, reason: `${key} failed` }, Date.now());
  }
  const held = async () =>
    (await pausedLanes(db, Date.now())).map(({ key, reason }) => [key, reason]);
  const before = await held();
  for (const role of ["engineer", "qa"]) {
    const { decision } = await place.decide({ act: "resume-role", role });
    assert.deepEqual(await held(), before.filter(([key]) => key !== roleLane(place.id, role)));
    await place.decide({ act: "undo", decision: decision! });
    assert.deepEqual((await held()).sort(), before.toSorted());
  }
});

Deno.test("a look lets jobs that wait for more of a budget go on", async () => {
  await using place = await inboxPlace();
  const { db, clock } = place.ports;
  const { id } = await queued(place.ports, place.id, "engineer");
  const run_after = clock.now() + 3_600_000;
  await db.updateTable("jobs").set({ run_after, category: "budget", reason: "x" })
    .where("id", "=", id).execute();
  await place.decide({ act: "recheck" });
  assert.ok((await place.jobs())[0]!.run_after <= clock.now());
});

Deno.test("an act with a name is the same act in whatever order it says what it asks", async () => {
  await using place = await inboxPlace({ checks: false });
  const first = await place.decide({ act: "waive-checks", note: "mine", request: "once" });
  const again = await place.decide({ request: "once", note: "mine", act: "waive-checks" });
  assert.deepEqual([again.decision, again.existed], [first.decision, true]);
  const other = { act: "waive-checks", note: "another's", request: "once" } as const;
  await assert.rejects(place.decide(other), { code: "conflict", message: /named another act/ });
});

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
    assert.match(clean.said, /^Still waited for: the checks of what/);
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

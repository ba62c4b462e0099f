/** A person approves the commit that they saw, or sends it back: the guards hold, and each is done once. */
import assert from "node:assert/strict";
import { z } from "zod";
import { claimNext } from "svc/features/jobs/job_store.ts";
import { reviewRead } from "svc/runtime/views/review_view.ts";
import { newSettlement, recordSettlement } from "svc/features/routing/settlement_store.ts";
import { verifies } from "tests/kit/verifies.ts";
import { queued } from "tests/unit/runtime/engine_place.ts";
import { BRANCH, inboxPlace } from "tests/unit/runtime/inbox_place.ts";
import { readsOf } from "tests/unit/runtime/views/site.ts";

const T = { ticket: "T-0001" } as const;

verifies(
  ["4.3:mutation:success-body"],
  "what a person approved is merged as it was seen, and the word covers work that no check looks at",
  async () => {
    await using place = await inboxPlace({ review: true, checks: false });
    const { commit, id, ports } = place;
    const waiting = await queued(ports, id, "qa", "T-0001");
    const reads = readsOf(ports);
    const review = reviewRead.shape(z).parse(
      await reads.review({ repo_id: id, ticket_id: "T-0001" }),
    );
    assert.deepEqual([review.branch, review.into, review.commit], [BRANCH, "main", commit]);
    assert.match(review.diff, /fixed\.txt/);
    const acted = await place.decide({
      act: "approve",
      ...T,
      commit: commit.slice(0, 12),
      note: "fine",
    });
    assert.match(acted.said, /^T-0001 is approved at [0-9a-f]{12}; its merge follows$/);
    const [job] = await place.jobs();
    assert.deepEqual([job!.id, job!.status, job!.disposition], [waiting.id, "failed", "cancelled"]);
    await place.settle();
    assert.equal((await place.ticket()).state, "done");
    assert.match(await place.text(), /· Ada · review → done: Ada approved [0-9a-f]{12}: fine ·/);
    assert.equal(await place.held.git("log", "--format=%s", "-1", "--", "fixed.txt"), "fix: it\n");
    await assert.rejects(place.decide({ act: "undo", decision: acted.decision! }), {
      code: "conflict",
      message: /it is merged; in the repo: git revert -m 1/,
    });
    assert.equal(await reads.review({ repo_id: id, ticket_id: "T-0404" }), undefined);
    await assert.rejects(reads.review({ repo_id: id, ticket_id: "T-0001" }), /it is done/);
  },
);

verifies(
  ["4.3:mutation:failure-body"],
  "an approval of another commit than the branch ends at is refused",
  async () => {
    await using place = await inboxPlace({ review: true });
    const { commit, held } = place;
    await held.git("switch", "--quiet", BRANCH);
    await held.commit("fix: more\n\nSvc-Role: engineer\nSvc-Job: x\nSvc-Ticket: T-0001", {
      "b.txt": "b\n",
    });
    await held.git("switch", "--quiet", "main");
    for (const act of ["approve", "send-back"] as const) {
      const note = "look";
      await assert.rejects(place.decide({ act, ...T, commit, note }), {
        code: "conflict",
        message:
          /you saw [0-9a-f]{12}, and "svc\/T-0001-make-the-test-pass" is at [0-9a-f]{12} by now$/,
      });
    }
    await assert.rejects(place.decide({ act: "approve", ...T, commit: commit.slice(0, 7) }), {
      code: "conflict",
    });
    assert.deepEqual(await place.owed(), []);
    assert.deepEqual(await place.decisions(), []);
  },
);

verifies(
  ["4.3:mutation:failure-body"],
  "a branch that moves between the approval and its merge is not merged",
  async () => {
    await using place = await inboxPlace({ review: true });
    const { commit, held } = place;
    await place.decide({ act: "approve", ...T, commit });
    await held.git("switch", "--quiet", BRANCH);
    await held.commit("fix: sneak", { "sneak.txt": "x\n" });
    await held.git("switch", "--quiet", "main");
    await place.settle();
    assert.equal((await place.ticket()).state, "review");
    const [settlement] = await place.ports.db.selectFrom("settlements").selectAll().execute();
    assert.match(settlement!.outcome!, /moved on since it was approved/);
  },
);

verifies(
  ["4.3:mutation:failure-body"],
  "a person's approval lets in no commit of an unknown author, and none while a role works",
  async () => {
    await using place = await inboxPlace({ review: true });
    const { held, ports, id } = place;
    await held.git("switch", "--quiet", BRANCH);
    const commit = (await held.commit("fix: who knows", { "b.txt": "b\n" })).trim();
    await held.git("switch", "--quiet", "main");
    await assert.rejects(place.decide({ act: "approve", ...T, commit }), {
      code: "conflict",
      message: /Svc-Role/,
    });
    await queued(ports, id, "qa", "T-0001");
    await claimNext(ports.db, { owner: "h b 1 s w1", now: Date.now() });
    await assert.rejects(place.decide({ act: "send-back", ...T, commit, note: "no" }), {
      code: "conflict",
      message: /"qa" works on it now/,
    });
  },
);

verifies(
  ["4.3:mutation:success-body"],
  "sent back, the text is in the ticket for the next run, and it can be taken back until then",
  async () => {
    await using place = await inboxPlace({ review: true });
    const { commit } = place;
    await assert.rejects(place.decide({ act: "send-back", ...T, commit, note: " " }), {
      code: "usage",
    });
    const back = await place.decide({ act: "send-back", ...T, commit, note: "keep\nthe old name" });
    await place.settle();
    const ticket = await place.ticket();
    assert.deepEqual([ticket.state, ticket.rework], ["in-progress", 1]);
    assert.match(await place.text(), /· Ada · review → in-progress: keep the old name ·/);
    const [job] = await place.jobs();
    assert.deepEqual([job!.role, job!.status, job!.trigger], ["engineer", "pending", "route"]);
    await assert.rejects(place.decide({ act: "approve", ...T, commit }, { by: "Bob" }), {
      message: /settled already: Ada sent it back at .*; T-0001 is in-progress/,
    });
    await place.decide({ act: "undo", decision: back.decision! });
    const again = await place.ticket();
    assert.deepEqual([again.state, again.rework], ["review", 0]);
    assert.equal((await place.jobs())[0]!.disposition, "cancelled");
  },
);

verifies(
  ["4.3:mutation:success-body"],
  "an approval that waits is sent back, or taken back, and the second person is told",
  async () => {
    await using place = await inboxPlace({ review: true });
    const { commit } = place;
    const approved = await place.decide({ act: "approve", ...T, commit });
    await assert.rejects(place.decide({ act: "approve", ...T, commit }, { by: "Bob" }), {
      message: /it is approved already, and waits for its turn/,
    });
    await place.decide({ act: "undo", decision: approved.decision! });
    assert.deepEqual([(await place.owed()).length, (await place.ticket()).state], [0, "review"]);
    await place.decide({ act: "approve", ...T, commit });
    await place.decide({ act: "send-back", ...T, commit, note: "not yet" }, { by: "Bob" });
    assert.deepEqual((await place.owed()).map(({ to_state }) => to_state), ["in-progress"]);
  },
);

Deno.test("what a role approved and no check looked at waits for a person's word, and an approval is one", async () => {
  await using place = await inboxPlace({ review: true, checks: false });
  const { commit, id, ports } = place;
  const merge = { from: BRANCH, into: "main", commit };
  const move = { from: "review", to: "done" } as const;
  const by = { repoId: id, ticket: "T-0001", reason: "qa: fine", actor: "qa" };
  await recordSettlement(ports.db, newSettlement({ ...by, move, merge }, ports.clock.now()));
  await place.settle();
  assert.match((await place.owed())[0]!.waits_for!, /^your word: /);
  await place.decide({ act: "approve", ...T, commit });
  await place.settle();
  assert.deepEqual([(await place.owed()).length, (await place.ticket()).state], [0, "done"]);
});

Deno.test("where the repo names checks, what a person approved waits for them", async () => {
  await using place = await inboxPlace({ review: true });
  await place.decide({ act: "approve", ...T, commit: place.commit });
  await place.settle();
  assert.match((await place.owed())[0]!.waits_for!, /^the checks of what /);
  assert.equal((await place.ticket()).state, "review");
  await assert.rejects(place.held.read("fixed.txt"), Deno.errors.NotFound);
});

Deno.test("where nobody dispatches, what is sent back waits for a person", async () => {
  await using place = await inboxPlace({
    review: true,
    manifest: (text) => text.replace("mode: routed", "mode: manual"),
  });
  const { commit } = place;
  const acted = await place.decide({ act: "send-back", ...T, commit, note: "again" });
  assert.match(acted.said, /nobody goes on with it by itself/);
  assert.deepEqual(await place.jobs(), []);
});

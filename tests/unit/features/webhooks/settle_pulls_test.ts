import assert from "node:assert/strict";
import { WEBHOOK_BATCH } from "svc/core/bounds.ts";
import { uuidV7 } from "svc/core/ids.ts";
import { claimNext } from "svc/features/jobs/job_store.ts";
import { notePullRequest } from "svc/features/routing/pull_request_store.ts";
import {
  pendingSettlements,
  recordSettlement,
  settle,
} from "svc/features/routing/settlement_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import type { RequestItems } from "svc/features/webhooks/request.ts";
import { checkoutAt } from "tests/unit/features/tickets/ticket_checkout.ts";
import {
  BRANCH,
  moves,
  PULL,
  type RequestPlace,
  requestPlace,
  review,
  ticketText,
} from "./request_place.ts";

const thread = (text: string, asks = false): RequestItems["rework"] => ({
  ...{ pull: PULL, by: "ada", text, asks },
});

Deno.test("the threads of a review go back to the role in one batch, and its merge is withdrawn", async () => {
  await using place = await requestPlace();
  const id = await place.ticket("review");
  await approved(place, id);
  const rework = { kind: "rework", key: "rework:5", batchMs: 30_000 } as const;
  assert.equal(await place.request({ ...rework, item: thread("pump.c:4: leaks") }), "added");
  assert.equal(await place.request({ ...rework, item: thread("not yet", true) }), "joined");
  assert.equal(await place.request({ ...rework, item: thread("pump.c:9: too") }), "joined");
  assert.deepEqual(await place.settle(), { done: 0, waiting: [] });
  place.now += 30_000;
  assert.equal((await place.settle()).done, 1);
  assert.deepEqual(await moves(place), [`${id} review → in-progress`]);
  const [move] = await pendingSettlements(place.store.db, place.repoId);
  assert.equal(
    move!.reason,
    "changes requested on #5: ada: not yet | ada: pump.c:4: leaks | ada: pump.c:9: too",
  );
  assert.deepEqual(await place.jobs(), [`engineer ${id} pending contributor`]);
});

Deno.test("the verdict of a review counts, however many threads come after it", async () => {
  await using place = await requestPlace();
  const id = await place.ticket("review");
  const rework = { kind: "rework", key: "rework:5", batchMs: 1 } as const;
  await place.request({ ...rework, item: thread("not yet", true) });
  for (let line = 0; line <= WEBHOOK_BATCH; line++) {
    await place.request({ ...rework, item: thread(`pump.c:${line}`) });
  }
  const { items } = await place.store.db.selectFrom("wishes").selectAll().executeTakeFirstOrThrow();
  assert.equal(JSON.parse(items).length, WEBHOOK_BATCH);
  place.now += 1;
  await place.settle();
  assert.deepEqual(await moves(place), [`${id} review → in-progress`]);
});

Deno.test("each thread of a long review is told, with its place; where there is no room, the longest are cut", async () => {
  await using place = await requestPlace();
  await place.ticket("review");
  const rework = { kind: "rework", key: "rework:5", batchMs: 1 } as const;
  await place.request({ ...rework, item: thread("not yet", true) });
  const words = "the valve drips here and wants a washer. ".repeat(6);
  for (let line = 1; line <= 30; line++) {
    await place.request({ ...rework, item: thread(`pump.c:${line}: ${words}`) });
  }
  await place.request({ ...rework, item: thread(`pump.c:31: ${"🛠".repeat(8_000)}`) });
  place.now += 1;
  await place.settle();
  const [move] = await pendingSettlements(place.store.db, place.repoId);
  const told = move!.reason.split(" | ");
  assert.equal(told.length, 32);
  for (let line = 1; line <= 30; line++) {
    assert.equal(told[line], `ada: pump.c:${line}: ${words.trim()}`);
  }
  assert.match(told[31]!, /^ada: pump\.c:31: 🛠+\ufffd? …$/u);
  assert.ok(move!.reason.isWellFormed());
  assert.ok(move!.reason.length < 13_000);
});

Deno.test("threads without a review that asks for changes cause nothing", async () => {
  await using place = await requestPlace();
  await place.ticket("review");
  await place.request({ kind: "rework", key: "rework:5", batchMs: 1, item: thread("nice") });
  place.now += 1;
  await place.settle();
  assert.deepEqual(await place.outcomes(), ["no review asked for changes"]);
  assert.deepEqual(await moves(place), []);
});

async function failed(place: RequestPlace, sha: string): Promise<void> {
  const item = { ...{ branch: BRANCH, sha, name: "test", url: "" }, text: "x\nassert 1 == 2" };
  await place.request({ kind: "failed_check", item, key: `failed_check:${sha}` });
  await place.settle();
}

Deno.test("a failed check sends the work back twice, also without a job; then a person is asked", async () => {
  await using place = await requestPlace();
  const id = await place.ticket("in-progress");
  await failed(place, "aaa1");
  assert.deepEqual(await place.jobs(), [`engineer ${id} pending contributor`]);
  const text = await ticketText(place, (await place.tickets())[0]!.path);
  assert.match(text, /test failed at aaa1: x assert 1 == 2 \(request 1-[0-9a-f]{8}\)/);
  await failed(place, "bbb2");
  assert.deepEqual(await moves(place), []);
  await failed(place, "ccc3");
  assert.deepEqual(await moves(place), [`${id} in-progress → blocked`]);
});

Deno.test("after a person has unblocked it, failed checks of before do not block the ticket again", async () => {
  await using place = await requestPlace();
  const id = await place.ticket("in-progress");
  const { store: { db }, repo } = place;
  for (const sha of ["aaa1", "bbb2", "ccc3"]) await failed(place, sha);
  using checkout = await checkoutAt(repo.path);
  const unblock = { owner: "maintainer", action: "mend it" };
  await moveTicket(checkout, id, { to: "blocked", actor: "svc", unblock });
  const [block] = await pendingSettlements(db, place.repoId);
  await settle(db, block!.id, { state: "done", outcome: "moved to blocked", now: place.now++ });
  await moveTicket(checkout, id, { to: "backlog", force: true, actor: "ada" });
  await moveTicket(checkout, id, { to: "in-progress", actor: "ada" });
  for (const sha of ["ddd4", "eee5"]) await failed(place, sha);
  assert.deepEqual(await moves(place), []);
  await failed(place, "fff6");
  assert.deepEqual(await moves(place), [`${id} in-progress → blocked`]);
});

Deno.test("a check that failed at an older commit of work in review is noted, and takes nothing back", async () => {
  await using place = await requestPlace();
  const { repo } = place;
  const id = await place.ticket("review");
  await repo.git("switch", "--quiet", "-c", BRANCH);
  const [older, newer] = [
    (await repo.commit("fix: pump", { "pump.c": "1\n" })).trim(),
    (await repo.commit("fix: pump again", { "pump.c": "2\n" })).trim(),
  ];
  await repo.git("switch", "--quiet", "-");
  await approved(place, id);
  await failed(place, older);
  assert.deepEqual(await moves(place), [`${id} review → done`]);
  assert.deepEqual(await place.jobs(), []);
  assert.deepEqual(await place.outcomes(), [`noted; ${BRANCH} has moved on since`]);
  const text = await ticketText(place, (await place.tickets())[0]!.path);
  assert.match(text, new RegExp(`test failed at ${older.slice(0, 12)}, not its newest commit: x`));
  await failed(place, newer);
  assert.deepEqual(await moves(place), [`${id} review → in-progress`]);
});

async function approved(place: RequestPlace, id: string): Promise<string> {
  const settlement: Settlement = {
    id: uuidV7(place.now),
    repo_id: place.repoId,
    decision_id: null,
    job_id: null,
    ticket_id: id,
    from_state: "review",
    to_state: "done",
    unblock: null,
    reason: "good",
    actor: "agent:qa",
    attempt: 0,
    merge_from: BRANCH,
    merge_into: "master",
    merge_commit: "a".repeat(40),
    state: "pending",
    waits_for: "a person",
    created_at: place.now,
    settled_at: null,
    fault: null,
    outcome: null,
  };
  await recordSettlement(place.store.db, settlement);
  const noted = { number: 5, askAt: place.now + 60_000 };
  await notePullRequest(place.store.db, settlement.id, noted);
  return settlement.id;
}

Deno.test("the end of a pull request that a merge waits for only hurries its own question", async () => {
  await using place = await requestPlace();
  const id = await place.ticket("review");
  const settlement = await approved(place, id);
  await place.request({
    kind: "review",
    item: { ...review("aaa1"), pull: PULL },
    key: "review:5:aaa1",
  });
  await place.request({
    kind: "closed",
    item: { pull: PULL, merged: true, by: "ada" },
    key: "closed:5",
  });
  assert.equal((await place.settle()).done, 2);
  const [row] = await place.store.db.selectFrom("pull_requests").selectAll().execute();
  assert.equal(row!.settlement_id, settlement);
  assert.ok(row!.ask_at < place.now);
  assert.deepEqual(await moves(place), [`${id} review → done`]);
  assert.deepEqual(await place.jobs(), ["qa - failed observer"]);
});

Deno.test("an issue that the merge of its pull request closed is done, not blocked: the question goes first", async () => {
  await using place = await requestPlace();
  const fingerprint = "github:codertocat/hello-world#7";
  const id = await place.ticket("review", { fingerprint });
  await approved(place, id);
  const item = { fingerprint, why: "closed in GitHub as completed" };
  await place.request({ kind: "cancel", item, key: "cancel:1" });
  assert.equal((await place.settle()).done, 1);
  const [row] = await place.store.db.selectFrom("pull_requests").selectAll().execute();
  assert.ok(row!.ask_at < place.now);
  // In this order: a merge found by the first leaves the second nothing to do.
  assert.deepEqual(await moves(place), [`${id} review → done`, `${id} review → blocked`]);
});

Deno.test("the end of a pull request ends the jobs that work on its ticket", async () => {
  for (const merged of [true, false]) {
    await using place = await requestPlace();
    const { store: { db } } = place;
    const id = await place.ticket("in-progress");
    await failed(place, "aaa1"); // queues the role once more
    const claim = { owner: "worker", now: place.now };
    assert.equal((await claimNext(db, claim))?.ticket_id, id);
    await failed(place, "bbb2");
    const key = "closed:5";
    await place.request({ kind: "closed", item: { pull: PULL, merged, by: "ada" }, key });
    await place.settle();
    const jobs = await db.selectFrom("jobs").select(["status", "cancel_requested"])
      .orderBy("created_at").orderBy("id").execute();
    assert.deepEqual(jobs, [
      { status: "running", cancel_requested: 1 },
      { status: "failed", cancel_requested: 0 },
    ]);
  }
});

Deno.test("a pull request that nothing waits for ends its ticket", async () => {
  for (
    const [state, merged, expected] of [
      ["review", true, ["T-0001 review → done"]],
      ["in-progress", true, ["T-0001 in-progress → review", "T-0001 review → done"]],
      ["review", false, ["T-0001 review → blocked"]],
      ["blocked", true, []],
    ] as const
  ) {
    await using place = await requestPlace();
    await place.ticket(state);
    await place.request({
      kind: "closed",
      item: { pull: PULL, merged, by: "ada" },
      key: "closed:5",
    });
    assert.equal((await place.settle()).done, 1);
    assert.deepEqual(await moves(place), expected);
  }
});

Deno.test("a backport of a ticket's branch ends no ticket, sends none back and lets its merge wait", async () => {
  for (const merged of [true, false]) {
    await using place = await requestPlace();
    const id = await place.ticket("review");
    await approved(place, id);
    const pull = { ...PULL, number: 6, into: "release-1.x" };
    const key = "closed:6";
    await place.request({ kind: "closed", item: { pull, merged, by: "ada" }, key });
    const asked = { ...thread("not here", true), pull };
    await place.request({ kind: "rework", item: asked, key: "rework:6", batchMs: 0 });
    await place.settle();
    assert.deepEqual(await moves(place), [`${id} review → done`]);
    assert.deepEqual(await place.jobs(), []);
    assert.deepEqual(await place.outcomes(), [
      "no ticket of pull request #6",
      "no ticket of pull request #6",
    ]);
  }
});

Deno.test("a pull request that svc handed in stays its ticket's, with another base and while the work is redone", async () => {
  await using place = await requestPlace();
  const { store: { db } } = place;
  const id = await place.ticket("in-progress");
  const settlement = await approved(place, id);
  await settle(db, settlement, { state: "superseded", outcome: "", now: place.now++ });
  // A comment on its page names no branch.
  const about = { pull: { number: 5, url: PULL.url } };
  const item = { by: "ada", text: "@svc mind the valve", url: "", about };
  await place.request({ kind: "run", item, key: "run:1" });
  await place.settle();
  assert.deepEqual(await place.outcomes(), [`engineer works on ${id}`]);
  assert.deepEqual(await place.jobs(), [`engineer ${id} pending contributor`]);
  const pull = { ...PULL, into: "release-1.x" };
  await place.request({
    kind: "closed",
    item: { pull, merged: false, by: "ada" },
    key: "closed:5",
  });
  await place.settle();
  assert.deepEqual(await moves(place), [`${id} in-progress → blocked`]);
});

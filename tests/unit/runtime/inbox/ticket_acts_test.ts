/** A person lets a blocked ticket go on, or chooses its next role and model: once, told, and taken back. */
import assert from "node:assert/strict";
import { claimNext, enqueue, finish } from "svc/features/jobs/job_store.ts";
import { keepProfile } from "svc/features/models/local/profile_store.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { inboxOf } from "svc/runtime/inbox/inbox_list.ts";
import { modelOfJob } from "svc/runtime/inbox/next_job.ts";
import { undoable } from "svc/runtime/inbox/undoable.ts";
import { verifies } from "tests/kit/verifies.ts";
import { BRANCH, inboxPlace } from "tests/unit/runtime/inbox_place.ts";

const UNBLOCK = { act: "unblock", ticket: "T-0001" } as const;
const ASSIGN = { act: "assign", ticket: "T-0001" } as const;

verifies(
  ["4.3:mutation:success-body"],
  "an unblocking is a decision: in the ticket's history, stored, told and taken back",
  async () => {
    await using place = await inboxPlace();
    const { updated: seen } = await place.ticket();
    const acted = await place.decide({ ...UNBLOCK, seen, note: "the key\nis renewed" });
    assert.deepEqual([acted.existed, acted.said], [
      false,
      "T-0001: blocked → backlog; it is handed out again",
    ]);
    const ticket = await place.ticket();
    assert.deepEqual([ticket.state, ticket.unblock, ticket.attempts], ["backlog", undefined, 0]);
    assert.match(await place.text(), /· Ada · blocked → backlog: the key is renewed ·/);
    const [decision] = await place.decisions();
    assert.deepEqual(
      [decision!.rule, decision!.role, decision!.disposition, decision!.move, decision!.applied],
      ["person", "person", "routed", "blocked → backlog", 1],
    );
    assert.deepEqual([decision!.inputs.act, decision!.inputs.by, decision!.inputs.said], [
      ...["unblock", "Ada", "the key\nis renewed"],
    ]);
    const events = await place.ports.db.selectFrom("events").selectAll().execute();
    assert.deepEqual(events.map(({ type }) => type).slice(-2), ["decision", "ticket_update"]);

    const undone = await place.decide({ act: "undo", decision: acted.decision! });
    assert.equal(undone.said, "T-0001 is blocked again");
    const again = await place.ticket();
    assert.deepEqual([again.state, again.unblock], [
      "blocked",
      { owner: "maintainer", action: "say what to do" },
    ]);
    await assert.rejects(place.decide({ act: "undo", decision: acted.decision! }), {
      code: "conflict",
      message: /undone already/,
    });
  },
);

Deno.test("a decision that is listed elsewhere is taken back by a line that names its repo", async () => {
  await using place = await inboxPlace();
  const { decision } = await place.decide(UNBLOCK);
  const repos = await listRepos(place.ports.db);
  for (const named of [false, true]) {
    const { undoable: [one] } = await inboxOf(
      { ...place.ports, profile: "host" },
      repos,
      { named },
    );
    const [, flags] = one!.command.split(`svc inbox undo ${decision}`);
    assert.equal(flags!.startsWith(` --repo ${place.held.path} `), named, one!.command);
    assert.match(flags!, / --db /);
  }
});

Deno.test("what was taken up within the same second is not put back to blocked", async () => {
  await using place = await inboxPlace();
  const { decision } = await place.decide(UNBLOCK);
  await place.move("in-progress");
  await assert.rejects(place.decide({ act: "undo", decision: decision! }), {
    code: "conflict",
    message: /it changed meanwhile, and is in-progress/,
  });
  assert.equal((await place.ticket()).state, "in-progress");
});

Deno.test("an undo that git cannot make now changes nothing, and is made later", async () => {
  await using place = await inboxPlace();
  const { decision } = await place.decide({ ...ASSIGN, role: "engineer" });
  const undo = { act: "undo", decision: decision! } as const;
  await place.held.git("merge", "--no-commit", "--no-ff", BRANCH);
  await assert.rejects(place.decide(undo), { code: "conflict" });
  const [waiting] = await place.jobs();
  assert.equal(waiting!.status, "pending");
  await place.held.git("merge", "--abort");
  assert.equal((await place.decide(undo)).said, "T-0001 is blocked again");
  assert.equal((await place.jobs())[0]!.disposition, "cancelled");
});

Deno.test("an undo that broke off once its job was cancelled is made by the next try", async () => {
  let fails = true;
  await using place = await inboxPlace();
  const { decision } = await place.decide({ ...ASSIGN, role: "engineer" });
  const undo = { act: "undo", decision: decision! } as const;
  const broken = Object.assign(Object.create(place.repo), {
    locked: (...asked: Parameters<typeof place.repo.locked>) => {
      if (fails) throw new Error("killed");
      return place.repo.locked(...asked);
    },
  });
  await assert.rejects(place.decide(undo, { repo: broken }), /killed/);
  assert.equal((await place.jobs())[0]!.disposition, "cancelled");
  fails = false;
  assert.equal((await place.decide(undo, { repo: broken })).said, "T-0001 is blocked again");
});

verifies(
  ["4.3:mutation:failure-body"],
  "who comes second is told who settled it, and what was seen counts",
  async () => {
    await using place = await inboxPlace();
    const { updated: seen } = await place.ticket();
    await assert.rejects(place.decide({ ...UNBLOCK, seen: "2020-01-01T00:00:00Z" }), {
      code: "conflict",
      message: /it changed since you saw it/,
    });
    await place.decide({ ...UNBLOCK, seen });
    await assert.rejects(place.decide({ ...UNBLOCK, seen }, { by: "Bob" }), {
      code: "conflict",
      message:
        /^Cannot unblock T-0001: it is settled already: Ada unblocked it at .*, and T-0001 is backlog$/,
    });
    assert.equal((await place.decisions()).length, 1);
  },
);

verifies(
  ["4.3:mutation:success-body"],
  "an act that comes twice under one name is done once",
  async () => {
    await using place = await inboxPlace();
    const act = { ...UNBLOCK, request: "7c0e6a51-0000-4000-8000-000000000001" };
    const first = await place.decide(act);
    const second = await place.decide(act);
    assert.deepEqual([second.existed, second.decision, second.said], [
      true,
      first.decision,
      first.said,
    ]);
    assert.equal((await place.decisions()).length, 1);
  },
);

verifies(
  ["4.3:mutation:failure-body"],
  "a name that was given to one act does not make another one, or other words, pass for done",
  async () => {
    await using place = await inboxPlace();
    const request = "7c0e6a51-0000-4000-8000-000000000002";
    const { decision } = await place.decide({ ...UNBLOCK, request });
    const other = {
      code: "conflict",
      message: /^Cannot carry that out: its request \S+ named another act \(T-0001: blocked → /,
    };
    const acts = [
      { act: "recheck" },
      { act: "resume-role", role: "engineer" },
      { ...UNBLOCK, ticket: "T-0002" },
      ASSIGN,
    ] as const;
    for (const act of acts) await assert.rejects(place.decide({ ...act, request }), other, act.act);
    for (const words of [{ note: "again" }, { role: "qa" }]) {
      await assert.rejects(place.decide({ ...UNBLOCK, ...words, request }), other);
    }
    const later = { ...UNBLOCK, seen: "2026-11-28T10:00:00Z", request };
    assert.equal((await place.decide(later)).decision, decision, "what was seen is nothing asked");
    assert.equal((await place.decisions()).length, 1);
    const undo = { act: "undo", decision: decision!, request: `${request}-undo` } as const;
    const undone = await place.decide(undo);
    assert.equal((await place.decide(undo)).decision, undone.decision);
    await assert.rejects(place.decide({ ...undo, decision: undone.decision! }), {
      code: "conflict",
      message: /named another act/,
    });
  },
);

verifies(
  ["4.3:mutation:failure-body"],
  "an observer decides nothing, and says what to type",
  async () => {
    await using place = await inboxPlace({ taps: { profile: "observer" } });
    const refused = { code: "refused", message: /this svc changes no repo/ };
    for (
      const act of [
        UNBLOCK,
        ASSIGN,
        { act: "approve", ticket: "T-0001", commit: place.commit },
        { act: "send-back", ticket: "T-0001", commit: place.commit, note: "x" },
        { act: "resume-role", role: "engineer" },
        { act: "resume-model", lane: "m" },
        { act: "waive-checks" },
        { act: "recheck" },
      ] as const
    ) {
      await assert.rejects(place.decide(act), refused, act.act);
    }
    const thrown = await place.decide(UNBLOCK).catch((one) => one);
    assert.equal(thrown.remedy, "svc tickets unblock T-0001");
    assert.equal((await place.ticket()).state, "blocked");
    assert.deepEqual(await place.decisions(), []);
  },
);

const MODEL = "http://127.0.0.1:1/v1#tiny";

Deno.test("what was handed out since is not offered to be taken back, also once its job has ended", async () => {
  await using place = await inboxPlace();
  const { db } = place.ports;
  const { decision } = await place.decide(UNBLOCK);
  const offered = async () => (await undoable(db, place.id, Date.now())).length;
  assert.equal(await offered(), 1);
  await enqueue(db, {
    ...{ repo_id: place.id, role: "engineer", ticket_id: "T-0001", trigger: "route" },
    ...{ source_trust: "contributor", unique_key: "handed out" },
  }, Date.now());
  assert.equal(await offered(), 1); // it waits
  const lease = await claimNext(db, { owner: "h b 1 s w1", now: Date.now() });
  assert.equal(await offered(), 0);
  assert.ok(await finish(db, lease!, { disposition: "blocked" }, Date.now()));
  assert.equal(await offered(), 0);
  await assert.rejects(place.decide({ act: "undo", decision: decision! }), {
    code: "conflict",
    message: /"engineer" has begun since/,
  });
});

verifies(
  ["4.3:mutation:success-body"],
  "another role stays with the ticket, and another model holds for its next job",
  async () => {
    await using place = await inboxPlace();
    const { db } = place.ports;
    await assert.rejects(place.decide({ ...ASSIGN, model: MODEL }), {
      code: "not_found",
      message: /has not asked the model/,
    });
    await assert.rejects(place.decide({ ...ASSIGN, role: "qa" }), {
      code: "conflict",
      message: /does no work on tickets/,
    });
    await assert.rejects(place.decide({ ...ASSIGN, role: "poet" }), { code: "not_found" });
    await keepProfile(db, {
      ...{ endpoint: "http://127.0.0.1:1/v1", model: "tiny", fingerprint: "f".repeat(64) },
      ...{ tools: "native", context_window: 8192, usage_reported: 1, evidence: "fixture" },
      probed_at: 1,
    });
    const acted = await place.decide({ ...ASSIGN, role: "engineer", model: MODEL });
    assert.match(acted.said, /"engineer" goes on with it with "http:\/\/127\.0\.0\.1:1\/v1#tiny"$/);
    const [job] = await place.jobs();
    assert.deepEqual([job!.role, job!.ticket_id, job!.trigger, modelOfJob(job!)], [
      ...["engineer", "T-0001", "manual", MODEL],
    ]);
    const [decision] = await place.decisions();
    assert.deepEqual([decision!.next_role, decision!.next_job, job!.caused_by], [
      ...["engineer", job!.id, decision!.id],
    ]);
    // Begun work is not taken away from under its role.
    await claimNext(db, { owner: "h b 1 s w1", now: Date.now() });
    await assert.rejects(place.decide({ act: "undo", decision: acted.decision! }), {
      message: /"engineer" has begun since/,
    });
    await assert.rejects(place.decide({ ...ASSIGN, role: "engineer" }), {
      message: /"engineer" works on it now/,
    });
  },
);

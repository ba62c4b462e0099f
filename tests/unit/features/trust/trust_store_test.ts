import assert from "node:assert/strict";
import { DEMOTION_WINDOW_MS } from "svc/core/bounds.ts";
import { register } from "svc/features/repos/register.ts";
import {
  demoteIfDue,
  isDue,
  setTrust,
  trustChanges,
  trustOf,
  trustRecords,
  type TrustRequest,
} from "svc/features/trust/trust_store.ts";
import { denialsSince, recordDenial } from "svc/features/trust/denial_store.ts";
import { decide } from "svc/features/trust/policy.ts";
import { eventsAfter } from "svc/features/telemetry/event_store.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { openStore } from "svc/store/open.ts";
import { sql } from "svc/store/query.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { ports, tempStore } from "tests/unit/store/temp_store.ts";
import { allowedQuestion } from "./example_question.ts";

const REPO = "0123456789ab";
const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;

const change = (level: TrustRequest["level"], reason = "it earned it"): TrustRequest => ({
  ...{ repoId: REPO, role: "engineer", level, manifestLevel: "observer", reason, who: "ada" },
});

verifies(
  ["2.2:trust-record:fields", "4.5:trust-set:overrides", "4.5:trust-set:reason"],
  "setTrust overrides the manifest for one role on one repo, and audits who, when, what and why",
  async () => {
    await using store = await tempStore();
    const { db } = store;
    assert.deepEqual(await trustOf(db, REPO, "engineer", "contributor"), {
      level: "contributor",
      source: "manifest",
    });
    const { before, after, changed } = await setTrust(db, change("contributor"), NOW);
    assert.deepEqual([before.level, after.level, changed], ["observer", "contributor", true]);
    const trust = await trustOf(db, REPO, "engineer", "observer");
    assert.deepEqual(trust, after);
    assert.deepEqual(trust, {
      ...{ level: "contributor", source: "override", since: NOW, reason: "it earned it" },
    });
    assert.equal((await trustOf(db, REPO, "qa", "observer")).level, "observer");
    assert.equal((await trustOf(db, "ba9876543210", "engineer", "observer")).level, "observer");
    const [audit, ...more] = await trustChanges(db, REPO);
    assert.deepEqual(more, []);
    assert.deepEqual({ ...audit }, {
      ...{ id: 1, at: NOW, who: "ada", repo_id: REPO, role: "engineer" },
      ...{ from_level: "observer", to_level: "contributor" },
      ...{ reason: "it earned it", automatic: 0 },
    });
    const [event] = await eventsAfter(db, 0, 10);
    assert.equal(event!.type, "trust_change");
    assert.equal(JSON.parse(event!.data).automatic, false);
    // Newest first, and of no other repo.
    await setTrust(db, { ...change("contributor"), repoId: "ba9876543210" }, NOW + 1);
    await setTrust(db, change("observer"), NOW + 2);
    const told = (await trustChanges(db, REPO)).map(({ at, to_level }) => [at, to_level]);
    assert.deepEqual(told, [[NOW + 2, "observer"], [NOW, "contributor"]]);
  },
);

Deno.test("setTrust does nothing when that override is in force, and pins what the manifest says", async () => {
  await using store = await tempStore();
  const { db } = store;
  assert.equal((await setTrust(db, change("observer"), NOW)).changed, true);
  assert.equal((await setTrust(db, change("observer", "again"), NOW + 1)).changed, false);
  assert.equal((await trustChanges(db, REPO)).length, 1);
  // A manifest that raises the role later does not get past a person's decision.
  assert.equal((await trustOf(db, REPO, "engineer", "contributor")).level, "observer");
});

Deno.test("setTrust is undone with the transaction it is part of", async () => {
  await using store = await tempStore();
  const work = store.db.transaction().execute(async (db) => {
    await setTrust(db, change("contributor"), NOW);
    throw new Error("after all not");
  });
  await assert.rejects(work, /after all not/);
  assert.deepEqual(await trustRecords(store.db, REPO), []);
  assert.deepEqual(await trustChanges(store.db, REPO), []);
});

Deno.test("setTrust changes no trust whose audit cannot be stored", async () => {
  await using store = await tempStore();
  // A trigger would be of SQLite alone.
  await sql`ALTER TABLE trust_audit RENAME TO trust_audit_away`.execute(store.db);
  await assert.rejects(setTrust(store.db, change("contributor"), NOW), /trust_audit/);
  assert.deepEqual(await trustRecords(store.db, REPO), []);
});

Deno.test("a change of trust in another process counts from the next call of a run on", async () => {
  await using store = await tempStore();
  await using other = await openStore(ports, store.path);
  const call = async () =>
    decide({
      ...allowedQuestion,
      roleTrust: (await trustOf(store.db, REPO, "engineer", "observer")).level,
    }).allowed;
  const calls = [await call()];
  await setTrust(other.db, change("contributor"), NOW);
  calls.push(await call());
  await setTrust(other.db, change("observer", "it broke the build"), NOW + 1);
  calls.push(await call());
  assert.deepEqual(calls, [false, true, false]);
});

Deno.test("isDue needs three denied jobs within a day, a contributor, and no decision since", () => {
  const contributor = { level: "contributor" } as const;
  const three = [NOW - 3 * HOUR, NOW - HOUR, NOW];
  assert.equal(isDue(contributor, three, NOW), true);
  assert.equal(isDue(contributor, three.slice(1), NOW), false);
  assert.equal(isDue(contributor, [NOW - DEMOTION_WINDOW_MS, NOW - 1, NOW], NOW), false);
  assert.equal(isDue(contributor, [NOW - DEMOTION_WINDOW_MS + 1, NOW - 1, NOW], NOW), true);
  assert.equal(isDue(contributor, [NOW - 1, NOW, NOW + 1], NOW), false);
  assert.equal(isDue({ level: "observer" }, three, NOW), false);
  assert.equal(isDue({ level: "contributor", since: NOW - 2 * HOUR }, three, NOW), false);
  assert.equal(isDue({ level: "contributor", since: NOW }, three, NOW), false);
  assert.equal(isDue({ level: "contributor", since: NOW - 4 * HOUR }, three, NOW), true);
  assert.equal(isDue({ level: "contributor", since: NOW + 400 * 24 * HOUR }, three, NOW), true);
});

Deno.test("demoteIfDue takes contributor away with an audit row, once, and gives nothing back", async () => {
  await using store = await tempStore();
  const { db } = store;
  const asked = { repoId: REPO, role: "engineer", manifestLevel: "contributor" } as const;
  const policyDeniedAt = [NOW - 2, NOW - 1, NOW];
  assert.equal(
    await demoteIfDue(db, { ...asked, policyDeniedAt: [NOW], now: NOW }),
    undefined,
  );
  const { before, after } = (await demoteIfDue(db, { ...asked, policyDeniedAt, now: NOW }))!;
  assert.deepEqual([before.level, after.level, after.source], [
    "contributor",
    "observer",
    "demotion",
  ]);
  assert.equal(await demoteIfDue(db, { ...asked, policyDeniedAt, now: NOW }), undefined);
  const [audit] = await trustChanges(db, REPO);
  assert.deepEqual([audit!.who, audit!.automatic, audit!.to_level], ["svc", 1, "observer"]);
  assert.match(audit!.reason, /^3 jobs within 24 h/);
  // A day without denials is no promotion.
  const later = NOW + 2 * DEMOTION_WINDOW_MS;
  assert.equal(await demoteIfDue(db, { ...asked, policyDeniedAt: [], now: later }), undefined);
  assert.equal((await trustOf(db, REPO, "engineer", "contributor")).level, "observer");
  // A person restores it, and what happened before does not count again.
  await setTrust(db, { ...change("contributor"), manifestLevel: "contributor" }, NOW + 1);
  assert.equal(await demoteIfDue(db, { ...asked, policyDeniedAt, now: NOW + 2 }), undefined);
  assert.equal((await trustChanges(db, REPO)).length, 2);
});

Deno.test("the database refuses automatic promotions, blank reasons and changes of the audit", async () => {
  await using store = await tempStore();
  const { db } = store;
  await setTrust(db, change("contributor"), NOW);
  const refused = [
    sql`UPDATE trust SET automatic = 1`,
    sql`UPDATE trust SET level = 'admin'`,
    sql`INSERT INTO trust_audit (at, who, repo_id, role, from_level, to_level, reason, automatic)
      VALUES (1, 'svc', ${REPO}, 'qa', 'observer', 'contributor', 'x', 1)`,
    sql`DELETE FROM trust_audit`,
    sql`UPDATE trust_audit SET reason = 'another'`,
    sql`UPDATE trust_audit SET who = 'eve'`,
  ];
  for (const statement of refused) {
    await assert.rejects(statement.execute(db), /CHECK|append-only|constraint/i);
  }
  await assert.rejects(setTrust(db, { ...change("observer"), reason: "  " }, NOW + 1));
  assert.equal((await trustOf(db, REPO, "engineer", "observer")).level, "contributor");
});

Deno.test("recordDenial keeps what was refused, and denialsSince tells it newest first", async () => {
  await using store = await tempStore();
  const denial = { repoId: REPO, job: "job-1", role: "qa", tool: "file_edit" } as const;
  const because = { by: "role_trust", reason: "it has observer trust" } as const;
  for (const at of [NOW, NOW + 1, NOW + 2]) {
    await recordDenial(store.db, { ...denial, ...because, at });
  }
  const found = await denialsSince(store.db, REPO, NOW + 1, 10);
  assert.deepEqual(found.map(({ at }) => at), [NOW + 2, NOW + 1]);
  assert.deepEqual({ ...found[0] }, {
    ...{ id: 3, at: NOW + 2, repo_id: REPO, job_id: "job-1", role: "qa", tool: "file_edit" },
    ...{ part: "role_trust", reason: "it has observer trust" },
  });
  assert.equal((await denialsSince(store.db, REPO, NOW, 1)).length, 1);
  assert.deepEqual(await denialsSince(store.db, "ba9876543210", 1, 10), []);
});

Deno.test("a repo that moves takes its trust along", async () => {
  await using store = await tempStore();
  await using old = await tempRepo({ files: { "a": "1" }, commit: true });
  await using moved = await tempRepo({ files: { "a": "1" }, commit: true });
  const { db } = store;
  const git = gitOver(denoProcesses(), Deno.env.toObject());
  for (const { git } of [old, moved]) await git("remote", "add", "origin", "git@x.example:a/b.git");
  const { repo } = await register({ db, files: ports.files }, await git.open(old.path), {}, NOW);
  await setTrust(db, { ...change("contributor"), repoId: repo.id }, NOW);
  await Deno.rename(old.path, `${old.path}-gone`);
  try {
    const opened = await git.open(moved.path);
    const wish = { remote: "a/b" };
    const id = (await register({ db, files: ports.files }, opened, wish, NOW + 1)).repo.id;
    assert.notEqual(id, repo.id);
    assert.equal((await trustOf(db, id, "engineer", "observer")).level, "contributor");
    assert.equal((await trustChanges(db, id)).length, 1);
    assert.deepEqual(await trustRecords(db, repo.id), []);
  } finally {
    await Deno.rename(`${old.path}-gone`, old.path);
  }
});

/** What goes and what stays: on real databases, folders and repos. */
import assert from "node:assert/strict";
import { uuidV7 } from "svc/core/ids.ts";
import { enqueue } from "svc/features/jobs/job_store.ts";
import { policyOf } from "svc/features/retention/policy.ts";
import { removalOf } from "svc/features/retention/removal_store.ts";
import { recordDenial } from "svc/features/trust/denial_store.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { sql } from "svc/store/query.ts";
import { DAY, NOW, type OldPlace, oldPlace, running } from "./old_place.ts";

const policy = { ...policyOf(Config.parse({})), recordsLeft: 0 };

const live = (place: OldPlace, more: Partial<Parameters<typeof enqueue>[1]>) =>
  enqueue(place.ports.db, {
    ...{ repo_id: place.repoId, role: "qa", trigger: "manual", source_trust: "contributor" },
    ...more,
  }, NOW).then(({ job }) => job);

Deno.test("files of an old job go, and its note says when; those of a young one stay", async () => {
  await using place = await oldPlace();
  const { ports: { db } } = place;
  const ticket = await place.ticket("done");
  const old = await place.job(31, { ticket });
  const young = await place.job(29, { ticket });
  const shown = await place.retain({ apply: false });
  assert.deepEqual(shown.groups, [
    { what: "job files", because: "age", count: 1, bytes: 2000 },
  ]);
  assert.equal(place.filesOf(old).length, 3);
  assert.deepEqual((await place.retain()).groups, shown.groups);
  assert.deepEqual([place.filesOf(old).length, place.filesOf(young).length], [0, 3]);
  const note = await removalOf(db, old, "files");
  assert.deepEqual([note?.ticket_id, note?.ended_at], [ticket, NOW - 31 * DAY]);
  assert.equal(await removalOf(db, young, "files"), undefined);
  assert.deepEqual((await place.retain()).groups, []);
});

Deno.test("what is needed stays at any age, files and records", async () => {
  await using place = await oldPlace();
  const { ports, repoId } = place;
  const { db } = ports;
  const open = await place.ticket();
  const done = await place.ticket("done");
  const again = await place.ticket("done");
  const needed = {
    ofOpenTicket: await place.job(900, { ticket: open }),
    owed: await place.job(901, { ticket: done, owed: "pending" }),
    // Another job of that ticket: what is owed moves it.
    ofOwedTicket: await place.job(902, { ticket: done, role: "qa" }),
    ofLiveTicket: await place.job(903, { ticket: again }),
    causeOfLive: await place.job(904),
    goneOnWith: await place.job(905),
    holdsTree: await place.job(906),
  };
  const unneeded = await place.job(907);
  await live(place, { ticket_id: again });
  const [cause] = await db.selectFrom("decisions").select("id")
    .where("job_id", "=", needed.causeOfLive).execute();
  await running(place, (await live(place, { role: "ceo", caused_by: cause!.id })).id);
  const earlier = `${ports.home.traces}/shop-${repoId}/${needed.goneOnWith}.jsonl`;
  await live(place, { role: "gardener", payload: { earlier } });
  const tree = `${ports.home.worktrees}/shop-${repoId}/${needed.holdsTree}`;
  await place.repo.git("worktree", "add", "--quiet", tree, "-b", "svc/kept");

  await place.retain({ policy });
  for (const [why, id] of Object.entries(needed)) {
    assert.equal(place.filesOf(id).length, 3, why);
    const row = await db.selectFrom("jobs").select("id").where("id", "=", id).executeTakeFirst();
    assert.equal(row?.id, id, why);
  }
  assert.deepEqual(place.filesOf(unneeded), []);
  assert.equal((await removalOf(db, unneeded, "job"))?.disposition, "submitted");
  assert.equal(await removalOf(db, unneeded, "files"), undefined);
});

Deno.test("a repo that cannot be read keeps all that belongs to tickets", async () => {
  await using place = await oldPlace();
  const withTicket = await place.job(900, { ticket: "T-0099" });
  const without = await place.job(900);
  await Deno.rename(place.repo.path, `${place.repo.path}.away`);
  try {
    await place.retain({ policy });
  } finally {
    await Deno.rename(`${place.repo.path}.away`, place.repo.path);
  }
  assert.deepEqual([place.filesOf(withTicket).length, place.filesOf(without).length], [3, 0]);
  const ids = await place.ports.db.selectFrom("jobs").select("id").execute();
  assert.deepEqual(ids, [{ id: withTicket }]);
});

Deno.test("the newest records of a repo stay, however long it rests", async () => {
  await using place = await oldPlace();
  for (let day = 0; day < 5; day++) await place.job(900 - day);
  await place.retain({ policy: { ...policy, recordsLeft: 3 } });
  const { rows } = await sql`SELECT id FROM jobs`.execute(place.ports.db);
  assert.equal(rows.length, 3);
});

Deno.test("the oldest files go where all are too many; those of the last day stay", async () => {
  await using place = await oldPlace();
  const jobs = [await place.job(9), await place.job(5), await place.job(0.5)];
  const { groups } = await place.retain({ policy: { ...policy, tracesBytes: 4500 } });
  assert.deepEqual(groups, [{ what: "job files", because: "size", count: 1, bytes: 2000 }]);
  assert.deepEqual(jobs.map((job) => place.filesOf(job).length), [0, 3, 3]);
  // A disk that is nearly full wants more than there is.
  await place.retain({ wanted: 1e9 });
  assert.deepEqual(jobs.map((job) => place.filesOf(job).length), [0, 0, 3]);
});

Deno.test("records of jobs take decisions, settlements, checks and denials along; trust stays", async () => {
  await using place = await oldPlace();
  const { ports: { db }, repoId } = place;
  const ticket = await place.ticket("done");
  const job = await place.job(500, { ticket, owed: "done" });
  const check = (at: number, name: string) =>
    db.insertInto("checks").values({
      ...{ id: uuidV7(at), repo_id: repoId, name, role: "engineer", command: "[]" },
      ...{ outcome: "passed", ending: "exited", exit_code: 0, signal: null, reason: null },
      ...{ started_at: at, duration_ms: 1, log_path: "/x" },
    }).execute();
  await check(NOW - 500 * DAY - 1000, "of the job");
  await check(NOW - 600 * DAY, "by hand, old");
  await check(NOW - 10 * DAY, "by hand, young");
  const denied = { repoId, role: "engineer", tool: "file_write", reason: "no" } as const;
  for (const [id, days] of [[job, 500], ["session", 500], ["session", 5]] as const) {
    await recordDenial(db, { ...denied, job: id, by: "profile", at: NOW - days * DAY });
  }
  await db.insertInto("trust_audit").values({
    ...{ at: 1, who: "ada", repo_id: repoId, role: "qa", reason: "new", automatic: 0 },
    ...{ from_level: "observer", to_level: "contributor" },
  }).execute();
  await place.retain({ policy });
  const count = async (table: "jobs" | "decisions" | "settlements" | "trust_audit") =>
    (await db.selectFrom(table).select("repo_id").execute()).length;
  assert.deepEqual(
    [await count("jobs"), await count("decisions"), await count("settlements")],
    [0, 0, 0],
  );
  assert.equal(await count("trust_audit"), 1);
  assert.deepEqual(await db.selectFrom("checks").select("name").execute(), [
    { name: "by hand, young" },
  ]);
  assert.deepEqual(await db.selectFrom("denials").select("at").execute(), [{ at: NOW - 5 * DAY }]);
});

Deno.test("checks that may be those of a job that stays, stay with it", async () => {
  await using place = await oldPlace();
  const { ports: { db }, repoId } = place;
  await place.job(500, { ticket: await place.ticket() });
  await place.job(500);
  const at = NOW - 500 * DAY - 1000;
  await db.insertInto("checks").values({
    ...{ id: uuidV7(at), repo_id: repoId, name: "test", role: "engineer", command: "[]" },
    ...{ outcome: "passed", ending: "exited", exit_code: 0, signal: null, reason: null },
    ...{ started_at: at, duration_ms: 1, log_path: "/x" },
  }).execute();
  await place.retain({ policy });
  assert.equal((await db.selectFrom("checks").select("id").execute()).length, 1);
  assert.equal((await db.selectFrom("jobs").select("id").execute()).length, 1);
});

Deno.test("refs of leftovers go with their job's trace, in repos that may be changed", async () => {
  await using place = await oldPlace();
  const { repo } = place;
  const open = await place.job(40, { ticket: await place.ticket() });
  const [old, young] = [await place.job(40), await place.job(10)];
  const refs = async () =>
    (await repo.git("for-each-ref", "--format=%(refname)", "refs")).trim().split("\n");
  const person = ["refs/heads/main", "refs/svc/other", `refs/tags/${old}`];
  for (const name of [open, old, `${old}-2`, young]) {
    await repo.git("update-ref", `refs/svc/leftovers/${name}`, "HEAD");
  }
  for (const name of person.slice(1)) await repo.git("update-ref", name, "HEAD");
  const before = await refs();
  await place.retain({ repos: false });
  assert.deepEqual(await refs(), before, "a rehearsal changes no repo");
  assert.equal((await place.retain({ apply: false })).groups.at(-1)?.what, "leftover refs");
  assert.deepEqual(await refs(), before, "a dry run changes nothing");
  await place.retain();
  const gone = before.filter((ref) => ref.startsWith(`refs/svc/leftovers/${old}`));
  assert.equal(gone.length, 2);
  assert.deepEqual(await refs(), before.filter((ref) => !gone.includes(ref)));
});

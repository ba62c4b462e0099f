/** A repo that is ejected leaves the register: its waiting work ends, its records stay. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { claimNext } from "svc/features/jobs/job_store.ts";
import { ownerText } from "svc/features/jobs/owner.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { newSettlement, recordSettlement } from "svc/features/routing/settlement_store.ts";
import { unregister } from "svc/runtime/eject/unregister.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import {
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
} from "tests/unit/runtime/engine_place.ts";

verifies(
  ["4.5:eject:removes-harness"],
  "a repo that is ejected leaves the register: what waits for it ends, and its records stay",
  async () => {
    await using repo = await harnessedRepo();
    await using other = await harnessedRepo();
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    const { db } = ports;
    const id = await registered(ports, repo.path);
    const others = await registered(ports, other.path);
    await queued(ports, id, "engineer");
    await queued(ports, others, "qa");
    const owes = { repoId: id, reason: "approved", actor: "agent:qa" };
    await recordSettlement(db, newSettlement(owes, 1));
    for (let time = 0; time < 2; time++) await unregister(ports, repo.path);
    assert.deepEqual((await listRepos(db)).map((row) => row.id), [others]);
    assert.deepEqual(await jobLines(ports), ["engineer - failed cancelled", "qa - pending -"]);
    const [owed] = await db.selectFrom("settlements").selectAll().execute();
    assert.deepEqual([owed!.state, owed!.outcome], ["superseded", "the repo was ejected"]);
    assert.equal(await registered(ports, repo.path), id, "it can be registered again");
  },
);

Deno.test("a repo in which a job runs stays registered, and one whose job was killed does not", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const { db } = ports;
  const id = await registered(ports, repo.path);
  await queued(ports, id, "engineer");
  const self = await ports.identities.self();
  const runs = (owner: string) =>
    db.updateTable("jobs").set({
      ...{
        status: "running",
        lease_owner: owner,
        lease_until: 2,
        heartbeat_at: 1,
        attempt: 1,
        generation: 1,
        started_at: 1,
      },
    }).execute();
  await runs(ownerText(self, "w1"));
  const failure = Failure.from(await unregister(ports, repo.path).catch((thrown) => thrown));
  assert.deepEqual([failure.code, (await listRepos(db)).length], ["conflict", 1]);
  assert.match(failure.message, /^a job of engineer runs; end that, then eject again$/);
  await runs(ownerText({ ...self, pid: 2 ** 22 + 1 }, "w1"));
  await unregister(ports, repo.path);
  assert.deepEqual(await listRepos(db), []);
  const [job] = await db.selectFrom("jobs").selectAll().execute();
  assert.equal(job!.cancel_requested, 1, "whoever takes it back ends it");
});

Deno.test("a job that a service begins while its repo is ejected keeps the repo registered", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const { db, identities } = ports;
  const id = await registered(ports, repo.path);
  const claim = { owner: "svc", now: 1, leaseMs: 60_000, repoIds: [id], profile: "host" } as const;
  await queued(ports, id, "engineer");
  await claimNext(db, { ...claim, owner: ownerText(await identities.self(), "w1") });
  await queued(ports, id, "qa");
  const begins: typeof identities.life = async () => {
    await claimNext(db, { ...claim, owner: ownerText(await identities.self(), "w2") });
    return "dead";
  };
  const asked = { ...ports, identities: { ...identities, life: begins } };
  await assert.rejects(unregister(asked, repo.path), { code: "conflict", message: /^a job of qa/ });
  assert.equal((await listRepos(db)).length, 1);
});

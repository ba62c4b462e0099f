/** The audit of a repo that other nodes work on, too: what it saw may be over. */
import assert from "node:assert/strict";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { STOPPED_AT_PAGE } from "svc/features/jobs/ended_by_hand.ts";
import { orderFor, queueJob } from "svc/features/jobs/order_job.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { auditTickets } from "svc/runtime/engine/liveness.ts";
import { cancelNow } from "svc/runtime/service/job_asks.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import {
  enginePorts,
  harnessedRepo,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";

for (const reason of ["cancelled by Ada: wrong ticket", STOPPED_AT_PAGE]) {
  Deno.test(`the audit leaves a ticket alone whose job was ${reason}`, async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using parts = await enginePorts(base.path);
    const ports = { ...parts, signal: new AbortController().signal };
    const id = await registered(parts, repo.path);
    using opened = await new RepoOpener(ports).open((await listRepos(ports.db))[0]!, ports);
    const ticket = await ticketed(parts, repo.path);
    using checkout = await openCheckout(ports, repo.path);
    await moveTicket(checkout, ticket, { to: "in-progress", branch: "svc/one", actor: "ada" });
    const order = orderFor({ id, manifest: undefined }, {
      ...{ role: "engineer", trigger: "route", trust: "contributor", ticket: { id: ticket } },
    });
    const { job } = await queueJob(ports.db, order, { now: Date.now(), profile: "host" });
    await cancelNow(ports, job.id, reason);
    assert.deepEqual((await auditTickets(ports, opened)).audited, []);
    const day = { ...ports, clock: { ...ports.clock, now: () => Date.now() + 48 * 3_600_000 } };
    assert.deepEqual((await auditTickets(day, opened)).audited, []);
    // What svc itself gave up is queued once more.
    await ports.db.updateTable("jobs").set({ reason: "svc stops" }).execute();
    const { audited } = await auditTickets(ports, opened);
    assert.deepEqual(audited.map(({ verdict }) => verdict), ["queue"]);
  });
}

Deno.test("an old ticket that a person moves to in-progress by hand is worked on, not given back as stale", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using parts = await enginePorts(base.path);
  const ports = { ...parts, signal: new AbortController().signal };
  await registered(parts, repo.path);
  using opened = await new RepoOpener(ports).open((await listRepos(ports.db))[0]!, ports);
  const ticket = await ticketed(parts, repo.path);
  const { path } = (await opened.tickets.find(ticket)).ticket;
  const old = (await repo.read(path)).replace(/^updated: .*$/m, "updated: 2020-01-01T00:00:00Z");
  await repo.commit("written long ago", { [path]: old });
  await repo.git("mv", path, path.replace("backlog", "in-progress"));
  const verdicts = async (hours: number) => {
    const now = () => Date.now() + hours * 3_600_000;
    const at = { ...ports, clock: { ...ports.clock, now } };
    return (await auditTickets(at, opened)).audited.map(({ verdict }) => verdict);
  };
  assert.deepEqual(await verdicts(0), ["queue"]);
  await ports.db.deleteFrom("jobs").execute();
  await repo.git("commit", "--quiet", "--date=now", "--message", "take it up");
  assert.deepEqual(await verdicts(0), ["queue"]);
  await ports.db.deleteFrom("jobs").execute();
  assert.deepEqual(await verdicts(25), ["give_back"]);
});

Deno.test("jobs that ended before a ticket's last move say nothing of what it waits for", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using parts = await enginePorts(base.path);
  const begun = Date.now();
  const at = (secs: number) => {
    const clock = { ...parts.clock, now: () => begun + secs * 1_000 };
    return { ...parts, clock, signal: new AbortController().signal };
  };
  await registered(parts, repo.path);
  using opened = await new RepoOpener(at(0)).open((await listRepos(parts.db))[0]!, at(0));
  const ticket = await ticketed(parts, repo.path);
  const move = async (secs: number, to: "in-progress" | "backlog") => {
    using checkout = await openCheckout(at(secs), repo.path);
    await moveTicket(checkout, ticket, { to, actor: "ada", branch: "svc/one" });
  };
  const audited = async (secs: number) => (await auditTickets(at(secs), opened)).audited;
  await move(10, "in-progress");
  const [first] = await audited(20);
  assert.equal(first?.verdict, "queue");
  await cancelNow(at(30), first.job!, "cancelled by Ada: wrong ticket");
  assert.deepEqual(await audited(40), []);
  await move(50, "backlog");
  await move(60, "in-progress");
  assert.deepEqual((await audited(70)).map(({ verdict }) => verdict), ["queue"]);
});

for (const owed of ["pending", "done"] as const) {
  Deno.test(`a job that ends while the audit reads leaves its ticket to what it owes, ${owed}`, async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using parts = await enginePorts(base.path);
    const ports = { ...parts, signal: new AbortController().signal };
    const repoId = await registered(parts, repo.path);
    using opened = await new RepoOpener(ports).open((await listRepos(ports.db))[0]!, ports);
    const ticket = await ticketed(parts, repo.path);
    using checkout = await openCheckout(ports, repo.path);
    const move = (to: "in-progress" | "review" | "done") =>
      moveTicket(checkout, ticket, { to, branch: "svc/one", actor: "ada" });
    await move("in-progress");
    await move("review");
    let ends = async () => {
      ends = () => Promise.resolve();
      const seen = { repoId, role: "qa", disposition: "approved", ticket } as const;
      await endedJob(ports.db, { ...seen, owed, at: Date.now() });
      if (owed === "done") await move("done");
    };
    const list = async () => {
      const read = await opened.tickets.list();
      await ends();
      return read;
    };
    const meanwhile = { ...opened, tickets: { ...opened.tickets, list } };
    assert.deepEqual((await auditTickets(ports, meanwhile)).audited, []);
  });
}

verifies(
  "3.2:startup:resumes-active-jobs",
  "the audit queues nothing for a ticket that another node has moved meanwhile",
  async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using parts = await enginePorts(base.path);
    const ports = { ...parts, signal: new AbortController().signal };
    await registered(parts, repo.path);
    using opened = await new RepoOpener(ports).open((await listRepos(ports.db))[0]!, ports);
    const ticket = await ticketed(parts, repo.path);
    using checkout = await openCheckout(ports, repo.path);
    const move = (to: "in-progress" | "review") =>
      moveTicket(checkout, ticket, { to, branch: "svc/one", actor: "ada" });
    await move("in-progress");
    const fetching = (refresh: () => Promise<unknown>) => ({
      ...opened,
      shared: { refresh } as unknown as NonNullable<typeof opened.shared>,
    });
    const moved = await auditTickets(ports, fetching(() => move("review")));
    assert.deepEqual(moved.audited, []);
    const stuck = await auditTickets(ports, fetching(() => Promise.resolve()));
    assert.deepEqual(stuck.audited.map(({ verdict }) => verdict), ["queue"]);
    assert.equal((await ports.db.selectFrom("jobs").selectAll().execute()).length, 1);
  },
);

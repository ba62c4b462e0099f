/** What people ask of a living service: a role's run, the end of a job; and what events from outside ask. */
import assert from "node:assert/strict";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import { answerAs } from "svc/runtime/inbox/answer_act.ts";
import { enqueue } from "svc/features/jobs/job_store.ts";
import { notesOf } from "svc/features/jobs/note_store.ts";
import { repoWithId } from "svc/features/repos/repo_store.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { addRequest } from "svc/features/webhooks/request_store.ts";
import { carryOutAct } from "svc/runtime/inbox/decide.ts";
import type { ServicePlan } from "svc/runtime/service/plan.ts";
import { cancelNow } from "svc/runtime/service/job_asks.ts";
import { verifies } from "tests/kit/verifies.ts";
import { modelEndpoint, type Step } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { dataOf, watchedService } from "tests/unit/runtime/service_place.ts";
import { finish, TEAM, turns } from "tests/unit/runtime/team.ts";

/** A service that is paused, so that jobs wait to be looked at. */
async function place(
  roles: Record<string, Step[]> = TEAM.roles,
  more: Pick<ServicePlan, "times"> = {},
) {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const ports = parts.use(await enginePorts(base.path));
  const endpoint = parts.use(modelEndpoint({ roles }));
  const id = await registered(ports, repo.path);
  const watched = parts.use(watchedService(ports, { modelEndpoint: endpoint.url, ...more }));
  await watched.service.pause("a person looks at it");
  return { parts, repo, ports, endpoint, id, ...watched };
}

Deno.test("runRole queues one job however often it is clicked", async () => {
  const { parts, ports, id, service, stored } = await place();
  await using _parts = parts;
  const clicks = [service.runRole(id, "ceo"), service.runRole(id, "ceo")];
  const [first, second] = await Promise.all(clicks);
  assert.equal(second!.job, first!.job);
  assert.deepEqual([first!.existed, second!.existed].sort(), [false, true]);
  assert.deepEqual(await service.runRole(id, "ceo"), { job: first!.job, existed: true });
  const job = await jobById(ports.db, first!.job);
  assert.deepEqual([job!.trigger, job!.source_trust, job!.ticket_id], [
    ...["manual", "contributor", null],
  ]);
  const told = await stored((type) => type === "job_update");
  assert.deepEqual([told.job_id, dataOf(told).status], [first!.job, "pending"]);
});

Deno.test("a question is answered, and a job told something, through a living service", async () => {
  const { parts, repo, ports, id, service, stored } = await place();
  await using _parts = parts;
  await ticketed(ports, repo.path);
  using checkout = await openCheckout(
    { ...ports, signal: new AbortController().signal },
    repo.path,
  );
  const question = { asked: "Which?", choices: [], why: "", role: "engineer", job: "one" };
  const unblock = { owner: "maintainer", action: "answer" };
  await moveTicket(checkout, "T-0001", { to: "in-progress", actor: "svc" });
  await moveTicket(checkout, "T-0001", { to: "blocked", actor: "svc", unblock, question });
  const answer = (job: string, ticket = "T-0001") =>
    service.answerTicket(id, ticket, { job, text: "That one" });
  await assert.rejects(answer("another"), { code: "conflict" });
  await assert.rejects(answer("one", "T-0009"), { code: "not_found" });
  await answer("one");
  const told = await stored((type) => type === "ticket_update");
  assert.deepEqual([dataOf(told).from, dataOf(told).to], ["blocked", "backlog"]);
  assert.match(
    await repo.git("show", "HEAD"),
    /\+a person at the dashboard answered[^]*\+> That one/,
  );

  const { id: job } = await queued(ports, id, "ceo");
  await service.tellJob(job, "mind the gap");
  assert.deepEqual((await notesOf(ports.db, job)).map(({ text }) => text), ["mind the gap"]);
  await assert.rejects(service.tellJob("0199", "x"), { code: "not_found" });
});

Deno.test("a question that another process answers is followed at once, not at the next audit", async () => {
  await using parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const ports = parts.use(await enginePorts(base.path));
  await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  const { signal } = new AbortController();
  const opened = parts.use(await new RepoOpener(ports).openAt(repo.path, { signal }));
  const question = { asked: "Which?", choices: [], why: "", role: "engineer", job: "one" };
  const unblock = { owner: "maintainer", action: "answer" };
  await moveTicket(opened, "T-0001", { to: "in-progress", actor: "svc" });
  await moveTicket(opened, "T-0001", { to: "blocked", actor: "svc", unblock, question });

  const times = { auditMs: 3_600_000, feedMs: 50 };
  const plan = { modelEndpoint: "http://127.0.0.1:9", times };
  const { service, said, stored } = parts.use(watchedService(ports, plan));
  await service.pause("a person looks at it");
  await said(({ kind }) => kind === "surveyed");
  assert.deepEqual((await service.status()).jobs.pending, 0, "nothing can be begun");
  await answerAs(ports, opened, "T-0001", { text: "That one", actor: "ada" });
  const queued = await stored((type) => type === "job_update");
  assert.equal(dataOf(queued).status, "pending");
});

Deno.test("runRole gives a worker its next ticket that nobody works on, trusted as who vouches for it", async () => {
  const { parts, repo, ports, id, service } = await place();
  await using _parts = parts;
  await ticketed(ports, repo.path, { title: "One", priority: "p0" });
  await ticketed(ports, repo.path, { title: "Stranger's", source: "webhook:github" });
  await ticketed(ports, repo.path, { title: "Two", source: "webhook:github", vouched: "ada" });
  const routed = (ticket_id: string) =>
    enqueue(ports.db, {
      ...{ repo_id: id, role: "engineer", trigger: "route", source_trust: "contributor" },
      ticket_id,
    }, ports.clock.now());
  const { job: first } = await routed("T-0001");
  const { job, existed } = await service.runRole(id, "engineer");
  const row = await jobById(ports.db, job);
  assert.deepEqual([existed, row!.ticket_id, row!.source_trust, row!.priority], [
    ...[false, "T-0003", "contributor", 1],
  ]);
  await service.cancelJob(job, "changed my mind");
  await routed("T-0003");
  // Both are under way: that is what was asked for.
  assert.deepEqual(await service.runRole(id, "engineer"), { job: first.id, existed: true });
});

verifies(
  ["4.3:run-role:role-of-manifest"],
  "a role of the manifest that has no ticket is queued, asks no model and ends as its no_work",
  async () => {
    const { parts, ports, id, service, endpoint, said } = await place();
    await using _parts = parts;
    for (const role of ["engineer", "qa"]) {
      const first = await service.runRole(id, role);
      assert.equal(first.existed, false);
      assert.deepEqual(await service.runRole(id, role), { job: first.job, existed: true });
      await service.resume();
      await said((event) => event.kind === "ended" && event.job.id === first.job);
      const job = await jobById(ports.db, first.job);
      assert.deepEqual([job!.status, job!.disposition, job!.turns], ["completed", "no_work", 0]);
      assert.match(job!.reason!, /^no ticket /);
      await service.pause("a person looks at it");
    }
    assert.equal(endpoint.requests.length, 0);
  },
);

Deno.test("runRole knows the manifest as it is now", async () => {
  const { parts, repo, id, service } = await place();
  await using _parts = parts;
  await assert.rejects(service.runRole("0123456789ab", "ceo"), { code: "not_found" });
  await assert.rejects(service.runRole(id, "poet"), { code: "not_found" });
  await assert.rejects(service.runRole(id, "toString"), { code: "not_found" });
  const good = await repo.read(MANIFEST_PATH);
  await repo.write(MANIFEST_PATH, `${good}\nroles: 7\n`);
  await assert.rejects(service.runRole(id, "ceo"), { code: "conflict", message: /manifest/ });
  await repo.write(MANIFEST_PATH, good.replace("\n  ceo:", "\n  poet:"));
  assert.equal((await service.runRole(id, "poet")).existed, false);
  await assert.rejects(service.runRole(id, "ceo"), { code: "not_found" });
});

Deno.test("cancelJob ends a job that waits, one that runs, and says of others why not", async () => {
  const hangs: Record<string, Step[]> = { ceo: [{ bad: "hang", always: true }] };
  const { parts, ports, id, service, endpoint, said, stored } = await place(hangs);
  await using _parts = parts;
  const waits = await queued(ports, id, "ceo");
  await service.cancelJob(waits.id, "changed my mind");
  await service.resume();
  const { job } = await service.runRole(id, "ceo");
  await endpoint.asked(1);
  await service.cancelJob(job, "changed my mind");
  await said(({ kind }) => kind === "ended"); // long before its next heartbeat
  assert.deepEqual(await jobLines(ports), ["ceo - failed cancelled", "ceo - failed cancelled"]);
  await stored((_, data) => data.id === job && data.cancel_requested === true);
  await assert.rejects(service.cancelJob(job, "again"), { code: "conflict" });
  await assert.rejects(service.cancelJob(crypto.randomUUID(), "none"), { code: "not_found" });
});

verifies(
  ["3.2:stop:normal-cancellation"],
  "a job that another process cancels ends without its next heartbeat, for the reason given",
  async () => {
    const hangs: Record<string, Step[]> = { ceo: [{ bad: "hang", always: true }] };
    const times = { heartbeatMs: 600_000 };
    const { parts, ports, id, service, endpoint, said } = await place(hangs, { times });
    await using _parts = parts;
    await service.resume();
    const { job } = await service.runRole(id, "ceo");
    await endpoint.asked(1);
    await cancelNow(ports, job, "asked for at a terminal");
    await said(({ kind }) => kind === "ended");
    const { disposition, reason } = (await jobById(ports.db, job))!;
    assert.deepEqual([disposition, reason], ["cancelled", "asked for at a terminal"]);
  },
);

Deno.test("a ticket that a person lets go on at a terminal is handed out before the next audit", async () => {
  const times = { auditMs: 600_000 };
  const { parts, ports, repo, id, service, said, stored } = await place(TEAM.roles, { times });
  await using _parts = parts;
  await ticketed(ports, repo.path);
  const { signal } = new AbortController();
  using opened = await new RepoOpener(ports).open((await repoWithId(ports.db, id))!, { signal });
  const move = (to: "in-progress" | "blocked") =>
    opened.tickets.move("T-0001", {
      ...{ to, actor: "svc" },
      ...(to === "blocked" && { unblock: { owner: "ada", action: "renew the key" } }),
    });
  await move("in-progress");
  await move("blocked");
  await service.resume();
  await said(({ kind }) => kind === "surveyed"); // finds nothing to begin
  const context = { ports: { ...ports, signal }, repo: opened, by: "Ada" };
  await carryOutAct(
    context,
    { act: "unblock", repo: id, ticket: "T-0001" },
    () => Promise.reject(new Error("nothing is merged")),
  );
  await stored((type, data) => type === "ticket_update" && data.to === "in-progress");
});

Deno.test("after a ticket that is blocked the next one is handed out before the next audit", async () => {
  const stuck = { ...TEAM.roles, engineer: turns(finish("blocked")) };
  const times = { auditMs: 600_000 };
  const { parts, ports, repo, service, said, stored } = await place(stuck, { times });
  await using _parts = parts;
  await said(({ kind }) => kind === "surveyed"); // there is no ticket yet
  for (const title of ["One", "Two", "Three"]) await ticketed(ports, repo.path, { title });
  await service.runRole(await registered(ports, repo.path), "engineer");
  await service.resume();
  for (const id of ["T-0001", "T-0002", "T-0003"]) {
    await stored((type, { ticket_id, to }) =>
      type === "ticket_update" && ticket_id === id && to === "blocked"
    );
  }
});

Deno.test("a wish of a webhook is settled when the service is woken, and a push scans the repo", async () => {
  const { parts, ports, id, service, stored } = await place();
  await using _parts = parts;
  await stored((_, { state }) => state === "running");
  const now = ports.clock.now();
  const wish = (draft: Parameters<typeof addRequest>[1]["draft"]) =>
    ports.db.transaction().execute((tx) =>
      addRequest(tx, { repo_id: id, source: "github", event: "github.push", draft }, now)
    );
  await wish({
    kind: "ticket",
    key: "issue:7",
    item: {
      ...{ title: "The pump drips", body: "Water", by: "mallory", labels: ["svc"] },
      ...{ url: "https://github.com/o/r/issues/7", fingerprint: "github:o/r#7" },
      ...{ type: "bug", priority: "p2" },
    },
  });
  await wish({ kind: "push", key: "push:1", item: { head: "a".repeat(40) } });
  service.wake();
  await stored((type) => type === "scan_complete");
  await service.stop();
  const wishes = await ports.db.selectFrom("wishes").selectAll().orderBy("id").execute();
  assert.deepEqual(wishes.map(({ state }) => state), ["done", "done"]);
  assert.ok((await service.status()).repos[0]!.tickets.backlog > 0);
});

Deno.test("an observer's service scans and settles what only looks, and writes nothing", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path, { profile: "observer" });
  const id = await registered(ports, repo.path);
  await using watched = watchedService(ports, { modelEndpoint: "http://127.0.0.1:9/v1" });
  const { service, stored } = watched;
  await service.pause("a person looks at it");
  const before = await repo.git("rev-parse", "HEAD");
  const { created, findings } = await service.scan(id);
  assert.deepEqual([created, findings > 0], [0, true]);
  await ports.db.transaction().execute((tx) => {
    const draft = { kind: "push", key: "push:1", item: { head: "a".repeat(40) } } as const;
    const wish = { repo_id: id, source: "github", event: "github.push", draft } as const;
    return addRequest(tx, wish, ports.clock.now());
  });
  const scans = () => watched.events.filter(({ type }) => type === "scan_complete").length;
  service.wake();
  await stored((type) => type === "scan_complete" && scans() === 2);
  // One that waits already sees what the second scan saw.
  assert.deepEqual(await jobLines(ports), ["gardener - pending -"]);
  assert.equal(await repo.git("rev-parse", "HEAD"), before);
  assert.equal(await repo.git("status", "--porcelain"), "");
});

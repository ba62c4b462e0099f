/** Each way to queue a job stores the event that tells of it. */
import { RepoOpener } from "svc/features/repos/repo.ts";
import assert from "node:assert/strict";
import { pauseQueue } from "svc/features/jobs/queue_store.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { auditTickets } from "svc/runtime/engine/liveness.ts";
import { harnessIn } from "svc/runtime/job/harness_source.ts";
import { manualRun } from "svc/runtime/run/manual_run.ts";
import { fireDue } from "svc/runtime/service/scheduler.ts";
import { scanRepo } from "svc/runtime/service/scan.ts";
import { surveyRepos } from "svc/runtime/service/survey.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { queuedTold } from "tests/kit/queued_events.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { enginePorts, harnessedRepo, registered, reposIn, ticketed } from "./engine_place.ts";
import { finish, turns } from "./team.ts";

async function place(manifest?: (text: string) => string) {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo(manifest && { manifest }));
  const base = parts.use(await tempFolder());
  const { signal } = new AbortController();
  const ports = { ...parts.use(await enginePorts(base.path)), signal };
  const id = await registered(ports, repo.path);
  const opener = new RepoOpener(ports);
  const opened = parts.use(await opener.open((await listRepos(ports.db))[0]!, ports));
  return { parts, repo, ports, id, opener, opened };
}

Deno.test("the audit of a ticket that nobody works on stores the event of its job", async () => {
  const { parts, repo, ports, opened } = await place();
  await using _parts = parts;
  const ticket = await ticketed(ports, repo.path);
  using checkout = await openCheckout(ports, repo.path);
  await moveTicket(checkout, ticket, { to: "in-progress", branch: "svc/one", actor: "ada" });
  const { audited } = await auditTickets(ports, opened);
  assert.deepEqual(audited.map(({ verdict }) => verdict), ["queue"]);
  assert.deepEqual(await queuedTold(ports.db), ["engineer liveness"]);
  const [job] = await ports.db.selectFrom("jobs").selectAll().execute();
  assert.deepEqual([job!.ticket_id, job!.priority, job!.parallel], [ticket, 1, 0]);
});

Deno.test("a survey stores the event of the dispatcher's job", async () => {
  const { parts, repo, ports, opener } = await place();
  await using _parts = parts;
  await ticketed(ports, repo.path);
  await surveyRepos(ports, { repos: reposIn(ports), open: (...row) => opener.open(...row) });
  assert.deepEqual(await queuedTold(ports.db), ["orchestrator liveness"]);
});

Deno.test("a manual run stores the event of its job, and of its end when it cannot start", async () => {
  const { parts, ports, opened } = await place();
  await using _parts = parts;
  const { manifest } = await opened.manifest();
  const plan = {
    repo: opened,
    manifest: manifest!,
    definition: manifest!.roles.ceo!,
    harness: harnessIn(opened),
  };
  await using endpoint = modelEndpoint({ roles: { ceo: turns(finish("no_work")) } });
  const asked = { role: "ceo", ticket: undefined, task: "Look around" };
  await manualRun(ports, plan, asked, { modelEndpoint: endpoint.url });
  assert.deepEqual(await queuedTold(ports.db), ["ceo manual"]);
  await pauseQueue(ports.db, "lunch", ports.clock.now());
  const goOnLine = "svc jobs resume --repo app";
  await assert.rejects(manualRun(ports, plan, asked, { modelEndpoint: endpoint.url, goOnLine }), {
    message: /claims are paused \(lunch\)$/,
    remedy: "svc jobs resume --repo app; then run it again",
  });
  assert.deepEqual(await queuedTold(ports.db), ["ceo manual", "ceo manual"]);
  const last = await ports.db.selectFrom("events").selectAll().where("type", "=", "job_update")
    .orderBy("id", "desc").executeTakeFirstOrThrow();
  assert.equal(JSON.parse(last.data).disposition, "cancelled");
});

Deno.test("a tick and a scan store the events of their jobs", async () => {
  const { parts, ports, opened } = await place((text) =>
    text.replace(/( {2}gardener:[^]*?triggers: )\[[^\]]*\]/, "$1[{ on: scan_complete }]")
      .replace(/( {2}ceo:[^]*?triggers: \[)/, '$1{ on: cron, schedule: "* * * * *" }, ')
  );
  await using _parts = parts;
  const at = (now: number) => ({ ...ports, clock: { ...ports.clock, now: () => now } });
  const now = Date.now();
  const repo = { id: opened.id, ...await opened.manifest() };
  await fireDue(at(now), repo);
  await fireDue(at(now + 60_000), repo);
  await scanRepo(ports, opened);
  assert.deepEqual(await queuedTold(ports.db), ["ceo cron", "gardener scan_complete"]);
});

/** A job is repeated with its own inputs, once, and only where there is something to do. */
import assert from "node:assert/strict";
import { claimNext, enqueue, finish, type JobResult } from "svc/features/jobs/job_store.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { pauseLane, roleLane } from "svc/features/jobs/lane_store.ts";
import { cancelJob } from "svc/features/jobs/order_job.ts";
import { newSettlement, recordSettlement } from "svc/features/routing/settlement_store.ts";
import type { NewJob } from "svc/features/jobs/job_store.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { retryJob } from "svc/runtime/service/retry_job.ts";
import { verifies } from "tests/kit/verifies.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";

const SIGNAL = new AbortController().signal;

/** A registered repo with T-0001 in progress, and ended jobs to ask for again. */
async function place() {
  const parts = new AsyncDisposableStack();
  const held = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const ports = parts.use(await enginePorts(base.path));
  const id = await registered(ports, held.path);
  const [row] = await listRepos(ports.db);
  await ticketed(ports, held.path);
  const repo = parts.use(await new RepoOpener(ports).open(row!, { signal: SIGNAL }));
  const move = (to: "in-progress" | "review" | "done" | "blocked", more = {}) =>
    moveTicket(repo, "T-0001", { to, actor: "svc", ...more });
  await move("in-progress");
  const ended = async (
    job: Partial<NewJob> = {},
    result: JobResult = { disposition: "model_error" },
  ) => {
    const { job: made } = await enqueue(ports.db, {
      ...{ repo_id: id, role: "engineer", trigger: "route", source_trust: "observer" },
      ...{ ticket_id: "T-0001", ...job },
    }, ports.clock.now());
    const at = { owner: "o", now: ports.clock.now(), jobId: made.id };
    const lease = await claimNext(ports.db, at);
    await finish(ports.db, lease!, result, ports.clock.now());
    return (await jobById(ports.db, made.id))!;
  };
  const retry = async (job: string) => await retryJob(ports, repo, (await jobById(ports.db, job))!);
  return { parts, ports, id, repo, move, ended, retry };
}

verifies(
  ["4.3:mutation:success-body"],
  "a retry has the role, ticket, task, branch and trust of the job, and begins no earlier trace",
  async () => {
    const { parts, ports, ended, retry } = await place();
    await using _parts = parts;
    const first = await ended();
    const { job, existed } = await retry(first.id);
    const again = (await jobById(ports.db, job))!;
    assert.deepEqual([existed, again.status, again.trigger], [false, "pending", "manual"]);
    assert.deepEqual([again.role, again.ticket_id, again.source_trust, again.priority], [
      ...["engineer", "T-0001", "observer", 1],
    ]);
    assert.deepEqual(JSON.parse(again.payload), { retry_of: first.id });
    await cancelJob(ports.db, job, "enough", ports.clock.now());
    const payload = { task: "tidy up", branch: "svc/tidy", earlier: "/t/x.jsonl" };
    const task = await ended({ role: "ceo", ticket_id: null, payload });
    const repeated = (await jobById(ports.db, (await retry(task.id)).job))!;
    assert.deepEqual(JSON.parse(repeated.payload), {
      ...{ task: "tidy up", branch: "svc/tidy", retry_of: task.id },
    });
  },
);

verifies(["4.3:mutation:success-body"], "retries at the same time give one job", async () => {
  const { parts, ports, ended, retry } = await place();
  await using _parts = parts;
  const { id } = await ended();
  const [one, two] = await Promise.all([retry(id), retry(id)]);
  assert.equal(one!.job, two!.job);
  assert.deepEqual([one!.existed, two!.existed].sort(), [false, true]);
  const { rows } = { rows: await ports.db.selectFrom("jobs").selectAll().execute() };
  assert.equal(rows.length, 2);
});

verifies(
  ["4.3:mutation:failure-body"],
  "a retry that makes no sense is refused with the reason and the way out",
  async () => {
    const { parts, ports, id, move, ended, retry } = await place();
    await using _parts = parts;
    const { db, clock } = ports;
    const refused = (job: string, message: RegExp, remedy = /svc /) =>
      assert.rejects(retry(job), { code: "conflict", message, remedy });
    const engineer = await ended();
    const queued = async (job: Partial<NewJob>) =>
      (await enqueue(db, {
        ...{ repo_id: id, role: "qa", trigger: "route", source_trust: "contributor" },
        ...{ ticket_id: "T-0001", ...job },
      }, clock.now())).job.id;

    const other = await queued({});
    await refused(other, /has not ended: it waits to begin/);
    await refused(engineer.id, new RegExp(`job ${other} \\(qa\\) is queued for T-0001 already`));
    await claimNext(db, { owner: "o", now: clock.now(), jobId: other });
    await refused(other, /has not ended: it runs/);
    await refused(engineer.id, new RegExp(`job ${other} \\(qa\\) runs for T-0001 already`));
    await db.deleteFrom("jobs").where("id", "=", other).execute();

    const lane = { kind: "role", key: roleLane(id, "engineer"), reason: "3 failed" } as const;
    await pauseLane(db, lane, clock.now());
    await refused(
      engineer.id,
      /role "engineer" is held back: 3 failed/,
      /svc run engineer --ticket/,
    );
    await db.deleteFrom("lanes").execute();
    const model = await ended({ lane: "m@x" });
    const until = clock.now() + 60_000;
    const busy = { kind: "model", key: "m@x", reason: "429", until } as const;
    await pauseLane(db, busy, clock.now());
    await refused(model.id, /model m@x is held back: 429/, /goes on by itself at \d{4}-/);
    await db.deleteFrom("lanes").execute();

    const owed = { repoId: id, ticket: "T-0001", reason: "r", actor: "svc" } as const;
    const to = { from: "in-progress", to: "review" } as const;
    await recordSettlement(db, newSettlement({ ...owed, move: to }, clock.now()));
    await refused(engineer.id, /not in git yet/);
    await db.deleteFrom("settlements").execute();

    const judge = await ended({ role: "qa" });
    await refused(judge.id, /T-0001 is in-progress, and "qa" judges what is in review/);
    await move("review");
    await refused(engineer.id, /T-0001 is in review/);
    await move("blocked", { unblock: { owner: "ada", action: "renew the key" } });
    await refused(engineer.id, /waits for "ada": "renew the key"/, /move T-0001 backlog --force/);
    const lost = await ended({ ticket_id: "T-0404" });
    await refused(lost.id, /T-0404 is gone/);
    const rehearsal = await ended({ profile: "observer" });
    await refused(rehearsal.id, /rehearsal, and this svc does real work/);
    const poet = await ended({ role: "poet", ticket_id: null });
    await assert.rejects(retry(poet.id), { code: "not_found" });
  },
);

verifies(
  ["4.3:mutation:failure-body"],
  "the job of a ticket that is done stays as it is",
  async () => {
    const { parts, move, ended, retry } = await place();
    await using _parts = parts;
    const { id } = await ended();
    await move("review");
    await move("done");
    await assert.rejects(retry(id), { code: "conflict", message: /T-0001 is done/ });
  },
);

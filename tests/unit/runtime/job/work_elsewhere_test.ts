/** What the next attempt of a job is told of work that lies on another node. */
import assert from "node:assert/strict";
import { assemblePrompt } from "svc/features/agent/prompt.ts";
import { claimNext, finish } from "svc/features/jobs/job_store.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { recordJob } from "svc/features/jobs/order_job.ts";
import { nodeBegan } from "svc/features/nodes/node_store.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { earlierWork } from "svc/runtime/job/earlier_work.ts";
import { ownTree } from "svc/runtime/job/job_tree.ts";
import { leftOn, workElsewhere } from "svc/runtime/job/work_elsewhere.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { enginePorts, harnessedRepo, queued, registered } from "tests/unit/runtime/engine_place.ts";

const NODE = crypto.randomUUID();
const OTHER = crypto.randomUUID();

verifies(
  ["2.1:shared-database:holds-serve-state"],
  "the next attempt is told on which node its predecessor left work",
  async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using own = await enginePorts(base.path);
    const { db } = own;
    const id = await registered(own, repo.path);
    const job = await queued(own, id, "engineer");
    const signal = new AbortController().signal;
    const ports = { ...own, signal, node: { id: OTHER, name: "bo" } };
    const row = { id, path: repo.path, branch: "main", remote: null, host: null };
    using opened = await new RepoOpener(ports).open(row, { signal });
    using tree = await ownTree(ports, opened, {
      ...{ jobId: job.id, role: "engineer", ticket: undefined },
    });
    const definition = await opened.role("engineer");
    const told = async () => (await earlierWork(ports, opened, { tree, job, definition })).told;
    const began = (node: string) => recordJob(db, job, { status: "running", node }, 1);
    const turn = () =>
      recordEvent(db, { type: "job_turn", repoId: id, jobId: job.id, data: { turn: 1 } }, 1);

    await began(NODE);
    await recordJob(db, job, { status: "pending", rescued: true }, 1);
    await began(OTHER);
    // It had asked no model yet.
    assert.equal(await told(), undefined);
    await turn();
    assert.equal(await told(), undefined);
    await began(NODE);
    await turn();
    await began(OTHER);
    assert.equal((await told())?.elsewhere, "that is forgotten");
    const facts = { abilities: "[]", concurrency: 1, name: "ada", schema: 1, version: "1" };
    await db.transaction().execute((tx) =>
      nodeBegan(tx, { id: NODE, owner: "o1", ...facts }, null, 1)
    );
    const before = await told();
    assert.deepEqual(before, { summary: "", elsewhere: "ada", inTree: [], leftovers: [] });
    const { task } = assemblePrompt({
      ...{ role: "engineer", rolePrompt: "", guardrails: "", knowledge: [], setup: [], checks: [] },
      ...{ permission: { profile: "host", trust: "contributor" }, contextWindow: 128_000 },
      before,
    });
    assert.match(task, /# An attempt before yours\n\nIt ran on another machine, node ada\./);
    // The job failed there; another one is made for the ticket.
    await db.updateTable("jobs").set({ ticket_id: "T-0001" }).where("id", "=", job.id).execute();
    const mine = await claimNext(db, { owner: "o1", now: 2, jobId: job.id, node: NODE });
    const next = await queued(own, id, "engineer", "T-0001");
    const toldNext = async () =>
      (await earlierWork(ports, opened, { tree, job: next, definition })).told?.elsewhere;
    assert.equal(await toldNext(), undefined); // it has not ended
    await finish(db, mine!, { disposition: "timed_out", turns: 3 }, 3);
    assert.equal(await toldNext(), "ada");
    await db.deleteFrom("events").execute(); // they are forgotten after a month
    assert.equal(await toldNext(), "ada");
    const ended = (await jobById(db, job.id))!;
    assert.equal(await leftOn(db, ended), "ada");
    assert.equal(await leftOn(db, { ...ended, disposition: "submitted" }), undefined);
    const ofQa = { ...next, role: "qa" };
    assert.equal(await workElsewhere(ports, ofQa), undefined);

    // On a file there is one machine.
    const { node: _, ...alone } = ports;
    const { told: nothing } = await earlierWork(alone, opened, { tree, job, definition });
    assert.equal(nothing, undefined);
  },
);

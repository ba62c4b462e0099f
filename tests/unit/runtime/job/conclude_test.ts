import assert from "node:assert/strict";
import { NO_COST } from "svc/core/cost.ts";
import type { TrustLevel } from "svc/core/permission.ts";
import { redactor } from "svc/core/redact.ts";
import { NOTHING_USED } from "svc/features/agent/agent.ts";
import { claimNext, enqueue } from "svc/features/jobs/job_store.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { ModelFault } from "svc/features/models/client/model.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { conclude } from "svc/runtime/job/conclude.ts";
import type { Worked } from "svc/runtime/job/decision_record.ts";
import { NOTHING_SEEN } from "svc/runtime/job/prove.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { call, finish, turns } from "tests/unit/runtime/team.ts";

Deno.test("the inputs of a decision stay whole beside a secret that ends one text and begins the next", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  // The last word of the evidence, and the first letters of the trigger.
  const redact = redactor(["opensesame", '","trigger":"man']);
  await using parts = await enginePorts(base.path);
  const ports = { ...parts, redact };
  const said = call("finish", { disposition: "no_work", evidence: "the word is opensesame" });
  await using endpoint = modelEndpoint({
    roles: { ceo: turns(said), orchestrator: turns(finish("no_work")) },
  });
  await queued(ports, await registered(ports, repo.path), "ceo");
  await carryOut(ports, endpoint.url);
  const [decision] = await ports.db.selectFrom("decisions").selectAll().orderBy("id").execute();
  const inputs = JSON.parse(decision!.inputs);
  assert.deepEqual([inputs.evidence, inputs.trigger, inputs.reported], [
    ...["the word is [redacted]", "manual", "no_work"],
  ]);
});

Deno.test("a review of somebody's pull request is kept as it was given, and nobody begins to work on it", async () => {
  await using repo = await harnessedRepo({ files: { "fixed.txt": "yes\n" } });
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const verdicts = ["approved", "changes_requested"] as const;
  const looks = call("git_diff", { since: "main" });
  const says = verdicts.map((verdict) => turns(looks, finish(verdict)));
  await using endpoint = modelEndpoint({ roles: { qa: says } });
  const repo_id = await registered(ports, repo.path);
  for (const number of [7, 8]) {
    const asked = { trigger: "webhook", source_trust: "observer", profile: "host" } as const;
    const payload = { task: `Review pull request #${number}`, pull: { number, url: "" } };
    await enqueue(ports.db, { repo_id, role: "qa", ...asked, payload }, ports.clock.now());
    await carryOut(ports, endpoint.url);
  }
  const jobs = await ports.db.selectFrom("jobs").selectAll().orderBy("id").execute();
  assert.deepEqual(jobs.map(({ role, disposition }) => [role, disposition]), [
    ["qa", "approved"],
    ["qa", "changes_requested"],
  ]);
  const decisions = await ports.db.selectFrom("decisions").selectAll().orderBy("id").execute();
  assert.deepEqual(decisions.map(({ next_role, rule }) => [next_role, rule]), [
    [null, "default.foreign_pull"],
    [null, "default.foreign_pull"],
  ]);
  assert.deepEqual(await ports.db.selectFrom("settlements").selectAll().execute(), []);
});

/** A claimed job, and the end of its work. */
async function place({ attempts: max_attempts = 3, trust = "contributor", role = "ceo", its }: {
  readonly attempts?: number;
  readonly trust?: TrustLevel;
  readonly role?: string;
  /** It has the ticket. */
  readonly its?: true;
} = {}) {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const ports = {
    ...parts.use(await enginePorts(base.path)),
    signal: new AbortController().signal,
  };
  const { db, clock } = ports;
  const repo_id = await registered(ports, folder.path);
  const repo = parts.use(await new RepoOpener(ports).open((await listRepos(db))[0]!, ports));
  const { manifest } = await repo.manifest();
  const ticket = await ticketed(ports, folder.path);
  const { job: { id } } = await enqueue(db, {
    ...{ repo_id, role, max_attempts, trigger: "manual", source_trust: trust },
    ...(its && { ticket_id: ticket }),
  }, clock.now());
  const job = (await claimNext(db, { owner: "x", now: clock.now(), jobId: id }))!;
  const ended: Worked = {
    ...{ job, repo, manifest: manifest!, branch: undefined, tracePath: null },
    ...{ disposition: "model_error", evidence: "nothing listens there", cost: NO_COST },
    tally: NOTHING_USED,
    proof: { ...NOTHING_SEEN, head: undefined, sameCommit: true },
  };
  const held = parts.move();
  return {
    ended,
    concluded: (more: Partial<Worked>, follow = true) =>
      conclude(ports, { ...ended, ...more }, { follow }),
    async rows() {
      const { status, attempt } = (await jobById(db, id))!;
      const decisions = await db.selectFrom("decisions").selectAll().execute();
      const jobs = await db.selectFrom("jobs").selectAll().execute();
      const next = jobs.filter((one) => one.id !== id)
        .map(({ role, source_trust }) => `${role} ${source_trust}`);
      const rule = decisions[0]?.rule;
      return { status, attempt, decisions: decisions.length, next, rule };
    },
    takenOver: () =>
      db.updateTable("jobs").set({ generation: job.generation + 1 }).where("id", "=", id).execute(),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const category = "model_unreachable";
const GONE = {
  category,
  fault: new ModelFault("unreachable", "nothing listens there", {
    ...{ category, transient: true, pausesLane: false, remedy: "Start it" },
  }),
} as const;

Deno.test("a model that goes away before the first turn uses no attempt, not even the last; later it does", async () => {
  const turned = { tally: { ...NOTHING_USED, turns: 1 } };
  for (
    const [attempts, more, follow, kind, left] of [
      [1, GONE, true, "again", ["pending", 0]],
      [1, { ...GONE, ...turned }, true, "decided", ["failed", 1]],
      [3, { ...GONE, ...turned }, true, "again", ["pending", 1]],
      // Who runs a role by hand is told at once.
      [1, GONE, false, "decided", ["failed", 1]],
    ] as const
  ) {
    await using at = await place({ attempts });
    assert.equal((await at.concluded(more, follow)).kind, kind);
    const { status, attempt } = await at.rows();
    assert.deepEqual([status, attempt], left);
  }
});

Deno.test("work that a shared budget ends waits for more of it, and by hand it ends", async () => {
  const spent = { disposition: "budget_exhausted", category: "budget", raise: "Raise it" } as const;
  await using at = await place();
  const { kind } = await at.concluded(spent);
  assert.deepEqual([kind, (await at.rows()).status], ["again", "pending"]);
  await using byHand = await place();
  assert.equal((await byHand.concluded(spent, false)).kind, "decided");
});

Deno.test("the end of a job that another process has taken over leaves nothing behind", async () => {
  await using at = await place();
  await at.takenOver();
  const { kind } = await at.concluded({ disposition: "planned", evidence: "it is planned" });
  const rows = await at.rows();
  assert.deepEqual([kind, rows], [
    "lost",
    { status: "running", attempt: 1, decisions: 0, next: [], rule: undefined },
  ]);
});

Deno.test("what follows work that an outsider asked for is trusted no more than that", async () => {
  for (const trust of ["observer", "contributor"] as const) {
    await using at = await place({ trust });
    await at.concluded({ disposition: "planned", evidence: "it is planned" });
    assert.deepEqual((await at.rows()).next, [`orchestrator ${trust}`]);
  }
});

Deno.test("a ticket that is handed out after an outsider's work is trusted by its own source", async () => {
  await using at = await place({ role: "orchestrator", trust: "observer" });
  await at.concluded({ disposition: "routed", chosen: "T-0001", evidence: "it is next" });
  assert.deepEqual((await at.rows()).next, ["engineer contributor"]);
});

Deno.test("a ticket that another node has begun meanwhile is handed out to nobody", async () => {
  const routed = { disposition: "routed", chosen: "T-0001", evidence: "it is next" } as const;
  await using at = await place({ role: "orchestrator" });
  await at.concluded(routed);
  assert.deepEqual((await at.rows()).next, ["engineer contributor"]);
  await using late = await place({ role: "orchestrator" });
  const { repo } = late.ended;
  const refresh = () =>
    repo.tickets.move("T-0001", { to: "in-progress", actor: "agent:engineer", reason: "so" });
  const shared = { refresh } as unknown as NonNullable<typeof repo.shared>;
  await late.concluded({ ...routed, repo: { ...repo, shared } });
  assert.deepEqual((await late.rows()).next, []);
});

Deno.test("while a person is on another branch, a job's ticket is as it was", async () => {
  await using at = await place({ role: "engineer", its: true });
  const { repo } = at.ended;
  const [taken] = (await repo.tickets.list()).tickets;
  const there = {
    ...repo,
    branchFault: () => Promise.resolve({ gone: false, why: "theirs is", remedy: "switch back" }),
    tickets: { ...repo.tickets, list: async () => ({ ...await repo.tickets.list(), tickets: [] }) },
  };
  const stuck = { disposition: "stuck", category: "stuck", repo: there, taken: taken! } as const;
  await at.concluded(stuck);
  assert.equal((await at.rows()).rule, "default.try_again");
});

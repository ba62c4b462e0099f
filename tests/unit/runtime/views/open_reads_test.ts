/** Every answer, read from one repo that a team has worked in: its shape, what it says, what it keeps to itself. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { dashboardListener } from "svc/http/dashboard.ts";
import { claimNext, enqueue, finish } from "svc/features/jobs/job_store.ts";
import { pauseLane, resumeLane, roleLane } from "svc/features/jobs/lane_store.ts";
import { pauseQueue, resumeQueue } from "svc/features/jobs/queue_store.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { setTrust } from "svc/features/trust/trust_store.ts";
import { insertDelivery } from "svc/features/webhooks/delivery_store.ts";
import { addRequest, pendingRequests, requestWaits } from "svc/features/webhooks/request_store.ts";
import { startService } from "svc/runtime/service/service.ts";
import { READS } from "svc/runtime/views/all.ts";
import type { AnyRead } from "svc/runtime/views/read.ts";
import { debugRead } from "svc/runtime/views/debug_view.ts";
import { jobTraceRead } from "svc/runtime/views/job_trace_view.ts";
import { jobRead } from "svc/runtime/views/job_view.ts";
import { orchestrationRead } from "svc/runtime/views/orchestration_view.ts";
import { confined } from "tests/unit/platform/confined_ports.ts";
import { reposIn } from "tests/unit/runtime/engine_place.ts";
import { verifies } from "tests/kit/verifies.ts";
import { allAnswers, parsed } from "./answers.ts";
import { idleStatus, readsOf, SECRET, type Site, site } from "./site.ts";

let made: Promise<Site> | undefined;
const shared = () => made ??= site();
Deno.test.afterAll(async () => await (await made)?.[Symbol.asyncDispose]());

Deno.test("each answer has its shape, and nothing besides", async () => {
  const all = await allAnswers(await shared());
  for (const { name, shape } of READS as readonly AnyRead[]) {
    if (typeof shape === "string") assert.equal(typeof all[name], "string");
    // review_acts_test.ts has a ticket in review.
    else if (name !== "review" && (!name.startsWith("job") || name === "jobs")) {
      parsed(shape, all[name]);
    }
  }
  const traces = Object.entries(all).filter(([name]) => name.startsWith("trace "));
  assert.equal(traces.length, 5);
  for (const [, trace] of traces) parsed(jobTraceRead.shape, trace);
  const pages = Object.entries(all).filter(([name]) => name.startsWith("job "));
  assert.ok(pages.length >= 5);
  for (const [, page] of pages) parsed(jobRead.shape, page);
});

Deno.test("no answer tells a path of the machine, or a secret", async () => {
  const one = await shared();
  const { ports, repo } = one;
  const user = ports.env.get("HOME")!;
  const stored = await ports.db.selectFrom("jobs").select("reason").execute();
  assert.ok(stored.some(({ reason }) => reason?.includes(SECRET) && reason.includes(repo.path)));
  for (const [name, answer] of Object.entries(await allAnswers(one))) {
    const text = JSON.stringify(answer);
    for (const kept of [SECRET, repo.path, ports.home.root, user, "/tmp/"]) {
      assert.equal(text.includes(kept), false, `${name} tells ${kept}`);
    }
  }
});

Deno.test("pipeline tells of the service, the graph of roles, and each ticket once", async () => {
  const { reads, repoId, repo } = await shared();
  const { cards, totals, repos, jobs, as_of, claims } = await reads.pipeline();
  assert.deepEqual(cards.map(({ zone, ticket_id, role }) => [zone, ticket_id, role]), [
    ["needs_you", "T-0002", "engineer"],
    ["failing", null, "ceo"],
    ["waiting", "T-0003", "engineer"],
    ["done", "T-0001", "qa"],
  ]);
  assert.deepEqual(totals, { needs_you: 1, failing: 1, waiting: 1, working: 0, done: 1 });
  assert.deepEqual(jobs, { pending: 0, running: 0, completed: 4, failed: 1 });
  assert.equal(claims, "claiming");
  assert.ok(Date.parse(as_of) <= Date.now());
  const [board] = repos;
  assert.deepEqual([board!.id, board!.basename, board!.branch, board!.mode, board!.merge], [
    ...[repoId, repo.path.split("/").at(-1), "main", "routed", "local"],
  ]);
  assert.deepEqual(board!.tickets, {
    backlog: 1,
    "in-progress": 0,
    review: 0,
    done: 1,
    blocked: 1,
  });
  const taken = board!.routes.filter(({ taken }) => taken > 0)
    .map(({ from, disposition, to, taken }) => [from, disposition, to, taken]);
  assert.deepEqual(taken, [
    ["orchestrator", "routed", "engineer", 1],
    ["orchestrator", "no_work", null, 1],
    ["engineer", "submitted", "qa", 1],
    ["qa", "approved", "orchestrator", 1],
  ]);
  const engineer = board!.roles.find(({ role }) => role === "engineer");
  assert.deepEqual(engineer, {
    ...{ role: "engineer", state: "idle", tier: "standard", trust: "contributor" },
    ...{ score: null, samples: 1, job_id: null },
    next: { at: null, why: "orchestrator ends with routed" },
  });
});

Deno.test("pipeline follows a pause, a change of trust and another branch", async () => {
  const { reads, repoId, repo, ports: { db } } = await shared();
  await pauseQueue(db, "lunch", Date.now());
  const change = { repoId, role: "qa", manifestLevel: "contributor", who: "ada" } as const;
  await setTrust(db, { ...change, level: "observer", reason: "it slept" }, Date.now());
  await repo.git("switch", "--quiet", "-c", "fix");
  const then = await reads.pipeline();
  assert.deepEqual([then.claims, then.reason], ["paused", "lunch"]);
  const needs = then.cards.filter(({ zone }) => zone === "needs_you").map(({ action }) => action);
  assert.ok(needs.includes("Resume") && needs.includes("git switch main"), needs.join());
  assert.equal(then.repos[0]!.roles.find(({ role }) => role === "qa")?.trust, "observer");
  await resumeQueue(db);
  await setTrust(db, { ...change, level: "contributor", reason: "it woke" }, Date.now());
  await repo.git("switch", "--quiet", "main");
  assert.equal((await reads.pipeline()).totals.needs_you, 1);
});

Deno.test("pipeline shows what runs, with what it does and has used", async () => {
  const { ports, repoId } = await shared();
  const { db } = ports;
  const order = { repo_id: repoId, role: "gardener", trigger: "manual" } as const;
  await enqueue(db, { ...order, source_trust: "contributor" }, Date.now());
  const job = (await claimNext(db, { owner: "h b 1 s w1", now: Date.now() }))!;
  for (const turn of [1, 2]) {
    const data = { id: job.id, turn, tokens_in: 100, tokens_out: 10 };
    await recordEvent(db, { type: "job_turn", repoId, jobId: job.id, data }, Date.now());
  }
  const running = [{
    ...{ job: job.id, repo: repoId, role: job.role, ticket: null, attempt: 1 },
    ...{ turn: 2, step: "check test", ageMs: 5 },
  }];
  const reads = readsOf(ports, { service: { status: () => idleStatus(ports, { running }) } });
  const card = (await reads.pipeline()).cards.find(({ zone }) => zone === "working");
  assert.deepEqual(
    [card?.job_id, card?.turn, card?.max_turns, card?.step, card?.tokens],
    [job.id, 2, 30, "check test", 220],
  );
  await finish(db, job, { disposition: "no_work" }, Date.now());
  const after = await reads.pipeline();
  assert.equal(after.totals.working, 0);
  await db.deleteFrom("jobs").where("id", "=", job.id).execute();
});

Deno.test("an observer's pipeline trusts no role with more than a look", async () => {
  const { ports } = await shared();
  const status = () => idleStatus(ports, { profile: "observer" });
  const { profile, repos } = await readsOf(ports, { service: { status } }).pipeline();
  assert.equal(profile, "observer");
  assert.deepEqual(new Set(repos[0]!.roles.map(({ trust }) => trust)), new Set(["observer"]));
});

Deno.test("job shows a run from its first turn to its merged commit", async () => {
  const one = await shared();
  const page = (await one.reads.job({ id: (await one.job("engineer")).id }))!;
  assert.deepEqual(page.missing, []);
  assert.equal(page.branch, "svc/T-0001-make-the-test-pass");
  assert.deepEqual(
    page.turns.map((
      { turn, calls },
    ) => [turn, calls.map(({ tool, status }) => `${tool} ${status}`)]),
    [
      [1, ["file_write ok"]],
      [2, ["check_run ok"]],
      [3, ["file_write denied"]],
      [4, ["git_commit ok"]],
      [5, ["finish ok"]],
    ],
  );
  assert.match(page.turns[1]!.calls[0]!.result, /passed: test/);
  assert.deepEqual(page.denials.map(({ tool, part }) => [tool, part]), [[
    "file_write",
    "guardrails",
  ]]);
  assert.deepEqual(page.checks.map(({ name, outcome }) => [name, outcome]), [
    ["test", "passed"],
    ["test", "passed"],
  ]);
  assert.deepEqual(page.decisions.map(({ rule, next_role, move }) => [rule, next_role, move]), [
    ["roles.engineer.routes.submitted", "qa", "in-progress → review"],
  ]);
  assert.match(page.diff!, /^diff --git a\/fixed\.txt b\/fixed\.txt\n[^]*^\+fixed$/m);
  const verdict = (await one.reads.job({ id: (await one.job("qa")).id }))!;
  assert.equal(verdict.diff, page.diff, "what it has judged");
});

Deno.test("job says which parts could not be read", async () => {
  const one = await shared();
  const { id, trace_path, head_commit } = await one.job("engineer");
  const change = (fields: { trace_path: string | null; head_commit: string | null }) =>
    one.ports.db.updateTable("jobs").set(fields).where("id", "=", id).execute();
  await change({ trace_path: `${one.ports.home.traces}/gone.jsonl`, head_commit: "0".repeat(40) });
  const page = (await one.reads.job({ id }))!;
  assert.deepEqual([page.turns, page.diff, page.missing.length], [[], null, 2]);
  assert.match(page.missing.join("\n"), /trace no longer exists[^]*Cannot compare/);
  await change({ trace_path, head_commit });
});

Deno.test("ticket shows its text, what it needs, and the jobs and decisions about it", async () => {
  const { reads, repoId } = await shared();
  const { ticket, jobs, decisions } = (await reads.ticket({ repo_id: repoId, id: "T-0001" }))!;
  assert.deepEqual([ticket.state, ticket.path], [
    "done",
    "docs/tickets/done/T-0001-make-the-test-pass.md",
  ]);
  assert.match(ticket.body, /## Evidence\n[^]*review → done/);
  assert.deepEqual(jobs.map(({ role }) => role), ["qa", "engineer"]);
  assert.deepEqual(decisions.map(({ move }) => move), ["review → done", "in-progress → review"]);
  const blocked = (await reads.ticket({ repo_id: repoId, id: "T-0002" }))!;
  assert.equal(blocked.ticket.unblock?.owner, "ada");
  // An act upon it names when it was changed last.
  const { tickets } = (await reads.tickets())!;
  const listed = tickets.find(({ id }) => id === "T-0002")!;
  const times = ({ created, updated }: typeof listed | typeof blocked.ticket) => [created, updated];
  assert.deepEqual(times(blocked.ticket), times(listed));
});

Deno.test("debug tells what happened, what was refused and what failed", async () => {
  const { reads } = await shared();
  const { timeline, denials, errors, wishes, log, logs, webhooks } = await reads.debug();
  assert.ok(timeline.length > 10);
  assert.deepEqual(
    timeline.map(({ id }) => id),
    timeline.map(({ id }) => id).sort((a, b) => b - a),
  );
  assert.deepEqual(denials.map(({ tool, role }) => [tool, role]), [["file_write", "engineer"]]);
  assert.deepEqual(errors.map(({ role }) => role), ["ceo"]);
  assert.deepEqual([wishes, webhooks, log], [{ waiting: 0, failing: 0 }, [], "svc.log"]);
  assert.equal(logs, "$SVC_HOME/traces/logs");
});

Deno.test("debug names deliveries and lanes, and counts wishes by whether they met a fault", async () => {
  const { reads, ports: { db }, repoId, repo } = await shared();
  const at = Date.now();
  const lane = { kind: "role", key: roleLane(repoId, "qa"), reason: "it failed thrice" } as const;
  await pauseLane(db, lane, at);
  await pauseLane(db, { ...lane, key: roleLane("ffffffffffff", "qa") }, at);
  const delivery = {
    source: "github",
    event: "push",
    subject: "ada/shop",
    received_at: at,
  } as const;
  const accepted = { outcome: "accepted", reason: null } as const;
  await insertDelivery(db, { ...delivery, ...accepted, id: "d1", repo_id: repoId });
  await insertDelivery(db, { ...delivery, ...accepted, id: "d2", repo_id: "ffffffffffff" });
  for (const head of ["a", "b", "c"]) {
    const draft = { kind: "push", item: { head }, key: head } as const;
    await addRequest(db, { repo_id: repoId, source: "github", event: "push", draft }, at);
  }
  const [first] = await pendingRequests(db, repoId, at, 1);
  await requestWaits(db, first!.id, "a manifest that can be read");
  const { lanes, webhooks, wishes } = parsed(debugRead.shape, await reads.debug());
  assert.deepEqual(lanes.map(({ lane, reason }) => [lane, reason]), [
    [`${repo.path.split("/").at(-1)}/qa`, "it failed thrice"],
  ]);
  assert.deepEqual(webhooks.map(({ id, event, outcome }) => [id, event, outcome]), [
    ["d1", "push", "accepted"],
  ]);
  assert.deepEqual(wishes, { waiting: 2, failing: 1 });
  await resumeLane(db, "role", lane.key);
});

Deno.test("an id that is none names nothing", async () => {
  const { reads, repoId, ports } = await shared();
  const { id } = await ports.db.selectFrom("jobs").select("id").executeTakeFirstOrThrow();
  const odd = ["", "..", "../../etc/passwd", "%", "' OR 1=1", "T-0001", "0".repeat(36)];
  for (const text of [...odd, id.toUpperCase(), `${id} `]) {
    assert.equal(await reads.job({ id: text }), undefined, text);
    assert.equal(await reads["job-trace"]({ id: text }), undefined, text);
    await assert.rejects(() => reads.jobs({ before: text }), /no page gave/, text);
    assert.equal(await reads["repo-roles"]({ repo_id: text }), undefined, text);
    assert.equal(await reads.ticket({ repo_id: text, id: "T-0001" }), undefined, text);
    assert.equal(await reads["orchestration/decisions"]({ repo_id: text }), undefined, text);
    await assert.rejects(() => reads.jobs({ repo_id: text }), /unknown repo/, text);
  }
  for (
    const text of ["", "1", "t-0001", "T-1", "T-0404", "T-0001/../..", "../T-0001", "T-0001\n"]
  ) {
    assert.equal(await reads.ticket({ repo_id: repoId, id: text }), undefined, text);
  }
});

Deno.test("a service without repos tells of none, whatever the database holds", async () => {
  const one = await shared();
  const reads = readsOf(one.ports, { repos: () => Promise.resolve([]) });
  const { id } = await one.job("engineer");
  assert.equal(await reads.job({ id }), undefined);
  assert.equal(await reads["job-trace"]({ id }), undefined);
  assert.equal(await reads["job-trace-text"]({ id, step: "0", part: "message.0" }), undefined);
  assert.equal(await reads.ticket({ repo_id: one.repoId, id: "T-0001" }), undefined);
  assert.equal(await reads["quality-score"](), undefined);
  const text = JSON.stringify([
    ...[await reads.repos(), await reads.jobs(), await reads["orchestration/decisions"]()],
    ...[await reads.pipeline(), await reads.orchestration(), await reads.debug()],
    ...[await reads.roles(), await reads.throughput(), await reads.telemetry()],
  ]);
  assert.equal(text.includes(one.repoId), false);
  assert.equal(text.includes("engineer"), false);
});

Deno.test("a confined Worker of an observer reads the same through its broker", async () => {
  const { ports, repo, repoId, reads: plain, job } = await shared();
  const home = ports.home.worktrees;
  await using worker = confined({ repos: [repo.path], home, profile: "observer" });
  const { git, folder, readTree, worktrees } = worker;
  const reads = readsOf({ ...ports, git, folder, readTree, worktrees });
  const { id } = await job("engineer");
  assert.deepEqual(await reads.job({ id }), await plain.job({ id }));
  assert.deepEqual(await reads["job-trace"]({ id }), await plain["job-trace"]({ id }));
  assert.deepEqual(
    await reads.ticket({ repo_id: repoId, id: "T-0001" }),
    await plain.ticket({ repo_id: repoId, id: "T-0001" }),
  );
  assert.deepEqual((await reads.pipeline()).cards, (await plain.pipeline()).cards);
  assert.deepEqual(await reads.evolution(), await plain.evolution());
  assert.deepEqual(
    await reads["repo-roles"]({ repo_id: repoId }),
    await plain["repo-roles"]({ repo_id: repoId }),
  );
});

Deno.test("a repo whose folder is gone is told of as broken, with the rest as it was", async () => {
  const { ports, repo, repoId } = await shared();
  const reads = readsOf(ports); // one that has looked at it just now tells what it saw
  await Deno.rename(repo.path, `${repo.path}-moved`);
  try {
    const { cards, repos } = await reads.pipeline();
    const broken = cards.filter(({ zone }) => zone === "failing").map(({ title }) => title);
    assert.ok(broken.includes("The manifest does not count"), broken.join());
    assert.ok(repos[0]!.problem);
    assert.equal(JSON.stringify([cards, repos]).includes(ports.home.root), false);
    assert.equal(JSON.stringify([cards, repos]).includes(repo.path), false);
    const { id } = await ports.db.selectFrom("jobs").select("id")
      .where("role", "=", "engineer").executeTakeFirstOrThrow();
    const page = (await reads.job({ id }))!;
    assert.equal(page.turns.length, 5);
    assert.equal(page.missing.length, 1);
    // An empty list would say that the repo has no roles.
    const roles = reads["repo-roles"]({ repo_id: repoId });
    const { http, message } = Failure.from(await roles.catch((thrown) => thrown));
    assert.equal(http, 400);
    assert.match(message, /^Cannot open folder "[^/"]+": no such file or folder$/);
  } finally {
    await Deno.rename(`${repo.path}-moved`, repo.path);
  }
});

verifies(
  [
    "4.3:repos:lists-id-and-basename",
    "4.3:repo-roles:lists-names",
    "4.3:orchestration:shape",
    "4.3:orchestration-decisions:shape",
  ],
  "a dashboard answers repos, roles, orchestration and decisions from what is stored",
  async () => {
    const { ports, repoId, repo } = await shared();
    const service = startService({ ports, shape: "serve", repos: reposIn(ports) });
    const reads = readsOf(ports, { service });
    const secret = "0123456789abcdef0123456789abcdef";
    const { clock, db, log } = ports;
    const plan = { addr: "127.0.0.1:0", clock, log, service, reads, secret };
    const listener = dashboardListener({ ...plan, assets: () => undefined });
    const origin = `http://127.0.0.1:${listener.address.port}`;
    try {
      const entered = await fetch(`${origin}/api/login`, {
        method: "POST",
        headers: { origin, "content-type": "application/json" },
        body: JSON.stringify({ secret }),
      });
      await entered.body?.cancel();
      const cookie = entered.headers.get("set-cookie")!.split(";")[0]!;
      const ask = async (path: string) => {
        const response = await fetch(`${origin}${path}`, { headers: { cookie } });
        assert.equal(response.status, 200, path);
        return await response.json();
      };
      const named = { id: repoId, basename: repo.path.split("/").at(-1) };
      assert.deepEqual(await ask("/api/repos"), [named]);
      assert.deepEqual(
        await ask(`/api/repo-roles?repo_id=${repoId}`),
        ["ceo", "orchestrator", "engineer", "qa", "gardener"],
      );
      const orchestration = parsed(orchestrationRead.shape, await ask("/api/orchestration"));
      assert.deepEqual(Object.keys(orchestration).sort(), ["decisions", "dispositions", "repos"]);
      assert.equal(orchestration.decisions.length, 4);
      assert.equal(orchestration.dispositions.length, 4);
      const { decisions } = await ask("/api/orchestration/decisions");
      assert.deepEqual(decisions, orchestration.decisions);
      const [row] = await db.selectFrom("decisions").selectAll().limit(1).execute();
      const strange = { ...row!, id: crypto.randomUUID(), repo_id: "ffffffffffff" };
      await db.insertInto("decisions").values(strange).execute();
      const own = await ask(`/api/orchestration/decisions?repo_id=${repoId}`);
      assert.deepEqual(own.decisions, decisions);
    } finally {
      await listener.stop(0);
      await service.stop({ graceMs: 0 });
      await service.done;
    }
  },
);

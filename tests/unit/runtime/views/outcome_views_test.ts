/** What the pages of outcomes say of a life of a ticket that a real engine carried out. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import { pauseLane, roleLane } from "svc/features/jobs/lane_store.ts";
import { eventsAfter, recordEvent } from "svc/features/telemetry/event_store.ts";
import { setTrust } from "svc/features/trust/trust_store.ts";
import { evolutionRead } from "svc/runtime/views/evolution_view.ts";
import { rolesRead } from "svc/runtime/views/roles_view.ts";
import { telemetryRead } from "svc/runtime/views/telemetry_view.ts";
import { NoLongerThere } from "svc/runtime/views/read.ts";
import { throughputRead } from "svc/runtime/views/throughput_view.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { call, ENGINEER, finish, ORCHESTRATOR, QA, turns } from "tests/unit/runtime/team.ts";
import { parsed } from "./answers.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { readsOf } from "./site.ts";

verifies(
  ["4.3:roles:shape", "4.3:throughput:shape", "4.3:telemetry:shape", "4.3:evolution:shape"],
  "pages of outcomes tell a ticket that was sent back once, then merged",
  async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    const again = turns(
      call("file_write", { path: "more.txt", content: "more\n" }),
      call("git_commit", { message: "fix: say more" }),
      finish("submitted"),
    );
    const sentBack = turns(finish("changes_requested", { evidence: "more.txt is missing" }));
    await using endpoint = modelEndpoint({
      roles: { orchestrator: ORCHESTRATOR, engineer: [ENGINEER, again], qa: [sentBack, QA] },
    });
    const id = await registered(ports, repo.path);
    await ticketed(ports, repo.path);
    await queued(ports, id, "orchestrator");
    await carryOut(ports, endpoint.url);
    const reads = readsOf(ports);

    const roles = parsed(rolesRead.shape, await reads.roles());
    const of = (role: string) => roles.roles.find((one) => one.role === role)!;
    assert.deepEqual(roles.roles.map(({ role }) => role), [
      ...["ceo", "orchestrator", "engineer", "qa", "gardener"],
    ]);
    const counts = (role: string) => [of(role).successes, of(role).failures, of(role).score];
    assert.deepEqual(counts("engineer"), [1, 1, null]);
    assert.deepEqual(counts("qa"), [2, 0, null]);
    assert.deepEqual(counts("orchestrator"), [1, 0, null]);
    assert.deepEqual(of("engineer").categories, [{ category: "rework", count: 1 }]);
    assert.deepEqual([of("qa").trust, of("qa").trust_source], ["contributor", "manifest"]);
    assert.ok(of("engineer").tokens > 0 && of("engineer").last_job !== null);

    const { summary, hourly, recent_jobs } = parsed(throughputRead.shape, await reads.throughput());
    assert.equal(hourly.length, 24);
    assert.deepEqual([summary.tickets_done, summary.rework_rate], [1, 1]);
    assert.ok(summary.lead_time_secs !== null && summary.tokens_per_accepted_ticket! > 0);
    assert.deepEqual([summary.pending, summary.running, summary.queue_age_secs], [0, 0, null]);
    // At the turn of an hour they are spread over two.
    assert.equal(summary.completed, recent_jobs.length);

    const telemetry = parsed(telemetryRead.shape, await reads.telemetry());
    const { types } = telemetry.stats;
    assert.equal(types["decision"], recent_jobs.length);
    assert.ok(types["score_update"]! >= recent_jobs.length);
    assert.deepEqual(telemetry.stats.categories, {});
    assert.ok(telemetry.events.every(({ type }) => type !== "job_turn"));

    const updates = (await eventsAfter(ports.db, 0, 1000))
      .filter(({ type }) => type === "score_update").map(({ data }) => JSON.parse(data));
    // Told once the merge was done, when the next job ended.
    const last = (role: string) => updates.findLast((update) => update.role === role);
    assert.deepEqual(last("engineer"), { repo_id: id, role: "engineer", score: null, samples: 2 });
    assert.deepEqual(last("qa"), { repo_id: id, role: "qa", score: null, samples: 2 });

    const evolution = parsed(evolutionRead.shape, await reads.evolution());
    assert.deepEqual(evolution.evolutions.map(({ kind, what }) => [kind, what]), [
      ["harness", "The harness was changed: first"],
    ]);
    assert.deepEqual(evolution.telemetry.map(({ category, count }) => [category, count]), [
      ["rework", 1],
    ]);
    assert.deepEqual(evolution.patterns, []);
  },
);

Deno.test("evolution joins trust, tools, lanes, scores and what keeps going wrong", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const { db } = ports;
  const id = await registered(ports, repo.path);
  const now = ports.clock.now();
  const stuck = { disposition: "stuck", category: "stuck" } as const;
  for (let nth = 1; nth <= 5; nth++) {
    const reason = `the same call came ${nth} times in ${repo.path}`;
    await endedJob(db, { repoId: id, role: "engineer", ...stuck, reason, at: now - nth * 1000 });
  }
  const trust = { role: "qa", level: "observer", manifestLevel: "contributor" } as const;
  await setTrust(db, { repoId: id, ...trust, reason: "looks only", who: "ada" }, now);
  const lane = { kind: "role", key: roleLane(id, "engineer"), reason: "3 failed" } as const;
  await pauseLane(db, lane, now - 1);
  // A repo that the views may not tell of.
  const other = { repoId: await repoId("/elsewhere"), role: "spy", ...stuck };
  await endedJob(db, { ...other, at: now });
  await endedJob(db, { ...other, at: now });

  const evolution = parsed(evolutionRead.shape, await readsOf(ports).evolution());
  const kinds = evolution.evolutions.map(({ kind, what, who }) => `${kind}: ${what} (${who})`);
  assert.deepEqual(kinds, [
    "trust: qa was set from contributor to observer (ada)",
    "lane: engineer is paused until a person resumes it (svc)",
    "harness: The harness was changed: first (Ada)",
  ]);
  const [pattern, ...others] = evolution.patterns;
  assert.deepEqual(others, []);
  assert.deepEqual([pattern!.role, pattern!.category, pattern!.count], ["engineer", "stuck", 5]);
  assert.match(pattern!.signature, /^the same call came <n> times in /);
  assert.match(pattern!.advice, /Read the newest trace/);

  const roles = parsed(rolesRead.shape, await readsOf(ports).roles());
  const engineer = roles.roles.find(({ role }) => role === "engineer")!;
  assert.deepEqual([engineer.score, engineer.upper, engineer.samples], [0, 43.4, 5]);
  const qa = roles.roles.find(({ role }) => role === "qa")!;
  assert.deepEqual([qa.trust, qa.trust_source], ["observer", "override: looks only"]);
  assert.deepEqual(qa.audit.map(({ from, to, who }) => [from, to, who]), [
    ["contributor", "observer", "ada"],
  ]);
});

Deno.test("outcomes and history are read again for what happened, and for nothing else", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const id = await registered(ports, repo.path);
  const end = () =>
    endedJob(ports.db, {
      repoId: id,
      role: "engineer",
      disposition: "stuck",
      category: "stuck",
      at: ports.clock.now(),
    });
  for (let nth = 0; nth < 5; nth++) await end();
  const asked: string[] = [];
  const db = ports.db.withPlugin({
    transformQuery({ node, queryId }) {
      const { sql } = ports.db.getExecutor().compileQuery(node, queryId);
      if (sql.includes("jobs_ended")) asked.push("outcomes");
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  const git = {
    ...ports.git,
    async open(...where: Parameters<typeof ports.git.open>) {
      const opened = await ports.git.open(...where);
      return {
        ...opened,
        log(...query: Parameters<typeof opened.log>) {
          asked.push("history");
          return opened.log(...query);
        },
      };
    },
  };
  const reads = readsOf({ ...ports, db, git });
  const now = async () => [await reads.roles(), await reads.evolution()] as const;
  const first = await now();
  assert.deepEqual(asked.splice(0).sort(), ["history", "outcomes"]);
  assert.deepEqual(await now(), first);
  assert.deepEqual(asked, []);

  await end();
  await recordEvent(ports.db, { type: "job_update", repoId: id, data: {} }, 1);
  const [{ roles }, { patterns }] = await now();
  assert.equal(roles.find(({ role }) => role === "engineer")?.samples, 6);
  assert.equal(patterns[0]?.count, 6);
  assert.deepEqual(asked.splice(0), ["outcomes"]);

  await repo.write(".harness/note.md", "mind the gap\n");
  await repo.git("add", ".harness");
  await repo.git("commit", "--quiet", "--message", "docs: a note");
  const [, { evolutions }] = await now();
  assert.equal(evolutions[0]?.what, "The harness was changed: docs: a note");
  assert.deepEqual(asked, ["history"]);
});

verifies(
  ["4.3:quality-score:which-repo", "7:status-404:no-quality-score"],
  "the quality score is of the scoped repo, or else of the one registered first, and writes nothing",
  async () => {
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    assert.equal(await readsOf(ports)["quality-score"](), undefined);
    await using first = await harnessedRepo({ files: { "zoo/lion.ts": "export {};\n" } });
    await using second = await harnessedRepo({ files: { "ark/dove.ts": "export {};\n" } });
    await registered(ports, first.path);
    await ports.db.updateTable("repos").set({ created_at: 1 }).execute();
    await registered(ports, second.path);
    const page = await readsOf(ports)["quality-score"]();
    assert.match(page!, /^# Quality score$/m);
    assert.match(page!, /^\| zoo +\|/m);
    assert.doesNotMatch(page!, /^\| ark +\|/m);
    // The database serves more repos than the one that the dashboard was started for.
    const repos = async () =>
      (await listRepos(ports.db)).filter(({ path }) => path === second.path);
    const scoped = await readsOf(ports, { repos })["quality-score"]();
    assert.match(scoped!, /^\| ark +\|/m);
    assert.doesNotMatch(scoped!, /^\| zoo +\|/m);
    assert.equal(await first.git("status", "--porcelain"), "");
    // Notes that somebody wrote are shown.
    await first.write(
      "docs/QUALITY_SCORE.md",
      page!.replace("Write here", "Mind the gap; write here"),
    );
    assert.match((await readsOf(ports)["quality-score"]())!, /Mind the gap/);
    // The first cannot be read for a while; then none can.
    await Deno.rename(first.path, `${first.path}-away`);
    assert.match((await readsOf(ports)["quality-score"]())!, /^\| ark +\|/m);
    await Deno.rename(second.path, `${second.path}-away`);
    const failure = Failure.from(await readsOf(ports)["quality-score"]().catch((why) => why));
    await Promise.all(
      [first, second].map(({ path }) => Deno.rename(`${path}-away`, path)),
    );
    assert.ok(failure instanceof NoLongerThere); // which is answered with 404
    assert.match(failure.message, /^Cannot open the repo "[^/"]+"/);
  },
);

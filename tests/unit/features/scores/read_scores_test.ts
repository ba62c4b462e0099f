/** Outcomes as a real database has them. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { endedJobs } from "svc/features/scores/outcome_rows.ts";
import { readScores } from "svc/features/scores/read_scores.ts";
import { tellScores } from "svc/features/scores/score_events.ts";
import { doneTickets, timedJobs, waitsSince } from "svc/features/scores/throughput.ts";
import { enqueue } from "svc/features/jobs/job_store.ts";
import { recordEvents } from "svc/features/telemetry/event_store.ts";
import { recentEvents } from "svc/features/telemetry/event_views.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { openTestStore } from "tests/unit/store/temp_store.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const REPO = "0123456789ab";
const OTHER = "ba9876543210";
const NOW = Date.parse("2026-06-01T12:00:00Z");
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

async function database() {
  const folder = await tempFolder();
  const store = await openTestStore({ clock: systemClock }, `${folder.path}/svc.db`);
  return {
    db: store.db,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

Deno.test("readScores reads verdicts, merges and followers of one repo", async () => {
  await using held = await database();
  const { db } = held;
  const on = { repoId: REPO, ticket: "T-0001" } as const;
  const submitted = { ...on, role: "engineer", disposition: "submitted" } as const;
  await endedJob(db, { ...submitted, at: NOW - 4000 });
  await endedJob(db, { ...on, role: "qa", disposition: "changes_requested", at: NOW - 3000 });
  await endedJob(db, { ...submitted, at: NOW - 2000 });
  await endedJob(db, { ...on, role: "qa", disposition: "approved", owed: "done", at: NOW - 1000 });
  const plan = { repoId: REPO, role: "ceo", disposition: "planned" } as const;
  await endedJob(db, { ...plan, next: { role: "orchestrator", began: true }, at: NOW - 900 });
  await endedJob(db, { ...plan, next: { role: "orchestrator", began: false }, at: NOW - 800 });
  await endedJob(db, { ...plan, disposition: "stuck", applied: false, at: NOW - 700 });
  await endedJob(db, { ...submitted, repoId: OTHER, at: NOW - 600 });
  const { scores } = await readScores(db, { repoId: REPO, roles: ["qa"], now: NOW });
  assert.deepEqual(
    scores.map(({ role, successes, failures, open }) =>
      [role, successes, failures, open].join(" ")
    ),
    ["qa 2 0 0", "ceo 1 0 1", "engineer 1 1 0"],
  );
  const engineer = scores.find(({ role }) => role === "engineer")!;
  assert.deepEqual([engineer.medianMs, engineer.tokens], [60_000, 2000]);
  assert.deepEqual(engineer.categories[0]!.tickets, ["T-0001"]);
});

Deno.test("endedJobs gives the newest ones, and none that is older than asked for", async () => {
  await using held = await database();
  const { db } = held;
  for (const days of [1, 2, 3]) {
    await endedJob(db, {
      ...{ repoId: REPO, role: "ceo", disposition: "reported", at: NOW - days * DAY_MS },
    });
  }
  const ends = async (since: number, limit?: number) =>
    (await endedJobs(db, { repoId: REPO, since, ...(limit !== undefined && { limit }) }))
      .map(({ finishedAt }) => (NOW - finishedAt) / DAY_MS);
  assert.deepEqual(await ends(0), [1, 2, 3]);
  assert.deepEqual(await ends(NOW - 2 * DAY_MS), [1, 2]);
  assert.deepEqual(await ends(0, 1), [1]);
});

Deno.test("tellScores tells of the job's role each time, and of others when they changed", async () => {
  await using held = await database();
  const { db } = held;
  const on = { repoId: REPO, ticket: "T-0001" } as const;
  const told = async () =>
    (await recentEvents(db, 100, ["score_update"])).reverse().map(({ data }) => {
      const { role, score, samples } = JSON.parse(data);
      return `${role} ${score} ${samples}`;
    });
  const work = { ...on, role: "engineer", disposition: "submitted", at: NOW - 2000 } as const;
  await tellScores(db, { id: await endedJob(db, work), repo_id: REPO, role: "engineer" }, NOW);
  assert.deepEqual(await told(), ["engineer null 0"]);
  const verdict = { ...on, role: "qa", disposition: "approved", owed: "done", at: NOW } as const;
  const judged = { id: await endedJob(db, verdict), repo_id: REPO, role: "qa" };
  await tellScores(db, judged, NOW);
  await tellScores(db, judged, NOW);
  const [first, ...later] = await told();
  assert.equal(first, "engineer null 0");
  assert.deepEqual(later.toSorted(), ["engineer null 1", "qa null 1", "qa null 1"]);
});

Deno.test("what a busy repo's jobs did to its scores hides no other repo's", async () => {
  await using held = await database();
  const { db } = held;
  const work = { repoId: REPO, ticket: "T-0001", role: "engineer", at: NOW - 2000 } as const;
  const submitted = await endedJob(db, { ...work, disposition: "submitted" });
  await tellScores(db, { id: submitted, repo_id: REPO, role: "engineer" }, NOW);
  const verdict = { ...work, role: "qa", disposition: "approved", owed: "done", at: NOW } as const;
  const judged = { id: await endedJob(db, verdict), repo_id: REPO, role: "qa" };
  await tellScores(db, judged, NOW);
  const data = (role: string) => ({ repo_id: OTHER, role, score: null, samples: 0 });
  const events = Array.from({ length: 300 }, (_, n) => data(n % 2 === 0 ? "qa" : "ceo"));
  await recordEvents(
    db,
    events.map((data) => ({ type: "score_update", repoId: OTHER, data })),
    NOW,
  );
  const told = async () =>
    (await recentEvents(db, 1000, ["score_update"])).filter(({ repo_id }) => repo_id === REPO)
      .reverse().map(({ data }) => JSON.parse(data).role);
  const before = await told();
  await tellScores(db, judged, NOW);
  assert.deepEqual((await told()).slice(before.length), ["qa"]);
});

Deno.test("throughput rows tell what ended, what goes on, what is done and what waits", async () => {
  await using held = await database();
  const { db } = held;
  const on = { repoId: REPO, ticket: "T-0001", tokens: 50 } as const;
  await endedJob(db, { ...on, role: "engineer", disposition: "submitted", at: NOW - 30 * HOUR_MS });
  await endedJob(db, { ...on, role: "qa", disposition: "changes_requested", at: NOW - 3000 });
  await endedJob(db, { ...on, role: "qa", disposition: "approved", owed: "done", at: NOW - 1000 });
  await endedJob(db, {
    ...{ repoId: REPO, role: "ceo", disposition: "planned", at: NOW - 500 },
    next: { role: "orchestrator", began: true },
  });
  const jobs = await timedJobs(db, REPO, NOW - 24 * HOUR_MS);
  assert.deepEqual(jobs.map(({ status }) => status), [
    ...["completed", "completed", "completed", "running"],
  ]);
  assert.deepEqual(await doneTickets(db, REPO, NOW - HOUR_MS), [{
    ...{ doneAt: NOW - 1000, beganAt: NOW - 30 * HOUR_MS - 60_000, tokens: 150, requests: 1 },
    ticket_id: "T-0001",
  }]);
  assert.deepEqual(await doneTickets(db, REPO, NOW), []);
  assert.equal(await waitsSince(db, REPO, NOW), undefined);
  const asked = { repo_id: REPO, role: "qa", trigger: "manual", source_trust: "observer" } as const;
  await enqueue(db, { ...asked, run_after: NOW - 700 }, NOW - 800);
  await enqueue(db, { ...asked, run_after: NOW + 700 }, NOW - 900);
  assert.equal(await waitsSince(db, REPO, NOW), NOW - 700);
});

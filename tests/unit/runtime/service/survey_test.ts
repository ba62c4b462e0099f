import { claimNext } from "svc/features/jobs/job_store.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import assert from "node:assert/strict";
import {
  runSurvey,
  SURVEY_MS,
  surveyDelay,
  type Surveyed,
  surveyRepos,
} from "svc/runtime/service/survey.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import {
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  reposIn,
} from "tests/unit/runtime/engine_place.ts";
import { ticketed, ticketsOf } from "tests/unit/runtime/engine_place.ts";

interface Plan {
  readonly manifest?: (text: string) => string;
  readonly profile?: "observer";
}

async function place({ manifest, profile }: Plan = {}) {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo(manifest && { manifest }));
  const base = parts.use(await tempFolder());
  const ports = {
    ...parts.use(await enginePorts(base.path, profile && { profile })),
    signal: new AbortController().signal,
  };
  const id = await registered(ports, repo.path);
  const opener = new RepoOpener(ports);
  const open: RepoOpener["open"] = (...row) => opener.open(...row);
  const plan = { repos: reposIn(ports), open };
  return { parts, repo, ports, id, plan, survey: () => surveyRepos(ports, plan) };
}

Deno.test("surveyRepos queues the dispatcher once for tickets that nobody began", async () => {
  const { parts, repo, ports, survey } = await place();
  await using _parts = parts;
  assert.equal((await survey())[0]!.idle, "no ticket can be started");
  await ticketed(ports, repo.path);
  const [first] = await survey();
  assert.equal(first!.queued?.role, "orchestrator");
  assert.deepEqual(first!.startable, ["T-0001"]);
  const [second] = await survey();
  assert.match(second!.idle!, /^job .* of "orchestrator" is live$/);
  assert.deepEqual(await jobLines(ports), ["orchestrator - pending -"]);
});

for (const role of ["engineer", "qa", "ceo"]) {
  Deno.test(`surveyRepos queues nothing while a job of "${role}" is live`, async () => {
    const { parts, repo, ports, id, survey } = await place();
    await using _parts = parts;
    await ticketed(ports, repo.path);
    await queued(ports, id, role);
    assert.match((await survey())[0]!.idle!, new RegExp(`of "${role}" is live`));
  });
}

Deno.test("surveyRepos hands out beside jobs of a parallel role, one ahead of a free place", async () => {
  const { parts, repo, ports, id, survey } = await place({
    manifest: (text) => text.replace(/^ {2}engineer:\n/m, "$&    parallel: true\n"),
  });
  await using _parts = parts;
  await ticketed(ports, repo.path);
  await queued(ports, id, "qa");
  const job = await queued(ports, id, "engineer");
  assert.match((await survey())[0]!.idle!, /of "engineer" is live/);
  await claimNext(ports.db, { owner: "a worker", now: ports.clock.now(), jobId: job.id });
  assert.equal((await survey())[0]!.queued?.role, "orchestrator");
  assert.match((await survey())[0]!.idle!, /of "orchestrator" is live/);
});

Deno.test("surveyRepos leaves dispatch to a person where the manifest says so, and on another branch", async () => {
  const { parts, repo, ports, survey } = await place({
    manifest: (text) => text.replace("mode: routed", "mode: manual"),
  });
  await using _parts = parts;
  await ticketed(ports, repo.path);
  assert.equal((await survey())[0]!.idle, "dispatch.mode is manual");
  await repo.git("switch", "--quiet", "--create", "mine");
  assert.equal((await survey())[0]!.idle, 'it waits for "main" to be checked out: "mine" is');
  assert.deepEqual(await jobLines(ports), []);
});

Deno.test("surveyRepos names stale tickets, broken ones, and rings", async () => {
  const { parts, repo, ports, survey } = await place();
  await using _parts = parts;
  await ticketed(ports, repo.path);
  await ticketed(ports, repo.path, { title: "Second", depends_on: ["T-0001"] });
  const [one, two] = await ticketsOf(ports, repo.path);
  const text = await repo.read(one!.path);
  const old = text.replace(/^updated:.*$/m, "updated: 2026-01-01T00:00:00Z")
    .replace(/^depends_on:.*$/m, "depends_on: [T-0002]");
  await Deno.mkdir(`${repo.path}/docs/tickets/in-progress`, { recursive: true });
  await Deno.remove(`${repo.path}/${one!.path}`);
  await Deno.writeTextFile(`${repo.path}/docs/tickets/in-progress/T-0001-x.md`, old);
  await Deno.writeTextFile(`${repo.path}/docs/tickets/backlog/T-0009-y.md`, "no front\n");
  const [found] = await survey();
  assert.deepEqual(found!.stale, ["T-0001"]);
  assert.equal(found!.problems.length, 2);
  assert.match(found!.problems[0]!, /T-0009-y/);
  assert.equal(found!.problems[1], `tickets wait for each other: T-0001 → ${two!.id}`);
});

Deno.test("surveyRepos goes on with the others when one repo fails", async () => {
  const { parts, repo, ports, survey } = await place();
  await using _parts = parts;
  const gone = await harnessedRepo();
  await registered(ports, gone.path);
  const broken = parts.use(await harnessedRepo({ manifest: () => "version: 7\n" }));
  await registered(ports, broken.path);
  await gone[Symbol.asyncDispose]();
  await ticketed(ports, repo.path);
  const found = new Map((await survey()).map((one) => [one.repo, one]));
  assert.equal(found.size, 3);
  assert.equal(found.get(repo.path)!.queued?.role, "orchestrator");
  assert.equal(found.get(gone.path)!.problems.length, 1);
  assert.match(found.get(broken.path)!.problems[0]!, /manifest\.yaml/);
  assert.equal(found.get(broken.path)!.idle, "it has no manifest that counts");
});

Deno.test("surveyRepos hands a ticket out once only where nothing is moved", async () => {
  const { parts, repo, ports, id, survey } = await place({ profile: "observer" });
  await using _parts = parts;
  await ticketed(ports, repo.path);
  await plainGit(repo.path, ["switch", "--quiet", "--create", "elsewhere"]); // no matter to it
  await ports.db.insertInto("decisions").values({
    ...{ id: crypto.randomUUID(), repo_id: id, job_id: crypto.randomUUID(), role: "engineer" },
    ...{ at: ports.clock.now() + 1000, ticket_id: "T-0001", disposition: "submitted" },
    ...{ rule: "r", inputs: "{}", refused: "[]", move: null, next_role: null, next_job: null },
    ...{ stop: "over", applied: 0 },
  }).execute();
  assert.equal((await survey())[0]!.idle, "no ticket can be started");
});

Deno.test("surveyDelay lies within a fifth of half an hour", () => {
  assert.equal(surveyDelay(0), SURVEY_MS * 0.8);
  assert.equal(surveyDelay(0.5), SURVEY_MS);
  assert.ok(surveyDelay(0.999) < SURVEY_MS * 1.2);
});

verifies(
  "1:serve:survey-loop",
  "runSurvey looks at once, wakes for what it queued, and outlives a look that fails",
  async () => {
    const { parts, repo, ports, plan } = await place();
    await using _parts = parts;
    await ticketed(ports, repo.path);
    const stop = new AbortController();
    const slept: number[] = [];
    const said: (readonly Surveyed[])[] = [];
    let [woken, asked] = [0, 0];
    const clock = {
      ...ports.clock,
      sleep(ms: number) {
        if (slept.push(ms) === 3) stop.abort();
        return Promise.resolve();
      },
    };
    await runSurvey({ ...ports, clock, signal: stop.signal }, {
      open: plan.open,
      repos: () => ++asked === 2 ? Promise.reject(new Error("busy")) : plan.repos(),
      wake: () => void woken++,
      on: (surveyed) => void said.push(surveyed),
      random: () => 0.5,
    });
    assert.deepEqual(slept, [SURVEY_MS, SURVEY_MS, SURVEY_MS]);
    assert.deepEqual([woken, asked, said.length], [1, 3, 2]);
  },
);

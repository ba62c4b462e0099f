/** What a living `svc serve` does when its dashboard's API is asked, with two repos and a scripted model. */
import assert from "node:assert/strict";
import { Dashboard } from "demo/dashboard.ts";
import type { JobTrace } from "svc/runtime/views/job_trace_view.ts";
import { OPERATIONS } from "svc/http/api.ts";
import type { Jobs } from "svc/runtime/views/jobs_view.ts";
import type { Pipeline } from "svc/runtime/views/pipeline_view.ts";
import { assertAbsent, CANARIES, filesBelow } from "tests/kit/canaries.ts";
import { EventListener } from "tests/kit/event_listener.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { HOST, runSite } from "tests/kit/run_site.ts";
import { serving } from "tests/kit/service_site.ts";
import { until } from "tests/kit/until.ts";
import { rows } from "tests/kit/database_rows.ts";
import { verifies } from "tests/kit/verifies.ts";
import { harnessedRepo } from "tests/unit/runtime/engine_place.ts";
import { call, finish, TEAM, turns } from "tests/unit/runtime/team.ts";

const SECRET = "canary-of-the-control-secret-7f3a91c2e5d8";

/** A check that tells all that the program was started with. */
const NOSY = "tr '\\0' '\\n' < /proc/$PPID/environ; test -e fixed.txt\n";

const NEXT_TO_NOTHING = turns(finish("no_work"));
/** It never calls a tool: a failure of the category "stuck", which is counted. */
const SILENT = [{ always: true, reply: { text: "Well, well." } }];

/** Two minutes ago, as a schedule of every day. */
const DUE = new Date(Date.now() - 120_000);
const SCHEDULE = `${DUE.getUTCMinutes()} ${DUE.getUTCHours()} * * *`;

/** With the gardener's prompt, and so with its words. */
const POET = `
  poet:
    prompt: roles/gardener.md
    tier: small
    tools: [finish]
    triggers: [{ on: manual }, { on: cron, schedule: "${SCHEDULE}", time_zone: UTC }]
    routes: { no_work: { stop: nothing to say } }`;

/** What a careless engineer reads, and says. */
const KEYS = CANARIES.filter(({ kind, value }) => kind === "structured" && !value.includes("\n"));
const CARELESS = turns(
  call("file_read", { path: "keys.txt" }),
  call("file_write", { path: "fixed.txt", content: "fixed\n" }),
  call("check_run", { name: "test" }),
  call("git_commit", { message: "fix: make the test pass" }),
  finish("submitted", { evidence: KEYS.slice(0, 20).map(({ line }) => line).join("\n") }),
);

verifies(
  [
    "1:serve:schedules",
    "1:serve:survey-loop",
    "2.1:shared-database:holds-serve-state",
    "2.2:registered-repo:path-not-exposed",
    "2.2:role:defined-in-manifest",
    "3.1:runtime-condition:closed-list",
    "3.2:restart:listeners-stay-up",
    "3.2:stop:normal-cancellation",
    "4.3:healthz:orchestrator-health",
    "4.3:pause:pauses-claims",
    "4.3:read-apis:exist-under-serve",
    "4.3:restart:warm",
    "4.3:resume:resumes-claims",
    "4.3:run-role:enqueues-manual-run",
    "4.3:scan:registered-repo",
    "4.3:stop:graceful",
    "5:control-secret:environment-variable",
    "5:control-secret:never-written",
    "6:ingress:cron",
    "6:runtime-events:telemetry",
    "6:scan-complete:after-dashboard-scan",
  ],
  "svc serve is paused, resumed, begun anew, asked for runs and scans, read and stopped over HTTP",
  async () => {
    let answered = Promise.resolve();
    const held = () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      answered = promise;
      return resolve;
    };
    const gardener = [SILENT, NEXT_TO_NOTHING];
    const roles = { ...TEAM.roles, engineer: CARELESS, gardener };
    await using model = modelEndpoint({ roles }, { pace: () => answered });
    await using site = await runSite({ scenario: {}, harness: false });
    const keys = KEYS.map(({ line }) => `${line}\n`).join("");
    await using one = await harnessedRepo({ files: { "test.sh": NOSY, "keys.txt": keys } });
    await using two = await harnessedRepo({
      manifest: (text) => text.replace(/^roles:$/m, `roles:${POET}`),
    });
    for (const { path } of [one, two]) {
      assert.equal((await site.svc("register", "--repo", path)).code, 0);
    }
    const words = ["tickets", "new", "--title", "Make the test pass", "--repo", one.path];
    const made = await site.svc(...words);
    assert.equal(made.code, 0, made.stderr);
    const database = `${site.env.HOME}/.svc-harness/db/svc.db`;
    const ids = Object.fromEntries(
      rows(database, "SELECT id, path FROM repos").map(({ id, path }) => [path, id]),
    );
    const [first, second] = [ids[one.path], ids[two.path]];
    // As if the last process had gone five minutes ago.
    const schedule = `'${second}', 'poet', '${SCHEDULE} UTC', ${Date.now() - 300_000}`;
    rows(database, `INSERT INTO schedules VALUES (${schedule})`);

    await using svc = serving({
      cwd: "/",
      env: { ...site.env, SVC_DASHBOARD_CONTROL_SECRET: SECRET },
      args: [
        ...["serve", "--json", "--model-endpoint", model.url, ...HOST],
        ...["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"],
      ],
    });
    const { dashboard_url, control_url, database: used } = await svc.first;
    assert.equal(used, database);
    const health = async () => {
      const response = await fetch(`${control_url}/healthz`);
      return { status: response.status, ...await response.json() };
    };
    const dashboard = new Dashboard(dashboard_url);
    await dashboard.login(SECRET);
    const stream = new EventListener(dashboard);
    const control = async (path: string, body?: unknown) => {
      const response = await dashboard.post(path, body);
      return { status: response.status, ...await response.json() };
    };

    // Nobody asked: the survey hands out the ticket, and the schedule brings the poet.
    await stream.first(
      "the ticket's end",
      (type, { ticket_id, to }) =>
        type === "ticket_update" && ticket_id === "T-0001" && to === "done",
    );
    const failure = await stream.first("a failure", (type) => type === "telemetry");
    assert.deepEqual(failure.data, { category: "stuck", role: "poet", repo_id: second });
    await svc.said(/orchestrator looks for work/);
    await svc.said(/schedule ".* UTC" of poet: queued job/);
    await stream.first(
      "the end of it all",
      (type, { rule }) => type === "decision" && rule === "roles.orchestrator.routes.no_work",
    );

    // A pause holds for what a person asks for too.
    assert.deepEqual(await control("/api/pause"), { status: 200, ok: true, paused: true });
    const asked = { repo_id: second, role: "poet" };
    const run = await control("/api/run-role", asked);
    assert.deepEqual([run.status, run.ok, run.existed], [200, true, false]);
    assert.deepEqual(await control("/api/run-role", asked), { ...run, existed: true });
    assert.equal((await control("/api/run-role", { ...asked, repo_id: first })).status, 400);
    const { jobs } = await dashboard.read<Jobs>("/api/jobs?status=pending");
    assert.deepEqual(jobs.map(({ id, trigger }) => [id, trigger]), [[run.job_id, "manual"]]);
    // The jobs that came to their end may still be put away.
    await until(async () => (await health()).running === 0, () => "a job runs on");
    const paused = await health();
    assert.deepEqual([paused.status, paused.ok, paused.database], [200, true, true]);
    assert.deepEqual([paused.workers, paused.running, paused.paused], [2, 0, true]);
    assert.ok(paused.last_heartbeat_secs >= 0 && paused.uptime_secs >= 0);

    // The model keeps the run waiting while the workers are begun anew around it.
    const answer = held();
    const before = model.requests.length;
    assert.deepEqual(await control("/api/resume"), { status: 200, ok: true, paused: false });
    await model.asked(before + 1);
    assert.equal((await health()).running, 1);
    const restarted = control("/api/restart");
    await stream.first("a restart", (_, { state }) => state === "restarting");
    for (let look = 0; look < 5; look++) {
      assert.deepEqual([(await health()).status, (await health()).paused], [200, false]);
      const { condition } = await dashboard.read<Pipeline>("/api/pipeline");
      assert.equal(condition, "restarting");
    }
    answer();
    assert.deepEqual(await restarted, { status: 200, ok: true, state: "running" });
    await stream.job(run.job_id, "completed");
    assert.equal((await dashboard.read<Pipeline>("/api/pipeline")).condition, "running");

    // A scan of one repo, and of one that stands on another branch.
    await two.git("switch", "--quiet", "--create", "mine");
    const refused = await control("/api/scan", { repo_id: second });
    assert.deepEqual([refused.status, refused.ok], [400, false]);
    assert.match(refused.error, /"main" to be checked out/);
    await two.git("switch", "--quiet", "main");
    const { status, ok, ...counts } = await control("/api/scan", { repo_id: second });
    assert.deepEqual([status, ok], [200, true]);
    const { data: { scan: _, ...scanned } } = await stream.first(
      "a scan",
      (type) => type === "scan_complete",
    );
    assert.deepEqual(scanned, { repo_id: second, ...counts });
    assert.ok(Number(counts.created) > 0);
    assert.match(await two.git("log", "--format=%s"), /T-0001/);
    assert.equal((await control("/api/scan", { repo_id: "0123456789ab" })).status, 400);

    // Everything there is to read, and nothing that is nobody's business.
    const told = [JSON.stringify(stream.heard), JSON.stringify(refused)];
    const some: Readonly<Record<string, string>> = {
      "/api/repo-roles": `/api/repo-roles?repo_id=${second}`,
      "/api/job": `/api/job?id=${run.job_id}`,
      "/api/job-trace": `/api/job-trace?id=${run.job_id}`,
      "/api/job-trace-text": `/api/job-trace-text?id=${run.job_id}&step=0&part=message.0`,
      "/api/review": `/api/review?repo_id=${first}&ticket_id=T-0001`,
      "/api/ticket": `/api/ticket?repo_id=${first}&id=T-0001`,
      "/api/ticket-templates": `/api/ticket-templates?repo_id=${first}`,
    };
    for (const [name, { answer }] of Object.entries(OPERATIONS)) {
      const [method, path = ""] = name.split(" ");
      if (method !== "GET" || answer === "text/event-stream") continue;
      const response = await dashboard.get(some[path] ?? path);
      told.push(await response.text());
      // The ticket is not in review, so there is no work to be seen.
      assert.equal(response.status, path === "/api/review" ? 404 : 200, `${path}: ${told.at(-1)}`);
    }
    const list = ["ceo", "orchestrator", "engineer", "qa", "gardener"];
    const named = (id: unknown) => dashboard.read(`/api/repo-roles?repo_id=${id}`);
    assert.deepEqual(await named(first), list);
    assert.deepEqual(await named(second), ["poet", ...list]);

    // In the middle of a run: it comes to its end, and the program to its own.
    const last = held();
    const asks = model.requests.length;
    const again = await control("/api/run-role", asked);
    await model.asked(asks + 1);
    const traced = async () =>
      await dashboard.read(`/api/job-trace?id=${again.job_id}`) as JobTrace;
    // Another job may have asked the model meanwhile.
    await until(async () => (await traced()).steps.length > 0, () => "no step of the run");
    const trace = await traced();
    const [{ kind, texts }] = trace.steps as [JobTrace["steps"][number]];
    assert.deepEqual([trace.live, kind, texts[0]?.name], [true, "started", "system"]);
    assert.deepEqual(await control("/api/stop"), { status: 200, ok: true, state: "stopping" });
    await svc.said(/stops: jobs may end/);
    last();
    const { code, stdout, stderr, json } = await svc.ended;
    assert.equal(code, 0, stderr);
    assert.deepEqual([json().event, json().hurried], ["stopped", false]);
    await stream.ended;
    await assert.rejects(fetch(`${control_url}/healthz`), TypeError);

    const stored = rows(
      database,
      "SELECT data FROM events WHERE type = 'status_change' ORDER BY id",
    );
    assert.deepEqual(stored.map(({ data }) => JSON.parse(String(data)).state), [
      ...["running", "paused", "claiming", "restarting", "running", "stopping", "stopped"],
    ]);
    const worked = rows(database, "SELECT repo_id, id, status, attempt FROM jobs");
    assert.deepEqual(new Set(worked.map(({ repo_id }) => repo_id)), new Set([first, second]));
    for (const id of [run.job_id, again.job_id]) {
      const job = worked.find((one) => one.id === id);
      assert.deepEqual([job!.status, job!.attempt], ["completed", 1]);
    }

    for (const text of told) {
      for (const path of [one.path, two.path, site.env.HOME!]) {
        assert.ok(!text.includes(path), `a path in ${text.slice(0, 200)}`);
      }
    }
    const written = await filesBelow(site.env.HOME!);
    const traces = [...written].filter(([path]) => path.includes("/traces/"));
    assert.ok(traces.some(([, text]) => /CONTROL_SECRET=\[redacted/.test(text)), "it was printed");
    written.set("what it said", stdout + stderr).set("what it answered", told.join());
    for (const [path, text] of written) {
      assert.ok(!text.includes(SECRET), `it is in ${path}`);
      if (!path.includes("/worktrees/")) { for (const key of KEYS) assertAbsent(key, text, path); }
    }
    for (const repo of [one, two]) {
      for (const [path, text] of await filesBelow(repo.path)) {
        assert.ok(!text.includes(SECRET), `it is in ${path}`);
      }
    }
  },
);

/** What each operation of the dashboard's API answers, asked as a client would. */
import assert from "node:assert/strict";
import { z } from "zod";
import { Failure } from "svc/core/failure.ts";
import { OPERATIONS } from "svc/http/api.ts";
import { systemClock } from "svc/platform/clock.ts";
import { commandLog } from "svc/platform/log.ts";
import { serverFailure } from "svc/store/postgres/errors.ts";
import { sqliteFailure } from "svc/store/sqlite_errors.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { dashboardPlace, SteppedClock } from "tests/unit/http/dashboard_place.ts";
import { person } from "tests/unit/http/person.ts";

const TARGETS: Readonly<Record<string, string>> = {
  "/api/review": "/api/review?repo_id=r1&ticket_id=T-0001",
  "/api/repo-roles": "/api/repo-roles?repo_id=r1",
  "/api/job": "/api/job?id=j1",
  "/api/job-trace": "/api/job-trace?id=j1",
  "/api/job-trace-text": "/api/job-trace-text?id=j1&step=0&part=text",
  "/api/ticket": "/api/ticket?repo_id=r1&id=T-0001",
  "/api/ticket-templates": "/api/ticket-templates?repo_id=r1",
};

verifies(
  [
    "4.3:status:fields",
    "4.3:repos:lists-id-and-basename",
    "4.3:repo-roles:lists-names",
    "4.3:telemetry:shape",
    "4.3:evolution:shape",
    "4.3:roles:shape",
    "4.3:throughput:shape",
    "4.3:orchestration:shape",
    "4.3:orchestration-decisions:shape",
  ],
  "each read answers the shape that is written down for it",
  async () => {
    await using place = dashboardPlace();
    const { get } = await person(place);
    let count = 0;
    for (const [name, { answer }] of Object.entries(OPERATIONS)) {
      const [method, path] = name.split(" ");
      if (method !== "GET" || typeof answer === "string") continue;
      const response = await get(TARGETS[path!] ?? path!);
      assert.equal(response.status, 200, path);
      assert.equal(response.headers.get("content-type"), "application/json");
      assert.equal(response.headers.get("cache-control"), "no-store");
      z.strictObject({ body: answer(z) }).parse({ body: await response.json() });
      count++;
    }
    assert.ok(count >= 15);
    const json = async (path: string) => await (await get(path)).json();
    assert.deepEqual(Object.keys(await json("/api/status")).sort(), [
      ...["active_jobs", "healthy", "paused", "repos", "uptime_secs"],
    ]);
    assert.deepEqual(await json("/api/repos"), [{ id: "r1", basename: "shop" }]);
    assert.deepEqual(await json("/api/repo-roles?repo_id=r1"), ["engineer", "qa"]);
    assert.deepEqual(Object.keys(await json("/api/telemetry")), ["events", "stats"]);
    const evolution = await json("/api/evolution");
    assert.deepEqual(Object.keys(evolution), ["evolutions", "telemetry", "patterns"]);
    assert.ok(Object.values(evolution).every(Array.isArray));
    assert.deepEqual(Object.keys(await json("/api/throughput")), [
      ...["hourly", "recent_jobs", "summary"],
    ]);
    const orchestration = await json("/api/orchestration");
    assert.deepEqual(Object.keys(orchestration), ["repos", "dispositions", "decisions"]);
    assert.ok(Object.values(orchestration).every(Array.isArray));
    assert.deepEqual(Object.keys(await json("/api/orchestration/decisions")), ["decisions"]);
    const health = await json("/api/roles");
    assert.deepEqual(Object.keys(health), ["roles"]);
    const [role] = health.roles;
    assert.deepEqual([role.samples, role.successes, role.failures], [9, 8, 1]);
  },
);

verifies(
  ["4.3:status:redacted-when-anonymous"],
  "who is not logged in sees whether svc works, and nothing of what it works on",
  async () => {
    await using place = dashboardPlace();
    const response = await fetch(`${place.url}/api/status`);
    const body = await response.json();
    const { uptime_secs, ...rest } = body;
    assert.deepEqual(rest, { healthy: true, paused: false });
    assert.equal(typeof uptime_secs, "number");
  },
);

verifies(
  ["4.3:quality-score:markdown", "7:status-404:no-quality-score"],
  "the quality score is Markdown, and 404 when there is no repo",
  async () => {
    await using place = dashboardPlace();
    const response = await (await person(place)).get("/api/quality-score");
    assert.equal(response.headers.get("content-type"), "text/markdown; charset=utf-8");
    assert.equal(await response.text(), "# Quality\n");
    await using bare = dashboardPlace({
      reads: { "quality-score": () => Promise.resolve(undefined) },
    });
    const missing = await (await person(bare)).get("/api/quality-score");
    assert.equal(missing.status, 404);
    assert.equal((await missing.json()).ok, false);
  },
);

verifies(
  ["7:status-400:unknown-role-or-repo"],
  "reads of a repo, a job or a ticket answer for it, or say that they do not know it",
  async () => {
    await using place = dashboardPlace();
    const { get, post } = await person(place);
    const status = async (path: string) => {
      const response = await get(path);
      await response.body?.cancel();
      return response.status;
    };
    const here = await (await get("/api/orchestration/decisions?repo_id=r1")).json();
    assert.ok(here.decisions.every(({ repo_id }: { repo_id: string }) => repo_id === "r1"));
    assert.equal(here.decisions.length, 1);
    assert.equal(await status("/api/orchestration/decisions?repo_id=r2"), 400);
    assert.equal(await status("/api/repo-roles?repo_id=r2"), 400);
    assert.equal(await status("/api/job?id=j2"), 404);
    assert.equal(await status("/api/ticket?repo_id=r1&id=T-0002"), 404);
    assert.equal(await status("/api/jobs?status=lost"), 400);
    assert.deepEqual(await (await get("/api/jobs?role=qa&status=failed&repo_id=r1")).json(), {
      ...{ jobs: [], before: null },
    });
    const unknown = (name: string) => () =>
      Promise.reject(new Failure("not_found", `Cannot ${name}: no repo "r2"`));
    await using strict = dashboardPlace({
      service: { scan: unknown("scan"), runRole: unknown("run"), cancelJob: unknown("stop") },
    });
    const refused = await person(strict);
    const answers = [
      await refused.post("/api/scan", { repo_id: "r2" }),
      await refused.post("/api/run-role", { repo_id: "r2", role: "engineer" }),
      await refused.post("/api/cancel-job", { job_id: "j2" }),
    ];
    assert.deepEqual(answers.map(({ status }) => status), [400, 400, 404]);
    assert.deepEqual(await answers[0]!.json(), { ok: false, error: 'Cannot scan: no repo "r2"' });
    for (const { body } of answers.slice(1)) await body?.cancel();
    assert.equal((await post("/api/scan", { repo_id: "r1" })).status, 200);
  },
);

verifies(
  "4.3:mutation:failure-body",
  "a refusal has the way out beside its reason, without the path of a repo",
  async () => {
    const remedy = "Mend what it names, then: svc run qa --repo /home/ada/shop";
    await using place = dashboardPlace({
      service: {
        retryJob: () =>
          Promise.reject(new Failure("conflict", "Cannot retry it: it is held back", { remedy })),
      },
    });
    const refused = await (await person(place)).post("/api/retry-job", { job_id: "j1" });
    assert.deepEqual(await refused.json(), {
      ok: false,
      error: "Cannot retry it: it is held back",
      remedy: "Mend what it names, then: svc run qa --repo shop",
    });
  },
);

verifies(
  ["4.3:mutation:success-body"],
  "each control reaches the service, and answers that it is done",
  async () => {
    await using place = dashboardPlace();
    const { post } = await person(place);
    const asked = [
      ["/api/pause", undefined, { paused: true }],
      ["/api/resume", undefined, { paused: false }],
      ["/api/restart", undefined, { state: "running" }],
      ["/api/scan", { repo_id: "r1" }, { findings: 4, created: 1, deduplicated: 3, stale: 0 }],
      ["/api/run-role", { repo_id: "r1", role: "qa" }, { job_id: "j1", existed: false }],
      ["/api/cancel-job", { job_id: "j1" }, {}],
      ["/api/cancel-job", { job_id: "j2", reason: "it\nwent astray" }, {}],
      ["/api/retry-job", { job_id: "j1" }, { job_id: "j2", existed: false }],
      [
        "/api/answer-ticket",
        { repo_id: "r1", ticket_id: "T-0001", job_id: "j1", answer: "yes" },
        {},
      ],
      ["/api/tell-job", { job_id: "j1", note: "mind the gap" }, {}],
      ["/api/pause-node", { node: "north", reason: "a disk" }, {}],
      ["/api/drain-node", { node: "north" }, {}],
      ["/api/stop-node", { node: "north" }, {}],
      ["/api/resume-node", { node: "north" }, {}],
      ["/api/emergency-stop", undefined, {}],
      ["/api/stop", undefined, { state: "stopping" }],
      ["/api/logout", undefined, {}],
    ] as const;
    for (const [path, body, more] of asked) {
      const response = await post(path, body);
      const said = await response.json();
      assert.deepEqual([response.status, said], [200, { ok: true, ...more }], path);
      const { answer } = OPERATIONS[`POST ${path}`]!;
      if (typeof answer !== "string") answer(z).parse(said);
    }
    assert.deepEqual(place.asked, [
      ...["pause paused from the dashboard", "resume", "restart", "scan r1", "run r1 qa"],
      ...["cancel j1 stopped from the dashboard"],
      ...["cancel j2 stopped from the dashboard: it went astray", "retry j1"],
      ...["answer r1 T-0001 j1 yes"],
      "tell j1 mind the gap",
      ...["pause node north a disk", "drain node north ", "stop node north ", "resume node north "],
      ...["emergency", "stop"],
    ]);
  },
);

verifies(
  [
    "4.3:emergency-stop:runs-callbacks",
    "7:emergency-stop:generic-error-text",
    "3.2:emergency-stop:raw-error-in-owner-only-log",
  ],
  "an emergency stop that fails says where to look, and only the log says why",
  async () => {
    await using folder = await tempFolder();
    const log = commandLog({
      ...{ folder: () => folder.path, command: "serve", clock: systemClock },
      redact: (text) => text,
    });
    const emergencyStop = () => Promise.reject(new Failure("environment", "no /home/ada/.svc/x"));
    await using place = dashboardPlace({ log, service: { emergencyStop } });
    const response = await (await person(place)).post("/api/emergency-stop");
    assert.equal(response.status, 500);
    const { ok, error } = await response.json();
    assert.equal(ok, false);
    assert.match(error, /inspect the owner-only command log/);
    assert.doesNotMatch(error, /ada|environment/);
    log.close();
    const [{ name }] = await Array.fromAsync(Deno.readDir(folder.path)) as [Deno.DirEntry];
    const path = `${folder.path}/${name}`;
    assert.match(await Deno.readTextFile(path), /the emergency stop failed.*no \/home\/ada/);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    await using good = dashboardPlace();
    assert.deepEqual(await (await (await person(good)).post("/api/emergency-stop")).json(), {
      ok: true,
    });
    assert.deepEqual(good.asked, ["emergency"]);
  },
);

verifies(
  ["7:status-500:callback-failure", "7:status-500:render-failure"],
  "what fails answers 500 with a text of its own, and the log says why",
  async () => {
    const fail = () => Promise.reject(new Error("SQLITE_CORRUPT /home/ada/.svc/svc.db"));
    await using place = dashboardPlace({
      service: { pause: fail, scan: fail, restart: fail, status: fail },
      reads: { roles: fail, repos: fail },
      assets: () => {
        throw new Error("/home/ada/page");
      },
    });
    const { get, post } = await person(place);
    const answers = [
      await post("/api/pause"),
      await post("/api/restart"),
      await post("/api/scan", { repo_id: "r1" }),
      ...await Promise.all(["/api/roles", "/api/repos", "/api/status", "/pipeline"].map(get)),
    ];
    for (const response of answers) {
      assert.equal(response.status, 500, response.url);
      const text = await response.text();
      assert.doesNotMatch(text, /ada|SQLITE/);
      assert.equal(JSON.parse(text).ok, false);
    }
    assert.equal(place.logged.filter((line) => line.includes("/home/ada")).length, answers.length);
  },
);

verifies(
  ["7:status-500:callback-failure"],
  "a database that does not answer is no fault of the request, and its path is for the log",
  async () => {
    const path = "/home/ada/.svc/db/shop/svc.db";
    const locked = Object.assign(new Error("database is locked"), { errcode: 5 });
    const waiting = Object.assign(new Error("canceling statement"), { code: "55P03" });
    for (const cause of [sqliteFailure(locked, path), serverFailure(waiting, path)]) {
      const fail = () => Promise.reject(cause);
      await using place = dashboardPlace({
        service: { resume: fail, scan: fail, runRole: fail, retryJob: fail, cancelJob: fail },
      });
      const { post } = await person(place);
      const answers = [
        await post("/api/resume"),
        await post("/api/scan", { repo_id: "r1" }),
        await post("/api/run-role", { repo_id: "r1", role: "qa" }),
        await post("/api/retry-job", { job_id: "j1" }),
        await post("/api/cancel-job", { job_id: "j1" }),
      ];
      for (const response of answers) {
        assert.equal(response.status, 500, response.url);
        assert.match((await response.json()).error, /^Cannot [a-z ]+; the command log says why$/);
      }
      assert.equal(place.logged.filter((line) => line.includes(path)).length, answers.length);
    }
  },
);

Deno.test("a restart that waits for jobs is answered as begun, and its failure is logged", async () => {
  const clock = new SteppedClock();
  const { promise, reject } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const restart = () => {
    begun.resolve();
    return promise;
  };
  await using place = dashboardPlace({ clock, service: { restart } });
  const { post } = await person(place);
  const answered = post("/api/restart");
  await begun.promise;
  await Promise.resolve();
  clock.advance(2_000);
  assert.deepEqual(await (await answered).json(), { ok: true, state: "restarting" });
  reject(new Error("no worker started"));
  await promise.catch(() => {});
  await Promise.resolve();
  assert.match(place.logged.join(), /the restart failed: Error: no worker started/);
});

verifies(
  ["4.3:read-apis:missing-callback-is-501"],
  "a dashboard without a reader answers its route with 501",
  async () => {
    await using place = dashboardPlace({ reads: {} });
    const { get } = await person(place);
    for (const [name, { access }] of Object.entries(OPERATIONS)) {
      const [method, path] = name.split(" ");
      if (method !== "GET" || access !== "session") continue;
      if (path === "/api/session" || path === "/api/events") continue;
      const response = await get(TARGETS[path!] ?? path!);
      assert.equal(response.status, 501, path);
      assert.equal((await response.json()).ok, false);
    }
  },
);

verifies(
  ["7:status-404:unknown-page-or-asset", "4.2:root:redirects-to-pipeline"],
  "pages are there for everybody, and unknown ones are not",
  async () => {
    const assets = (path: string) =>
      path === "js/app-1.js"
        ? { bytes: "1;", type: "text/javascript; charset=utf-8" }
        : path === "roles.html"
        ? { bytes: "<!doctype html>", type: "text/html; charset=utf-8" }
        : undefined;
    await using place = dashboardPlace({ assets });
    const get = (path: string) => fetch(`${place.url}${path}`, { redirect: "manual" });
    const root = await get("/");
    assert.deepEqual([root.status, root.headers.get("location")], [302, "/pipeline"]);
    await root.body?.cancel();
    const roles = await get("/roles");
    assert.equal(await roles.text(), "<!doctype html>");
    assert.equal(roles.headers.get("content-type"), "text/html; charset=utf-8");
    assert.match(roles.headers.get("content-security-policy")!, /script-src 'self'/);
    assert.equal(await (await get("/assets/js/app-1.js")).text(), "1;");
    const asked: number[] = [];
    for (
      const path of [
        ...["/nothing", "/pipeline/", "/assets/", "/assets/x.js", "/assets/roles.html", "/assets"],
        ...["/assets/js//app-1.js", "/assets/.js", "/assets/%2e%2e/x", "/api/", "/healthz"],
      ]
    ) {
      const { status, body } = await get(path);
      await body?.cancel();
      asked.push(status);
    }
    assert.deepEqual(new Set(asked), new Set([404]));
  },
);

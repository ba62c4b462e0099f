/** `svc start` as users run it: the whole program, a real repo, a scripted model over real HTTP. */
import assert from "node:assert/strict";
import { z } from "zod";
import { Dashboard } from "demo/dashboard.ts";
import { streamShape } from "svc/cli/service/event_lines.ts";
import { mostAtOnce, rows } from "tests/kit/database_rows.ts";
import type { Scenario } from "tests/kit/model_endpoint.ts";
import { HOST, roleAsked, type RunSite, runSite } from "tests/kit/run_site.ts";
import { serving } from "tests/kit/service_site.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { call, CEO, finish, ORCHESTRATOR, turns } from "tests/unit/runtime/team.ts";

const FIX = turns(
  call("file_edit", { path: "add.sh", old: "$1 - $2", new: "$1 + $2" }),
  call("git_commit", { message: "fix(add): add, not subtract" }),
  finish("submitted"),
);
/** What the reviewer missed the first time. */
const COMMENT = turns(
  call("file_write", { path: "NOTES.md", content: "add adds\n" }),
  call("git_commit", { message: "docs: say what add does" }),
  finish("submitted"),
);
const LOOK = call("git_diff", { since: "main" });
const QA = [turns(LOOK, finish("changes_requested")), turns(LOOK, finish("approved"))];

const TEAM: Scenario = {
  roles: { ceo: CEO, orchestrator: ORCHESTRATOR, engineer: [FIX, COMMENT], qa: QA },
};

const SECRET = "not a secret: only a test, 32 bytes";

/** Free ports, so that no other program of this machine matters. No usual addresses, so that it shows who listens where the flags say. */
const ANYWHERE = ["--addr", "127.0.0.2:0", "--dashboard-addr", "127.0.0.3:0"];

function start(site: RunSite, ...args: string[]) {
  const { model, repo, env } = site;
  const words = ["start", "--json", "--model-endpoint", model.url, ...ANYWHERE, ...args];
  const secret = { SVC_DASHBOARD_CONTROL_SECRET: SECRET };
  return serving({ cwd: repo.path, env: { ...env, ...secret }, args: words });
}

/** Status of a request as a reverse proxy passes it on; `fetch` would set the header itself. */
async function statusFor(url: string, host: string): Promise<number> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const request = `GET /login HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const head = new Uint8Array(64);
  const read = await connection.read(head);
  return Number(new TextDecoder().decode(head.subarray(0, read ?? 0)).split(" ")[1]);
}

verifies(
  [
    "1:start:prepares-one-repo",
    "1:start:default-database",
    "2.1:scoped-database:holds-start-state",
    "1:repo-flag:start-defaults-to-current-directory",
    "4.5:start:model-endpoint",
    "4.5:start:json",
    "4.5:start:plain",
    "4.5:start:addr",
    "4.5:start:dashboard-addr",
    "4.5:start:execution-profile-flags",
    "4.5:start:log-file",
    "4.5:start:dashboard-trusted-origin",
    "4.5:start:code-intel",
    "3.2:start:scaffolds-missing-harness",
    "3.2:start:baseline-commit",
    "3.2:start:clean-baseline",
    "3.2:startup:seeds-bootstrap-role",
  ],
  "svc start takes a bare repo from its harness to done, with rework, and stops when asked",
  async () => {
    await using site = await runSite({ scenario: TEAM, harness: false });
    await using elsewhere = await tempFolder();
    const log = `${elsewhere.path}/svc.log`;
    const proxied = ["--dashboard-trusted-origin", "https://svc.example.com"];
    await using svc = start(site, ...HOST, ...proxied, "--code-intel", "--log-file", log);
    const first = await svc.first;
    assert.deepEqual(
      [first.ok, first.event, first.repo, first.profile, first.action, first.rule],
      [true, "started", site.repo.path, "host", "bootstrap", "bootstrap"],
    );
    assert.equal(first.pid, svc.pid);
    assert.match(first.control_url, /^http:\/\/127\.0\.0\.2:\d+$/);
    assert.match(first.dashboard_url, /^http:\/\/127\.0\.0\.3:\d+$/);
    const name = site.repo.path.slice(site.repo.path.lastIndexOf("/") + 1);
    assert.equal(first.database, `${site.home}/db/${name}/svc.db`);
    const health = await fetch(`${first.control_url}/healthz`);
    assert.deepEqual([health.status, (await health.json()).workers], [200, 2]);
    const page = await fetch(`${first.dashboard_url}/`, { redirect: "manual" });
    await page.body?.cancel();
    assert.equal(page.headers.get("location"), "/pipeline");
    assert.equal(await statusFor(first.dashboard_url, "svc.example.com"), 200);
    assert.equal(await statusFor(first.dashboard_url, "other.example.com"), 400);

    // A second one on the same repo leaves it alone.
    await using second = start(site, ...HOST);
    const refused = await second.ended;
    assert.equal(refused.code, 6, refused.stderr);
    assert.match(
      refused.json().error.message,
      new RegExp(`worked on already, by process ${svc.pid}`),
    );

    await svc.said(/T-0001 moved: review → done/);
    svc.signal("SIGTERM");
    const { code, stdout, json, stderr } = await svc.ended;
    assert.equal(code, 0, stderr);
    const lines = stdout.trim().split("\n").map((line) => JSON.parse(line));
    assert.ok(lines.every(({ ok }) => ok === true));
    for (const line of lines.slice(0, -1)) streamShape(z).parse(line);
    const told = new Set(lines.map(({ event }) => event));
    for (const type of ["started", "job_update", "job_turn", "ticket_update", "decision"]) {
      assert.ok(told.has(type), type);
    }
    const { event, jobs, moved, hurried } = json();
    assert.deepEqual([event, jobs.failed, hurried], ["stopped", 0, false]);
    assert.ok(jobs.done >= 6, JSON.stringify(jobs));
    assert.deepEqual(
      moved.map(({ from, to }: { from: string; to: string }) => `${from} ${to}`),
      [
        "backlog in-progress",
        "in-progress review",
        "review in-progress",
        "in-progress review",
        "review done",
      ],
    );
    const prompts = site.model.requests.map(({ request }) => request.messages[1]?.content ?? "");
    assert.match(prompts.join("\n"), /# Where to look first[^]*test\.sh/);
    const log1 = await site.repo.git("log", "--format=%s");
    assert.match(log1, /^chore\(harness\): initialize svc harness$/m);
    assert.match(log1, /^fix\(add\): add, not subtract$/m);
    assert.match(log1, /^chore\(merge\): merge svc\/\S+ into main$/m);
    assert.equal(await site.repo.git("status", "--porcelain"), "");
    assert.equal(await site.repo.read("NOTES.md"), "add adds\n");
    // deno-lint-ignore no-control-regex -- what a style begins with
    assert.doesNotMatch(stderr, /\x1b/);
    assert.match(stderr, /engineer T-0001: submitted/);
    assert.match(await Deno.readTextFile(log), /T-0001 moved/);

    const { database } = first;
    for (const table of ["jobs", "decisions", "events", "repos"]) {
      const [counted] = rows(database, `SELECT count(*) AS count FROM ${table}`);
      assert.ok(Number(counted!.count) > 0, table);
    }
    await site.svc("trust", "set", "qa", ".", "observer", "--reason", "it only looks");
    const trust = rows(database, "SELECT role, level FROM trust");
    assert.deepEqual({ ...trust[0] }, { role: "qa", level: "observer" });
    const scores = (await site.svc("scores", "--json")).json();
    assert.equal(scores.database, database);
    assert.ok(scores.roles.some(({ samples }: { samples: number }) => samples > 0));
  },
);

verifies(
  ["1:execution-profile:start-defaults-to-observer", "4.5:start:repo", "4.5:start:db"],
  "svc start rehearses unless told otherwise: all is decided, not one byte of the repo changes",
  async () => {
    await using site = await runSite({ scenario: TEAM });
    await site.svc("tickets", "new", "--title", "Mend add");
    await using elsewhere = await tempFolder();
    const lock = await site.repo.read(".git/svc.lock");
    const before = await site.state();
    const database = `${elsewhere.path}/own.db`;
    await using svc = serving({
      cwd: elsewhere.path,
      env: site.env,
      args: [
        ...["start", "--repo", site.repo.path, "--db", database, "--json", ...ANYWHERE],
        ...["--model-endpoint", site.model.url],
      ],
    });
    assert.deepEqual([(await svc.first).profile, (await svc.first).database], [
      "observer",
      database,
    ]);
    await svc.said(/orchestrator: routed/);
    svc.signal("SIGINT");
    assert.equal((await svc.ended).code, 0);
    assert.equal(await site.state(), before);
    assert.equal(await site.repo.read(".git/svc.lock"), lock);
    const decisions = rows(database, "SELECT role, applied, move FROM decisions ORDER BY at");
    assert.ok(decisions.length > 0);
    assert.deepEqual([...new Set(decisions.map(({ applied }) => applied))], [0]);
    assert.ok(decisions.some(({ move }) => String(move).includes("in-progress")));
  },
);

verifies(
  [
    "3.2:startup:resumes-active-jobs",
    "3.2:startup:resumes-stale-jobs",
    "3.2:stop:by-ctrl-c",
    "4.5:start:concurrency",
  ],
  "svc start goes on where a killed one was cut off; a second signal ends it at once",
  async () => {
    const hang = () => ({ bad: "hang", when: { turn: 0 } });
    const scenario = {
      roles: { ...TEAM.roles, engineer: [hang(), hang(), ...FIX], qa: QA.slice(1) },
    };
    await using site = await runSite({ scenario });
    await site.svc("tickets", "new", "--title", "Mend add", "--role", "engineer");
    await using killed = start(site, ...HOST, "--concurrency", "1");
    const health = await fetch(`${(await killed.first).control_url}/healthz`);
    assert.equal((await health.json()).workers, 1);
    await roleAsked(site, "engineer", 1);
    killed.signal("SIGKILL");
    await killed.ended;

    await using hurried = start(site, ...HOST, "--concurrency", "1");
    assert.equal((await hurried.first).rule, "resume");
    await roleAsked(site, "engineer", 2);
    const { dashboard_url, database } = await hurried.first;
    const [repo] = rows(database, "SELECT id FROM repos");
    const dashboard = new Dashboard(dashboard_url);
    await dashboard.login(SECRET);
    const asked = await dashboard.post("/api/run-role", { repo_id: repo!["id"], role: "ceo" });
    assert.equal(asked.status, 200, await asked.text());
    hurried.signal("SIGINT");
    await hurried.said(/Ctrl-C again/);
    hurried.signal("SIGINT");
    const ended = await hurried.ended;
    assert.equal(ended.code, 130, ended.stderr);
    assert.equal(ended.json().hurried, true);
    const [job] = rows(database, "SELECT id, status FROM jobs WHERE role = 'engineer'");
    assert.equal(job!["status"], "pending");

    await using last = start(site, ...HOST, "--concurrency", "1");
    assert.equal((await last.first).rule, "resume");
    await last.said(/T-0001 moved: review → done/);
    assert.equal(mostAtOnce(database), 1);
    const engineers = rows(database, "SELECT id, status FROM jobs WHERE role = 'engineer'");
    assert.deepEqual(engineers.map(({ id, status }) => [id, status]), [[job!["id"], "completed"]]);
    // The one that was killed seeded its bootstrap; the two after it seeded none.
    const ceos = rows(
      database,
      "SELECT \"trigger\" FROM jobs WHERE role = 'ceo' ORDER BY created_at",
    );
    assert.deepEqual(ceos.map(({ trigger }) => trigger), ["bootstrap", "manual"]);
    last.signal("SIGHUP");
    assert.equal((await last.ended).code, 0);
  },
);

verifies(
  [
    "3.2:startup:refuses-ambiguous-state",
    "3.2:startup:refusal-names-state",
    "3.2:startup:new-lifecycle",
    "4.5:start:yes",
    "1:listeners:control-loopback-only",
    "1:listeners:dashboard-loopback-only",
    "4.1:trusted-origin:exact-https",
    "4.1:start:no-fallback-for-given-address",
  ],
  "svc start refuses what it cannot begin with, before it changes anything, and says the way out",
  async () => {
    await using site = await runSite({ scenario: TEAM });
    await site.svc("tickets", "new", "--title", "Mend add");
    const before = await site.state();
    const { path } = site.repo;
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const busy = `127.0.0.1:${taken.addr.port}`;
    const model = ["--model-endpoint", site.model.url];
    const refusals: readonly [code: number, said: RegExp, ...args: string[]][] = [
      [2, /"0\.0\.0\.0:9090": not a literal loopback address/, "--addr", "0.0.0.0:9090"],
      [2, /not a literal loopback address/, "--dashboard-addr", "localhost:9091"],
      [2, /listen twice/, "--addr", busy, "--dashboard-addr", busy],
      [2, /not an exact https origin/, "--dashboard-trusted-origin", "http://svc.example.com"],
      [2, /--db .*lies inside the repo/, "--db", `${path}/svc.db`],
      [2, /--log-file .*lies inside the repo/, "--log-file", `${path}/svc.log`],
      // A yes is no acknowledgement; with one, the address that is taken would be what is wrong.
      [4, /not acknowledged/, "--yes", "--addr", busy, "--execution-profile", "host"],
    ];
    for (const [code, said, ...args] of refusals) {
      const ran = await site.svc("start", ...model, ...args);
      assert.deepEqual([ran.code, said.test(ran.stderr)], [code, true], ran.stderr);
      assert.match(ran.stderr, /^try: /m);
    }
    // Nothing so far needed a home.
    await assert.rejects(Deno.stat(`${site.home}/db`), Deno.errors.NotFound);

    const port = await site.svc("start", ...model, "--addr", busy);
    assert.equal(port.code, 6, port.stderr);
    assert.match(port.stderr, /the port is in use[\s\S]*--addr 127\.0\.0\.1:0/);
    const dashboard = await site.svc("start", ...model, ...ANYWHERE, "--dashboard-addr", busy);
    assert.equal(dashboard.code, 2, dashboard.stderr); // given twice
    const gone = await site.svc("start", ...ANYWHERE, "--model-endpoint", "http://127.0.0.1:9/v1");
    assert.equal(gone.code, 5, gone.stderr);
    assert.match(gone.stderr, /127\.0\.0\.1:9\/v1[\s\S]*--model-endpoint/);
    assert.equal(await site.state(), before);
    assert.deepEqual(site.model.requests, []);

    await site.repo.git("switch", "--quiet", "--create", "other");
    const branch = await site.svc("start", ...ANYWHERE, ...model, ...HOST, "--json");
    assert.equal(branch.code, 6, branch.stderr);
    assert.match(branch.json().error.message, /"other" is checked out/);
    assert.match(branch.json().error.remediation, /switch main/);
    await site.repo.git("switch", "--quiet", "main");

    // Two files of one ticket: which of them counts is a person's to say.
    const [file] = (await site.repo.git("ls-files", "docs/tickets/backlog/T-*")).split("\n");
    const text = await site.repo.read(file!);
    await site.repo.commit("copy", { [file!.replace("/backlog/", "/review/")]: text });
    const twice = await site.svc("start", ...ANYWHERE, ...model, ...HOST);
    assert.equal(twice.code, 6, twice.stderr);
    assert.match(twice.stderr, /^.* found: /m);
    assert.match(twice.stderr, /T-0001[\s\S]*--new-lifecycle/);
    await using anew = start(site, ...HOST, "--new-lifecycle");
    assert.equal((await anew.first).rule, "new_lifecycle");
    anew.signal("SIGTERM");
    assert.equal((await anew.ended).code, 0);
  },
);

verifies(
  "4.5:start:force",
  "svc start --force puts blocked tickets back before it begins",
  async () => {
    await using site = await runSite({ scenario: { roles: { ...TEAM.roles, qa: QA.slice(1) } } });
    await site.svc("tickets", "new", "--title", "Mend add");
    const blocked = ["--owner", "Ada", "--action", "say what add is for", "--reason", "unclear"];
    await site.svc("tickets", "move", "T-0001", "in-progress", "--yes");
    const moved = await site.svc("tickets", "move", "T-0001", "blocked", "--yes", ...blocked);
    assert.equal(moved.code, 0, moved.stderr);
    await using svc = start(site, ...HOST, "--force");
    assert.equal((await svc.first).rule, "resume");
    const log = await site.repo.git("log", "--format=%s");
    assert.match(log, /^chore\(tickets\): move T-0001 to backlog$/m);
    svc.signal("SIGTERM");
    assert.equal((await svc.ended).code, 0);
  },
);

verifies(
  [
    "3.2:start:observer-fails-before-write",
  ],
  "svc start in observer profile leaves a repo without a harness as it is",
  async () => {
    await using site = await runSite({ scenario: {}, harness: false });
    const before = await site.state();
    const ran = await site.svc("start", ...ANYWHERE, "--json");
    assert.equal(ran.code, 3, ran.stderr);
    assert.match(ran.json().error.message, /it has no \.harness\/manifest\.yaml/);
    assert.match(ran.json().error.remediation, /svc init .*--acknowledge-host-execution/);
    assert.equal(await site.state(), before);
    await assert.rejects(Deno.stat(`${site.home}/db`), Deno.errors.NotFound);
  },
);

verifies(
  [
    "4.1:start:ephemeral-port-fallback",
    "4.1:start:prints-dashboard-url",
    "4.1:trusted-origin:environment",
    "4.1:trusted-origin:stays-on-loopback",
    "4.5:start:debug",
  ],
  "svc start goes round an occupied default port, and prints where it is; a short secret does not count",
  async () => {
    await using site = await runSite({ scenario: TEAM });
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = taken.addr;
    await Deno.writeTextFile(
      `${site.home}/config.yaml`,
      `ports: { control: ${port}, dashboard: ${port} }\n`,
    );
    const secret = "hunter2-but-too-short";
    await using svc = serving({
      cwd: site.repo.path,
      env: {
        ...site.env,
        SVC_DASHBOARD_CONTROL_SECRET: secret,
        SVC_DASHBOARD_TRUSTED_ORIGIN: "https://svc.example.com",
      },
      args: ["start", "--debug", "--json", "--model-endpoint", site.model.url],
    });
    const { dashboard_url, control_url, error } = await svc.first;
    assert.equal(error, undefined, JSON.stringify(error));
    for (const url of [dashboard_url, control_url]) {
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.doesNotMatch(url, new RegExp(`:${port}$`));
    }
    await svc.said(new RegExp(`dashboard: ${dashboard_url}$`));
    assert.equal(await statusFor(dashboard_url, "svc.example.com"), 200);
    await svc.said(/SVC_DASHBOARD_CONTROL_SECRET has 21 bytes and needs 32/);
    await svc.said(/ceo \| turn 1: ticket_list ok/);
    svc.signal("SIGTERM");
    const { code, stdout, stderr } = await svc.ended;
    assert.equal(code, 0, stderr);
    assert.ok(!(stdout + stderr).includes(secret));
  },
);

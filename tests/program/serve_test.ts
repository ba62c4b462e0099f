/** `svc serve` as users run it: registered repos, signed webhooks, a scripted model over real HTTP. */
import assert from "node:assert/strict";
import { TREE } from "svc/cli/tree.gen.ts";
import { mostAtOnce } from "tests/kit/database_rows.ts";
import type { Step } from "tests/kit/model_endpoint.ts";
import { HOST, roleAsked, type RunSite, runSite } from "tests/kit/run_site.ts";
import { serving } from "tests/kit/service_site.ts";
import { verifies } from "tests/kit/verifies.ts";
import { GITHUB_SECRET, send, sendGithub } from "tests/unit/http/control_place.ts";
import { harnessedRepo } from "tests/unit/runtime/engine_place.ts";
import { TEAM } from "tests/unit/runtime/team.ts";

const ANYWHERE = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];

function serve(site: RunSite, ...args: string[]) {
  return serving({
    cwd: "/",
    env: { ...site.env, SVC_GITHUB_WEBHOOK_SECRET: GITHUB_SECRET },
    args: ["serve", "--json", "--model-endpoint", site.model.url, ...args],
  });
}

/** An issue that a person labels `svc`. */
function labeled(name: string) {
  return {
    action: "labeled",
    label: { name: "svc" },
    issue: {
      ...{ number: 7, title: `Make the test of ${name} pass`, body: "It fails: sh test.sh" },
      html_url: `https://github.com/acme/${name}/issues/7`,
      updated_at: "2026-03-01T10:00:00Z",
      labels: [{ name: "svc" }],
      ...{ user: { login: "grace" }, author_association: "OWNER" },
    },
    repository: { full_name: `acme/${name}`, html_url: `https://github.com/acme/${name}` },
    sender: { login: "grace" },
  };
}

/** The first turn of each engineer hangs until `goOn`: whoever asked it is killed meanwhile. */
function hanging() {
  let hangs = true;
  const [first, ...others] = TEAM.roles.engineer;
  const begin: Step = {
    ...first,
    get bad() {
      return hangs ? "hang" : undefined;
    },
  } as Step;
  const scenario = { roles: { ...TEAM.roles, engineer: [begin, ...others] } };
  return { scenario, goOn: () => void (hangs = false) };
}

verifies(
  [
    "1:serve:every-repo",
    "1:serve:worker-pool",
    "1:serve:default-database",
    "1:serve:recovery-watchdog",
    "4.5:serve:addr",
    "4.5:serve:code-intel",
    "4.5:serve:concurrency",
    "4.5:serve:execution-profile-flags",
    "4.5:serve:debug",
  ],
  "svc serve works on every registered repo that is there, as signed webhooks ask, also after a kill -9",
  async () => {
    const { scenario, goOn } = hanging();
    await using site = await runSite({ scenario, harness: false });
    await using one = await harnessedRepo();
    await using two = await harnessedRepo();
    const gone = await harnessedRepo();
    await Promise.all(
      Object.entries({ one, two, gone }).map(async ([name, { path }]) => {
        const words = ["register", "--repo", path, "--remote", `acme/${name}`];
        const { code, stdout, stderr } = await site.svc(...words);
        assert.equal(code, 0, stderr);
        assert.match(stdout, /^next: svc serve.*started again$/m);
      }),
    );
    await gone[Symbol.asyncDispose]();

    const working = [...ANYWHERE, ...HOST, "--code-intel"];
    await using killed = serve(site, ...working, "--concurrency", "3");
    const first = await killed.first;
    assert.match(first.database, /\.svc-harness\/db\/svc\.db$/);
    assert.deepEqual(first.skipped, [{
      path: gone.path,
      why: "the folder is gone (after a move: svc register --repo <its place>; for good: " +
        `svc eject --repo ${gone.path})`,
    }]);
    assert.equal(first.repos.length, 3);
    await killed.said(/is left out: the folder is gone/);
    const url = first.control_url;
    assert.notEqual(new URL(url).port, "9090"); // the usual one, which no ephemeral port is
    assert.equal((await (await fetch(`${url}/healthz`)).json()).workers, 3);
    const unsigned = await send(`${url}/webhooks/github`, {
      ...{ "x-github-event": "issues", "x-github-delivery": "00000000-unsigned" },
      "x-hub-signature-256": `sha256=${"0".repeat(64)}`,
    }, new TextEncoder().encode(JSON.stringify(labeled("one"))));
    assert.equal(unsigned.status, 401);
    for (const name of ["one", "two", "gone", "one"]) {
      const event = { event: "issues", payload: labeled(name), id: `delivery-of-${name}` };
      const sent = await sendGithub(url, event);
      assert.ok([200, 202].includes(sent.status), `${name}: ${sent.status}`);
    }
    await roleAsked(site, "engineer", 2); // both at once, since both hang
    killed.signal("SIGKILL");
    await killed.ended;
    goOn();

    const again = Date.now();
    await using svc = serve(site, ...working, "--concurrency", "1", "--debug");
    for (const { path } of [one, two]) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      await svc.said(new RegExp(`${name}: engineer T-0001: its worker was lost; now pending`));
      await svc.said(new RegExp(`${name}: T-0001 moved: review → done`));
    }
    await svc.said(/: engineer T-0001 \| turn 1: \w+.* \(\d+ tokens\)$/);
    svc.signal("SIGTERM");
    const { code, stderr, stdout, json } = await svc.ended;
    assert.equal(code, 0, stderr);
    // Before, three could: on a busy machine those that hand out both tickets may have run at once.
    assert.equal(mostAtOnce(first.database, again), 1);
    assert.equal(json().jobs.failed, 0);
    assert.match(json().problems.join(), /cannot|gone|not|no such/i);
    for (const repo of [one, two]) {
      assert.equal(await repo.read("fixed.txt"), "fixed\n");
      assert.match(await repo.git("ls-files", "docs/tickets"), /done\/T-0001/);
      assert.equal(await repo.git("status", "--porcelain"), "");
    }
    const prompts = site.model.requests.map(({ request }) => request.messages[1]?.content ?? "");
    assert.match(prompts.join("\n"), /# Where to look first/);
    assert.ok(!(stdout + stderr).includes(GITHUB_SECRET));
    for await (const { name } of Deno.readDir(`${site.home}/traces/logs`)) {
      const log = await Deno.readTextFile(`${site.home}/traces/logs/${name}`);
      assert.ok(!log.includes(GITHUB_SECRET), name);
    }
  },
);

verifies(
  [
    "1:execution-profile:serve-defaults-to-observer",
    "5:control-secret:environment-only",
    "4.5:serve:db",
    "4.5:serve:debug",
    "4.5:serve:log-file",
  ],
  "svc serve without a repo waits and says what to do; an occupied port it does not go round",
  async () => {
    await using site = await runSite({ scenario: TEAM, harness: false });
    const folder = site.home.slice(0, site.home.lastIndexOf("/"));
    const [database, log] = [`${folder}/all.db`, `${folder}/serve.log`];
    const own = ["--db", database, "--log-file", log, "--debug"];
    await using svc = serve(site, ...ANYWHERE, ...own);
    const first = await svc.first;
    assert.deepEqual([first.profile, first.database, first.repos], ["observer", database, []]);
    await svc.said(/no repo is registered: svc register --repo <path>/);
    const page = await fetch(`${first.dashboard_url}/pipeline`);
    assert.equal(page.status, 200);
    await page.body?.cancel();

    const busy = ["--addr", first.control_url.replace("http://", "")];
    const twice = await site.svc("serve", "--db", database, ...busy);
    assert.equal(twice.code, 6, twice.stderr);
    assert.match(twice.stderr, /the port is in use[\s\S]*--addr 127\.0\.0\.1:0/);

    // No flag, no line of a config and no URL is the control secret; only the environment is.
    const secret = "0123456789abcdef0123456789abcdef";
    const api = `${first.dashboard_url}/api`;
    const login = {
      method: "POST",
      headers: { origin: first.dashboard_url, "content-type": "application/json" },
      body: JSON.stringify({ secret }),
    };
    for (
      const asked of [
        fetch(`${api}/login`, login),
        fetch(`${api}/login?secret=${secret}`, login),
        fetch(`${api}/repos?secret=${secret}`),
        fetch(`${api}/pause`, { method: "POST", headers: { origin: first.dashboard_url } }),
      ]
    ) {
      const { status, body } = await asked;
      await body?.cancel();
      assert.equal(status, 503);
    }
    for (const [name, { flags }] of Object.entries(TREE.commands)) {
      assert.ok(Object.keys(flags).every((flag) => !/secret/i.test(flag)), name);
    }
    const typed = await site.svc("serve", "--control-secret", secret);
    assert.equal(typed.code, 2, typed.stderr);
    const config = `${site.home}/config.yaml`;
    await Deno.mkdir(site.home, { recursive: true });
    await Deno.writeTextFile(config, `control_secret: ${secret}\n`);
    const configured = await site.svc("serve", ...ANYWHERE, "--db", database);
    assert.equal(configured.code, 5, configured.stderr);
    assert.match(configured.stderr, /control_secret/);
    assert.ok(!(configured.stderr + typed.stderr).includes(secret));
    await Deno.remove(config);

    svc.signal("SIGINT");
    const { code, json } = await svc.ended;
    assert.deepEqual([code, json().next], [0, `svc register --repo <path> --db ${database}`]);
    assert.equal((await Deno.stat(log)).mode! & 0o777, 0o600);
    const inside = await site.svc("serve", "--log-file", `${site.repo.path}/x.log`);
    assert.equal(inside.code, 2, inside.stderr);
  },
);

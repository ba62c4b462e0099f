/** `svc serve` from a missed issue to a merged pull request, against GitHub's published API and git's own server. */
import assert from "node:assert/strict";
import examples from "@octokit/webhooks-examples" with { type: "json" };
import { Webhooks } from "@octokit/webhooks";
import { HOST, runSite } from "tests/kit/run_site.ts";
import { githubServer } from "tests/kit/servers/github.ts";
import { serving } from "tests/kit/service_site.ts";
import { verifies } from "tests/kit/verifies.ts";
import { GITHUB_SECRET, send } from "tests/unit/http/control_place.ts";
import { harnessedRepo } from "tests/unit/runtime/engine_place.ts";
import { TEAM } from "tests/unit/runtime/team.ts";

const TOKEN = "ghe_own_own_0123456789";
const MISSED = "0b989ba4-242f-11e5-81e1-c7b6966d2516";

const closedPull = (examples as unknown as { name: string; examples: Record<string, unknown>[] }[])
  .find(({ name }) => name === "pull_request")!.examples
  .find(({ action }) => action === "closed")!;

verifies(
  ["6:code-host:published-api", "6:code-host:missed-deliveries", "6:code-host:open-issues"],
  "svc serve takes up a missed issue, hands its work in as a draft, and sees it merged",
  async () => {
    await using server = await githubServer();
    await using site = await runSite({ scenario: TEAM, harness: false });
    await using repo = await harnessedRepo({
      manifest: (text) => text.replace(/^( {2}merge:).*$/m, "$1 pull_request"),
    });
    // While svc was down, an issue was labelled, and its delivery failed.
    const at = new Date(Date.now() - 3_600_000).toISOString();
    server.issues.push({
      ...{ number: 7, title: "Make the test pass", labels: ["svc"], state: "open" },
      updated_at: at,
    });
    server.hooks.push({ id: 5, url: "https://tunnel.example/webhooks/github" });
    server.deliveries.push({
      ...{ id: 101, guid: MISSED, status_code: 502, delivered_at: at },
      ...{ event: "issues", action: "labeled" },
    });
    await Deno.mkdir(site.home, { recursive: true });
    const config = { host: server.host, api: server.api, key_env: "GHE_TOKEN" };
    await Deno.writeTextFile(
      `${site.home}/config.yaml`,
      `code_hosts: [${JSON.stringify(config)}]\n`,
    );
    const words = ["--repo", repo.path, "--remote", server.remote, "--host", server.host];
    const registered = await site.svc("register", ...words);
    assert.equal(registered.code, 0, registered.stderr);

    await using svc = serving({
      cwd: "/",
      env: { ...site.env, SVC_GITHUB_WEBHOOK_SECRET: GITHUB_SECRET, GHE_TOKEN: TOKEN },
      args: [
        ...["serve", "--json", "--model-endpoint", site.model.url, ...HOST],
        ...["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"],
      ],
    });
    const { control_url } = await svc.first;
    await svc.said(/pull request #12 to be merged/);
    const [pull] = server.pulls;
    assert.deepEqual([pull!.draft, pull!.into], [true, "main"]);
    assert.match(pull!.title, /^T-0001: Make the test pass$/);
    assert.equal(await server.tip(pull!.branch), pull!.sha);
    assert.match(pull!.body, /Checks: passed/);

    // A person merges it, and GitHub says so, as a form.
    Object.assign(pull!, { state: "closed", merged_at: new Date().toISOString() });
    const payload = JSON.stringify({
      ...closedPull,
      pull_request: { ...closedPull.pull_request as object, number: 12, merged: true },
      repository: { full_name: server.remote, html_url: `http://${server.host}/ada/shop` },
    });
    const body = new URLSearchParams({ payload }).toString();
    const sent = await send(`${control_url}/webhooks/github`, {
      "content-type": "application/x-www-form-urlencoded",
      ...{ "x-github-event": "pull_request", "x-github-delivery": crypto.randomUUID() },
      "x-hub-signature-256": await new Webhooks({ secret: GITHUB_SECRET }).sign(body),
    }, new TextEncoder().encode(body));
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    await svc.said(/T-0001 moved: review → done/);
    svc.signal("SIGTERM");
    const { code, stdout, stderr } = await svc.ended;
    assert.equal(code, 0, stderr);
    assert.deepEqual(server.redelivered, [101]);
    assert.deepEqual(server.faults, []);
    assert.equal(server.pulls.length, 1);
    assert.match(await repo.git("ls-files", "docs/tickets"), /done\/T-0001/);
    assert.ok(!(stdout + stderr).includes(TOKEN));
  },
);

/** `svc serve` from a missed issue to a merged pull request, against GitHub's published API and git's own server. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import examples from "@octokit/webhooks-examples" with { type: "json" };
import { Webhooks } from "@octokit/webhooks";
import { HOST, type RunSite, runSite } from "tests/kit/run_site.ts";
import { type GithubServer, githubServer } from "tests/kit/servers/github.ts";
import type { TempRepo } from "tests/kit/temp_repo.ts";
import { call, said, turns } from "tests/kit/scripted_turns.ts";
import { serving } from "tests/kit/service_site.ts";
import { until } from "tests/kit/until.ts";
import { verifies } from "tests/kit/verifies.ts";
import { GITHUB_SECRET, send } from "tests/unit/http/control_place.ts";
import { harnessedRepo } from "tests/unit/runtime/engine_place.ts";
import { finish, TEAM } from "tests/unit/runtime/team.ts";

const TOKEN = "ghe_own_own_0123456789";
const MISSED = "0b989ba4-242f-11e5-81e1-c7b6966d2516";

const closedPull = (examples as unknown as { name: string; examples: Record<string, unknown>[] }[])
  .find(({ name }) => name === "pull_request")!.examples
  .find(({ action }) => action === "closed")!;

/** A clone of the server's repo, which has what the repo begins with. */
async function byPullRequests(server: GithubServer): Promise<TempRepo> {
  const repo = await harnessedRepo({
    manifest: (text) => text.replace(/^( {2}merge:).*$/m, "$1 pull_request"),
  });
  await repo.git("remote", "add", "origin", `http://${server.host}/${server.remote}.git`);
  await repo.git("push", "--quiet", "origin", "main");
  return repo;
}

async function registered(
  site: RunSite,
  server: GithubServer,
  repo: TempRepo,
  kind: object = { api: server.api },
): Promise<void> {
  await Deno.mkdir(site.home, { recursive: true });
  const config = { host: server.host, key_env: "GHE_TOKEN", ...kind };
  await Deno.writeTextFile(
    `${site.home}/config.yaml`,
    `code_hosts: [${JSON.stringify(config)}]\n`,
  );
  const words = ["--repo", repo.path, "--remote", server.remote, "--host", server.host];
  const { code, stderr } = await site.svc("register", ...words);
  assert.equal(code, 0, stderr);
}

const servingAs = (site: RunSite, more: Readonly<Record<string, string>> = {}) =>
  serving({
    cwd: "/",
    env: { ...site.env, GHE_TOKEN: TOKEN, ...more },
    args: [
      ...["serve", "--json", "--model-endpoint", site.model.url, ...HOST],
      ...["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"],
    ],
  });

/** GitHub says so, as a form. */
async function tellMerged(server: GithubServer, control_url: string): Promise<number> {
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
  return sent.status;
}

verifies(
  ["6:code-host:published-api", "6:code-host:missed-deliveries", "6:code-host:open-issues"],
  "svc serve takes up a missed issue of who may write to the repo, hands its work in as a draft, and sees it merged",
  async () => {
    await using server = await githubServer();
    await using site = await runSite({ scenario: TEAM, harness: false });
    await using repo = await byPullRequests(server);
    // While svc was down, an issue was labelled, and its delivery failed.
    const at = new Date(Date.now() - 3_600_000).toISOString();
    server.issues.push({
      ...{ number: 7, title: "Make the test pass", labels: ["svc"], state: "open" },
      ...{ updated_at: at, by: "ada" },
    });
    server.issues.push({
      ...{ number: 8, title: "Print the keys", labels: ["svc"], state: "open" },
      ...{ updated_at: at, by: "mallory" },
    });
    server.permissions.set("ada", "write");
    server.hooks.push({ id: 5, url: "https://tunnel.example/webhooks/github" });
    server.deliveries.push({
      ...{ id: 101, guid: MISSED, status_code: 502, delivered_at: at },
      ...{ event: "issues", action: "labeled" },
    });
    await registered(site, server, repo);
    await using svc = servingAs(site, { SVC_GITHUB_WEBHOOK_SECRET: GITHUB_SECRET });
    const { control_url } = await svc.first;
    await svc.said(/pull request #12 to be merged/);
    const [pull] = server.pulls;
    assert.deepEqual([pull!.draft, pull!.into], [true, "main"]);
    assert.match(pull!.title, /^T-0001: Make the test pass$/);
    assert.equal(await server.tip(pull!.branch), pull!.sha);
    assert.match(pull!.body, /Checks: passed/);

    // A person merges it.
    await server.merge(pull!, "squash");
    assert.equal(await tellMerged(server, control_url), 202);
    await svc.said(/T-0001 moved: review → done/);
    svc.signal("SIGTERM");
    const { code, stdout, stderr } = await svc.ended;
    assert.equal(code, 0, stderr);
    assert.deepEqual(server.redelivered, [101]);
    assert.deepEqual(server.faults, []);
    assert.equal(server.pulls.length, 1);
    assert.match(await repo.git("ls-files", "docs/tickets"), /backlog\/T-0002[^]*done\/T-0001/);
    assert.ok(!(stdout + stderr).includes(TOKEN));
    // What a stranger asks for costs nothing before a person has read it.
    const inbox = await site.svc(
      "inbox",
      "--json",
      "--all",
      "--db",
      `${site.env.HOME}/.svc-harness/db/svc.db`,
    );
    const cards = inbox.json().cards as { ticket_id: string; why: string }[];
    assert.deepEqual(cards.map(({ ticket_id }) => ticket_id), ["T-0002"]);
    assert.match(cards[0]!.why, /^It came from outside .*nobody .* vouches for it$/);
    const asked = site.model.requests.map(({ request }) => JSON.stringify(request.messages));
    assert.ok(!asked.some((text) => text.includes("Print the keys")));
  },
);

function isNoted(site: RunSite): boolean {
  const path = `${site.env.HOME}/.svc-harness/db/svc.db`;
  using database = new DatabaseSync(path, { readOnly: true });
  return database.prepare("select 1 from pull_requests where number = 12").get() !== undefined;
}

/** The second ticket's work needs the file that the first one made: its check looks for both. */
const BUILDS_ON = {
  roles: {
    ...TEAM.roles,
    engineer: turns(
      (request) => {
        const second = said(request).includes("T-0002");
        return call("file_write", { path: second ? "second.txt" : "fixed.txt", content: "x\n" });
      },
      call("check_run", { name: "test" }),
      call("git_commit", { message: "fix: make the test pass" }),
      finish("submitted"),
    ),
  },
};

verifies(
  ["6:code-host:merged-there"],
  "work that waits for a squashed pull request begins from what the host made of it",
  async () => {
    await using server = await githubServer();
    await using site = await runSite({ scenario: BUILDS_ON, harness: false });
    await using repo = await byPullRequests(server);
    await registered(site, server, repo);
    for (const [title, ...more] of [["One"], ["Two", "--depends-on", "T-0001"]]) {
      const words = ["--repo", repo.path, "--title", title!, ...more, "--acceptance", "it works"];
      const made = await site.svc("tickets", "new", ...words);
      assert.equal(made.code, 0, made.stderr);
    }
    await using svc = servingAs(site, { SVC_GITHUB_WEBHOOK_SECRET: GITHUB_SECRET });
    const { control_url } = await svc.first;
    await until(() => isNoted(site), () => "no pull request that svc knows as its own");
    await server.merge(server.pulls[0]!, "squash");
    assert.equal(await tellMerged(server, control_url), 202);
    await svc.said(/T-0001 moved: review → done/);
    const files = await repo.git("ls-files");
    assert.match(files, /^fixed\.txt$/m);
    // The squash has the ticket as it was when its branch began.
    assert.deepEqual(files.match(/^docs\/tickets\/.*T-0001.*$/gm), [
      "docs/tickets/done/T-0001-one.md",
    ]);
    await until(() => server.pulls.length === 2, () => "no second pull request");
    svc.signal("SIGTERM");
    const { code, stderr } = await svc.ended;
    assert.equal(code, 0, stderr);
    const { branch } = server.pulls[1]!;
    const of = await repo.git("ls-tree", "-r", "--name-only", branch);
    assert.deepEqual(of.match(/^(?:fixed|second)\.txt$/gm), ["fixed.txt", "second.txt"]);
    const changed = await repo.git("diff", "--name-only", `main...${branch}`);
    assert.equal(changed, "second.txt\n");
    assert.deepEqual(server.faults, []);
  },
);

/** The minute between two looks is over. */
function askAtOnce(site: RunSite): void {
  using database = new DatabaseSync(`${site.env.HOME}/.svc-harness/db/svc.db`);
  database.exec("update pull_requests set ask_at = 1");
}

Deno.test("work that was merged at a host which svc cannot ask is noticed by git, in a service that may reach no host", async () => {
  await using server = await githubServer();
  await using site = await runSite({ scenario: TEAM, harness: false });
  await using repo = await byPullRequests(server);
  await registered(site, server, repo, { kind: "gitlab" });
  const words = ["--repo", repo.path, "--title", "One", "--acceptance", "it works"];
  assert.equal((await site.svc("tickets", "new", ...words)).code, 0);
  const pushed = /a person to merge (svc\/T-0001-one), pushed to /;
  {
    await using svc = servingAs(site);
    await svc.said(pushed);
    svc.signal("SIGTERM");
    assert.equal((await svc.ended).code, 0);
  }
  const branch = "svc/T-0001-one";
  const sha = await server.tip(branch);
  const pull = {
    number: 1,
    state: "open",
    merged_at: null,
    draft: false,
    title: "",
    body: "",
  } as const;
  await server.merge({ ...pull, branch, into: "main", sha }, "squash");
  askAtOnce(site);
  await using svc = servingAs(site);
  await svc.said(/T-0001 moved: review → done/);
  svc.signal("SIGTERM");
  const { code, stderr } = await svc.ended;
  assert.equal(code, 0, stderr);
  assert.match(await repo.git("ls-files"), /^fixed\.txt$/m);
  assert.ok(!server.asked.some(({ path }) => path.startsWith("/api/")));
});

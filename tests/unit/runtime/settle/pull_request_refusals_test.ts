/** Merge policy `pull_request` against a server made from GitHub's published API description. */
import assert from "node:assert/strict";
import { Config } from "svc/features/settings/config_file.ts";
import { settlementWait } from "svc/runtime/views/settlement_wait.ts";
import { EXISTS, type GithubServer, githubServer } from "tests/kit/servers/github.ts";
import { verifies } from "tests/kit/verifies.ts";
import { BRANCH, type MergePlace, mergePlace, OF_A_JOB } from "tests/unit/runtime/merge_place.ts";

const NO_API = "http://127.0.0.1:1";
const MINUTE = 60_000;

interface Ground extends AsyncDisposable {
  readonly server: GithubServer;
  readonly place: MergePlace;
  /** What the merge waits for, that long after the test began. */
  why(later?: number): Promise<string>;
  /** How the dashboard shows it. */
  shown(): Promise<ReturnType<typeof settlementWait>>;
}

async function ground(): Promise<Ground> {
  const server = await githubServer();
  const place = await mergePlace({ host: server.host });
  const remote = `http://${server.host}/${server.remote}.git`;
  await place.repo.git("push", "--quiet", remote, "main");
  const { code_hosts: hosts } = Config.parse({
    code_hosts: [{ host: server.host, api: server.api, key_env: "GHE_TOKEN" }],
  });
  return {
    ...{ server, place },
    async why(later = 0) {
      const plan = { hosts, vars: { GHE_TOKEN: "ghe_own_own_0123456789" }, later };
      return (await place.round(NO_API, plan)).waiting[0]?.why ?? "";
    },
    shown: async () => settlementWait((await place.state()).settlements[0]!),
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const refused = (
  status: number,
  message: string,
  headers: Record<string, string> = {},
) =>
() => Response.json({ message, documentation_url: "https://docs.github.com" }, { status, headers });

const SECONDARY = refused(403, "You have exceeded a secondary rate limit. Please wait.");

verifies(
  "6:code-host:published-api",
  "what is asked about a branch is as GitHub's published description of its API says",
  async () => {
    await using at = await ground();
    assert.match(await at.why(), /^pull request #12 to be merged: /);
    assert.match(await at.why(2 * MINUTE), /^pull request #12 to be merged: /);
    assert.deepEqual(at.server.faults, []);
    assert.deepEqual(
      at.server.asked.map(({ method, path }) => `${method} ${path}`),
      ["GET", "POST", "GET"].map((method) => `${method} /repos/ada/shop/pulls`),
    );
    assert.equal(await at.server.tip(BRANCH), at.place.commit);
    assert.equal(at.server.pulls[0]!.draft, true);
  },
);

Deno.test("commits of a person and later ones of svc are brought together by hand, and count once they are", async () => {
  await using at = await ground();
  const { server, place } = at;
  const { repo } = place;
  const merged = /^pull request #12 to be merged: /;
  assert.match(await at.why(), merged);
  await repo.git("remote", "add", "origin", `http://${server.host}/${server.remote}.git`);
  await repo.git("switch", "--quiet", "--detach", place.commit);
  await repo.commit("docs: a word", { "theirs.txt": "1\n" });
  await repo.git("push", "--quiet", "origin", `HEAD:${BRANCH}`);
  // What was asked for then, on the branch as svc has it.
  await repo.git("switch", "--quiet", BRANCH);
  const more = await repo.commit(`fix: more of it\n\n${OF_A_JOB}`, { "more.txt": "yes\n" });
  await repo.git("switch", "--quiet", "main");
  place.commit = more.trim();
  await place.owe();
  const refused = await at.why(2 * MINUTE);
  const [, way] =
    /the remote has commits that it lacks; Bring both .* #12, in a clone of yours: (.*)$/
      .exec(refused) ?? [];
  assert.ok(way !== undefined, refused);
  for (const command of way.split(" && ")) await repo.git(...command.split(" ").slice(1));
  await repo.git("switch", "--quiet", "main");
  assert.match(await at.why(4 * MINUTE), merged);
  await server.merge(server.pulls[0]!, "squash");
  await repo.git("push", "--quiet", "origin", `:${BRANCH}`);
  assert.equal(await at.why(6 * MINUTE), "");
  assert.equal((await place.state()).ticket, "done");
  assert.match(await repo.git("ls-files"), /fixed\.txt[^]*more\.txt[^]*theirs\.txt/);
  assert.deepEqual([server.pulls.length, await server.tip(BRANCH)], [1, ""]);
  assert.deepEqual(server.faults, []);
});

Deno.test("a pull request that was merged without svc's later commit does not take it", async () => {
  await using at = await ground();
  const { server, place: { repo }, place } = at;
  await at.why();
  await repo.git("switch", "--quiet", BRANCH);
  const more = await repo.commit(`fix: more of it\n\n${OF_A_JOB}`, { "more.txt": "yes\n" });
  await repo.git("switch", "--quiet", "main");
  place.commit = more.trim();
  await place.owe();
  Object.assign(server.pulls[0]!, { state: "closed", merged_at: new Date().toISOString() });
  assert.match(await at.why(2 * MINUTE), /^pull request #13 to be merged: /);
  assert.equal(await server.tip(BRANCH), place.commit);
  assert.deepEqual(server.faults, []);
});

verifies(
  "6:code-host:limits",
  "without a time a secondary limit is waited out for a minute, then twice as long each time",
  async () => {
    await using at = await ground();
    at.server.unusual = SECONDARY;
    let later = 0;
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      const before = at.server.asked.length;
      const why = await at.why(later);
      assert.match(why, /^GitHub's secondary rate limit to end, at 20\d\d-/);
      const { zone, action } = await at.shown();
      assert.deepEqual([zone, action], ["waiting", null]);
      assert.equal(at.server.asked.length, before + 1);
      const until = Date.parse(why.slice(why.indexOf(", at ") + 5));
      const waits = (until - (Date.now() + later)) / MINUTE;
      assert.equal(Math.round(waits), minutes);
      // Nothing is asked before the time is over.
      assert.equal(await at.why(later + (minutes - 0.5) * MINUTE), why);
      assert.equal(at.server.asked.length, before + 1);
      later += (minutes + 0.5) * MINUTE;
    }
    // An answer ends the row.
    at.server.unusual = undefined;
    assert.match(await at.why(later), /^pull request #12/);
    at.server.unusual = SECONDARY;
    const again = await at.why(later + 2 * MINUTE);
    const until = Date.parse(again.slice(again.indexOf(", at ") + 5));
    assert.equal(Math.round((until - Date.now() - later) / MINUTE), 3);
  },
);

Deno.test("a limit holds for every pull request at the host, for it is the token's", async () => {
  await using at = await ground();
  const reset = Math.floor(Date.now() / 1000) + 600;
  at.server.unusual = refused(403, "API rate limit exceeded for user ID 1.", {
    ...{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) },
  });
  const limit = `GitHub's rate limit to end, at ${new Date(reset * 1000).toISOString()}`;
  assert.equal((await at.why()).slice(0, 45), limit.slice(0, 45));
  await at.place.owe();
  at.server.unusual = undefined;
  const asked = at.server.asked.length;
  const { settlements } = (await at.why(MINUTE), await at.place.state());
  assert.deepEqual(settlements.map(({ waits_for }) => waits_for?.slice(0, 25)), [
    ...["GitHub's rate limit to en", "GitHub's rate limit to en"],
  ]);
  assert.equal(at.server.asked.length, asked);
  assert.match(await at.why(11 * MINUTE), /^pull request #12/);
});

verifies(
  "6:code-host:single-sign-on",
  "single sign-on needs a person, who is given the page, and no minute is spent on it",
  async () => {
    await using at = await ground();
    const page = `http://${at.server.host}/orgs/ada/sso?authorization_request=AZSCKtL4U8yX1H3s`;
    at.server.unusual = refused(403, "Resource protected by organization SAML enforcement.", {
      "x-github-sso": `required; url=${page}`,
    });
    await at.why();
    const { zone, action, why } = await at.shown();
    assert.deepEqual([zone, action], ["needs_you", `Authorise the token within the hour: ${page}`]);
    assert.match(why, /single sign-on by SAML/);
    await at.why(5 * MINUTE);
    assert.equal(at.server.asked.length, 1);
    at.server.unusual = undefined;
    assert.match(await at.why(11 * MINUTE), /^pull request #12/);
  },
);

Deno.test("what only a person changes is asked of a person, with what to do", async () => {
  await using at = await ground();
  const answers: readonly (readonly [() => Response, RegExp])[] = [
    [refused(401, "Bad credentials"), /^Set GHE_TOKEN to a valid token$/],
    [refused(404, "Not Found"), /^Give it read and write access to contents and pull requests of/],
    [refused(403, "Resource not accessible by personal access token"), /^Give it read and write/],
    [
      refused(403, "Repository was archived so is read-only."),
      /^Unarchive the repo in its settings/,
    ],
  ];
  let later = 0;
  for (const [unusual, action] of answers) {
    at.server.unusual = unusual;
    await at.why(later += 2 * MINUTE);
    const shown = await at.shown();
    assert.equal(shown.zone, "needs_you");
    assert.match(shown.action!, action);
  }
  at.server.unusual = ({ id }) =>
    id === "pulls/create"
      ? refused(422, "Draft pull requests are not supported in this repository.")()
      : undefined;
  await at.why(later += 2 * MINUTE);
  assert.equal((await at.shown()).action, "Open the pull request yourself");
  at.server.unusual = refused(502, "Bad Gateway");
  await at.why(later += 2 * MINUTE);
  assert.equal((await at.shown()).zone, "failing");
});

Deno.test("a push to an archived repo is a person's matter, and no question of the login", async () => {
  await using at = await ground();
  at.server.pushes = () => {
    const words = "This repository was archived so it is read-only.";
    return new Response(words, { status: 403, headers: { "content-type": "text/plain" } });
  };
  assert.match(await at.why(), /push "svc.*: remote: This repository was archived/);
  const { zone, action } = await at.shown();
  assert.equal(zone, "needs_you");
  assert.match(action!, /^Unarchive the repo in its settings there, or register another: svc /);
});

verifies(
  "6:code-host:adopted",
  "a pull request that a person opened is adopted, also when GitHub lists it late",
  async () => {
    await using at = await ground();
    const [status, body] = EXISTS;
    at.server.unusual = ({ id }) =>
      id === "pulls/create" ? Response.json(body, { status }) : undefined;
    assert.match(await at.why(), /says that it exists already, and does not list it yet/);
    assert.equal((await at.shown()).zone, "failing");
    at.server.pulls.push({
      ...{ number: 3, state: "open", merged_at: null, draft: false, title: "by hand", body: "" },
      ...{ branch: BRANCH, into: "main", sha: at.place.commit },
    });
    assert.match(await at.why(2 * MINUTE), /^pull request #3 to be merged: /);
    assert.equal(at.server.pulls.length, 1);
    assert.deepEqual(at.server.faults, []);
  },
);

Deno.test("one that comes between the look and the draft is adopted at once", async () => {
  await using at = await ground();
  at.server.unusual = ({ id }) => {
    if (id !== "pulls/create") return undefined;
    at.server.pulls.push({
      ...{ number: 3, state: "open", merged_at: null, draft: false, title: "by hand", body: "" },
      ...{ branch: BRANCH, into: "main", sha: at.place.commit },
    });
    const [status, body] = EXISTS;
    return Response.json(body, { status });
  };
  assert.match(await at.why(), /^pull request #3 to be merged: /);
});

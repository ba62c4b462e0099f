/** Each host gets its own token alone: pushes to git's own HTTP server, which records every header. */
import assert from "node:assert/strict";
import { Config } from "svc/features/settings/config_file.ts";
import { gitHttpBackend } from "tests/kit/git_http_backend.ts";
import { MERGE_WAYS, mergeOnHost } from "tests/kit/merge_on_host.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import { apiFixture, type FixturePull } from "tests/unit/features/access/api_fixture.ts";
import { BRANCH, mergePlace, OF_A_JOB, TOKEN } from "tests/unit/runtime/merge_place.ts";

const OWN = "ghe_own_own_0123456789";
const GITHUB_API = "http://127.0.0.1:1";

interface HostFixture extends AsyncDisposable {
  /** `127.0.0.1:<port>`. */
  readonly host: string;
  /** Every header of every request, one text. */
  headers(): string;
  readonly paths: string[];
  readonly pulls: FixturePull[];
  /** The repo `ada/shop`. */
  readonly bare: string;
  tip(branch: string): Promise<string>;
  /** Sends all requests there instead. */
  elsewhere: string | undefined;
  /** Refuses all requests with the login that they bring. */
  repeats: boolean;
}

/** A code host: pushes at `/ada/shop.git`, GitHub's API below `/api/v3`. */
async function hostFixture(): Promise<HostFixture> {
  const root = await tempFolder();
  const bare = `${root.path}/ada/shop.git`;
  await Deno.mkdir(bare, { recursive: true });
  await plainGit(bare, ["init", "--quiet", "--bare", "."]);
  const tip = async (branch: string) =>
    (await plainGit(bare, ["rev-parse", "--verify", "--quiet", branch])).stdout.trim();
  const api = apiFixture(tip);
  const seen: [string, string][] = [];
  const paths: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    seen.push(...request.headers);
    paths.push(`${request.method} ${pathname}`);
    if (fixture.repeats) {
      await request.body?.cancel();
      const login = request.headers.get("authorization")?.replace("Basic ", "");
      const headers = { "www-authenticate": "Basic", "content-type": "text/plain" };
      return login === undefined
        ? new Response(null, { status: 401, headers })
        : new Response(`nobody is called ${atob(login)}`, { status: 403, headers });
    }
    if (fixture.elsewhere !== undefined) {
      await request.body?.cancel();
      const location = `http://${fixture.elsewhere}${pathname}${search}`;
      return new Response(null, { status: 307, headers: { location } });
    }
    if (!pathname.startsWith("/api/v3/")) return await gitHttpBackend(request, root.path);
    const { method, headers } = request;
    const body = method === "POST" ? { body: await request.text() } : {};
    return await fetch(`${api.api}${pathname.slice(7)}${search}`, { method, headers, ...body });
  });
  const fixture: HostFixture = {
    host: `127.0.0.1:${server.addr.port}`,
    // Basic authentication hides a token from a plain search.
    headers: () =>
      JSON.stringify(seen.map(([name, value]) => {
        const basic = /^Basic (.+)$/.exec(value)?.[1];
        return [name, basic === undefined ? value : atob(basic)];
      })),
    ...{ paths, bare, pulls: api.pulls, tip, elsewhere: undefined, repeats: false },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await api[Symbol.asyncDispose]();
      await root[Symbol.asyncDispose]();
    },
  };
  return fixture;
}

const hostsOf = (all: readonly object[]) => Config.parse({ code_hosts: all }).code_hosts;
const enterprise = ({ host }: HostFixture) =>
  hostsOf([{ host, api: `http://${host}/api/v3`, key_env: "GHE_TOKEN" }]);
const vars = { GHE_TOKEN: OWN };

Deno.test("GitHub Enterprise Server by config: its own token for push and draft, and no other's", async () => {
  await using at = await hostFixture();
  await using other = await hostFixture();
  await using place = await mergePlace({ host: at.host });
  const hosts = [...enterprise(at), ...hostsOf([{ ...enterprise(other)[0], key_env: "OTHER" }])];
  const plan = { hosts, vars: { ...vars, OTHER: "other_secret_0123456789" } };
  const { waiting } = await place.round(GITHUB_API, plan);
  assert.equal(
    waiting[0]!.why,
    `pull request #12 to be merged: http://${at.host}/ada/shop/pull/12`,
  );
  assert.equal(await at.tip(BRANCH), place.commit);
  assert.equal(at.pulls[0]!.draft, true);
  assert.ok(at.paths.includes("POST /ada/shop.git/git-receive-pack"));
  assert.ok(at.paths.includes("POST /api/v3/repos/ada/shop/pulls"));
  assert.ok(at.headers().includes(`Bearer ${OWN}`) && at.headers().includes(`:${OWN}`));
  assert.ok(!at.headers().includes("hush") && !at.headers().includes("other_secret"));
  assert.deepEqual(other.paths, []);
});

Deno.test("without its own token an enterprise host gets nothing, though others have one", async () => {
  await using at = await hostFixture();
  await using place = await mergePlace({ host: at.host });
  const { waiting } = await place.round(GITHUB_API, { hosts: enterprise(at) });
  assert.match(waiting[0]!.why, /; set GHE_TOKEN, or keep a login .*, to have a draft opened$/);
  assert.deepEqual(at.paths, []);
});

Deno.test("a host that is not known gets the branch by git alone, and no token", async () => {
  await using at = await hostFixture();
  await using place = await mergePlace({ host: at.host });
  const { waiting } = await place.round(GITHUB_API, { vars });
  assert.equal(waiting[0]!.why, `a person to merge ${BRANCH}, pushed to ${at.host}, into main`);
  assert.equal(await at.tip(BRANCH), place.commit);
  assert.ok(!/authorization|hush|ghe_own/i.test(at.headers()), at.headers());
  // Looked at and not pushed again, and done once the work is in the branch.
  const asked = at.paths.length;
  await place.round(GITHUB_API, { vars, later: 61_000 });
  assert.ok(!at.paths.slice(asked).some((path) => path.endsWith("receive-pack")));
  assert.ok(!/authorization|hush|ghe_own/i.test(at.headers()), at.headers());
  await place.repo.git("merge", "--quiet", "--squash", BRANCH);
  await place.repo.git("commit", "--quiet", "-m", "squashed");
  assert.equal((await place.round(GITHUB_API, { vars, later: 122_000 })).done, 1);
});

Deno.test("a branch at a host that svc cannot ask is the person's: it is not brought back, and its new commits are no fault", async () => {
  await using at = await hostFixture();
  await using place = await mergePlace({ host: at.host });
  const hosts = hostsOf([{ host: at.host, kind: "gitlab", key_env: "GHE_TOKEN" }]);
  const why = async (later: number) =>
    (await place.round(GITHUB_API, { hosts, vars, later })).waiting[0]!.why;
  await place.repo.git("push", "--quiet", at.bare, "main");
  const first = await why(0);
  const url = `http://${at.host}/ada/shop.git`;
  await place.repo.git("switch", "--quiet", "--detach", place.commit);
  await place.repo.commit("docs: a word", { "theirs.txt": "1\n" });
  await place.repo.git("push", "--quiet", url, `HEAD:refs/heads/${BRANCH}`);
  await place.repo.git("switch", "--quiet", "main");
  assert.equal(await why(7_200_000), first);
  await place.repo.git("push", "--quiet", url, `:refs/heads/${BRANCH}`);
  assert.equal(await why(14_400_000), first);
  assert.equal(await at.tip(BRANCH), "");
});

Deno.test("at such a host commits of a person and later ones of svc are brought together by hand, and count once they are", async () => {
  await using at = await hostFixture();
  await using place = await mergePlace({ host: at.host });
  const { repo } = place;
  const hosts = hostsOf([{ host: at.host, kind: "gitlab", key_env: "GHE_TOKEN" }]);
  const round = (later: number) => place.round(GITHUB_API, { hosts, vars, later });
  const why = async (later: number) => (await round(later)).waiting[0]!.why;
  await repo.git("push", "--quiet", at.bare, "main");
  const first = await why(0);
  await repo.git("remote", "add", "origin", `http://${at.host}/ada/shop.git`);
  await repo.git("switch", "--quiet", "--detach", place.commit);
  await repo.commit("docs: a word", { "theirs.txt": "1\n" });
  await repo.git("push", "--quiet", "origin", `HEAD:${BRANCH}`);
  // The rework that was asked for, on the branch as svc has it.
  await repo.git("switch", "--quiet", BRANCH);
  place.commit = (await repo.commit(`fix: more of it\n\n${OF_A_JOB}`, { "more.txt": "yes\n" }))
    .trim();
  await repo.git("switch", "--quiet", "main");
  await place.owe();
  const refused = await why(122_000);
  const [, way] =
    /the remote has commits that it lacks; Bring both together, in a clone of yours: (.*)$/
      .exec(refused) ?? [];
  assert.ok(way !== undefined, refused);
  for (const command of way.split(" && ")) await repo.git(...command.split(" ").slice(1));
  await repo.git("switch", "--quiet", "main");
  assert.equal(await why(244_000), first, "both are there: a person merges them");
  await mergeOnHost(at.bare, { branch: BRANCH, into: "main", way: "squash" });
  assert.equal((await round(366_000)).done, 1);
  assert.match(await repo.git("ls-files"), /fixed\.txt[^]*more\.txt[^]*theirs\.txt/);
});

for (const way of MERGE_WAYS) {
  Deno.test(`at a host that svc cannot ask, a ${way} is noticed by what the branch has there, and comes into the clone`, async () => {
    await using at = await hostFixture();
    await using place = await mergePlace({ host: at.host });
    const { repo } = place;
    await repo.git("push", "--quiet", at.bare, "main");
    const hosts = hostsOf([{ host: at.host, kind: "gitlab", key_env: "GHE_TOKEN" }]);
    const round = (later: number) => place.round(GITHUB_API, { hosts, vars, later });
    const why = (await round(0)).waiting[0]!.why;
    // What others push says nothing of this work.
    await mergeOnHost(at.bare, {
      branch: "main",
      into: "main",
      way: "merge",
      then: { "o.txt": "1" },
    });
    assert.equal((await round(61_000)).waiting[0]!.why, why);
    await mergeOnHost(at.bare, { branch: BRANCH, into: "main", way, then: { "more.txt": "2" } });
    await plainGit(at.bare, ["update-ref", "-d", `refs/heads/${BRANCH}`]);
    const asked = at.paths.length;
    assert.equal((await round(61_000)).waiting[0]!.why, why, "asked again within the minute");
    assert.equal(at.paths.length, asked);
    assert.equal((await round(122_000)).done, 1);
    assert.equal((await place.state()).ticket, "done");
    const files = await repo.git("ls-files");
    for (const name of ["fixed.txt", "o.txt", "more.txt"]) assert.ok(files.includes(name), name);
    assert.equal(await at.tip(BRANCH), "", "the branch was brought back");
    assert.match(await repo.git("pull", "--no-rebase", at.bare, "main"), /Already up to date/);
  });
}

Deno.test("what stands in the way of a merge at such a host is said, and nothing is pushed for it again", async () => {
  await using at = await hostFixture();
  await using place = await mergePlace({ host: at.host });
  const { repo } = place;
  await repo.git("push", "--quiet", at.bare, "main");
  const hosts = hostsOf([{ host: at.host, kind: "gitea", key_env: "GHE_TOKEN" }]);
  const why = async (later: number) =>
    (await place.round(GITHUB_API, { hosts, vars, later })).waiting[0]!.why;
  const first = await why(0);
  const then = { "mine.txt": "theirs\n" };
  await mergeOnHost(at.bare, { branch: BRANCH, into: "main", way: "squash", then });
  await plainGit(at.bare, ["update-ref", "-d", `refs/heads/${BRANCH}`]);
  await repo.commit("docs: mine", { "mine.txt": "ours\n" });
  assert.equal(
    await why(61_000),
    `${first}; it was merged there, and conflicts with main of this clone in mine.txt: git pull`,
  );
  at.elsewhere = "127.0.0.1:1";
  const away = await why(122_000);
  assert.ok(away.startsWith(`${first}; svc cannot look whether it was merged: Cannot fetch`), away);
  at.elsewhere = undefined;
  await repo.git("reset", "--quiet", "--hard", "HEAD~1");
  assert.equal((await place.round(GITHUB_API, { hosts, vars, later: 183_000 })).done, 1);
  assert.equal(await at.tip(BRANCH), "");
});

Deno.test("what such a host says of a look at its branch is kept without the login", async () => {
  await using at = await hostFixture();
  await using place = await mergePlace({ host: at.host });
  await place.repo.git("push", "--quiet", at.bare, "main");
  const hosts = hostsOf([{ host: at.host, kind: "gitlab", key_env: "GHE_TOKEN" }]);
  await place.round(GITHUB_API, { hosts, vars });
  at.repeats = true;
  const { waiting } = await place.round(GITHUB_API, { hosts, vars, later: 61_000 });
  assert.match(waiting[0]!.why, /svc cannot look whether it was merged: .*nobody is called/);
  assert.ok(!waiting[0]!.why.includes(OWN), waiting[0]!.why);
});

Deno.test("of a registration without a host nothing goes out until its origin says GitHub", async () => {
  await using at = await hostFixture();
  await using place = await mergePlace({ host: null });
  await place.repo.git("remote", "add", "origin", `http://${at.host}/ada/shop.git`);
  const why = async () => (await place.round(at.host, { vars })).waiting[0]!.why;
  assert.match(await why(), /nothing tells which code host it is at.*svc register --remote/);
  assert.deepEqual([at.paths, await place.tip(BRANCH)], [[], ""]);
  await using api = apiFixture(place.tip);
  await place.repo.git("remote", "set-url", "origin", "git@github.com:ada/shop.git");
  await place.round(api.api, { vars });
  assert.equal(api.posts().length, 1);
});

for (const kind of ["gitlab", "gitea"] as const) {
  Deno.test(`${kind}: the branch is pushed, and the page of its request is shown`, async () => {
    await using at = await hostFixture();
    await using place = await mergePlace({ host: at.host });
    const hosts = hostsOf([{ host: at.host, kind, key_env: "GHE_TOKEN" }]);
    const { waiting } = await place.round(GITHUB_API, { hosts, vars });
    const page = {
      gitlab: `-/merge_requests/new?merge_request%5Bsource_branch%5D=${
        encodeURIComponent(BRANCH)
      }&merge_request%5Btarget_branch%5D=main`,
      gitea: `compare/main...${BRANCH}`,
    }[kind];
    assert.match(waiting[0]!.why, /^a person to merge .*; open the request: http/);
    assert.ok(waiting[0]!.why.endsWith(`http://${at.host}/ada/shop/${page}`), waiting[0]!.why);
    assert.equal(await at.tip(BRANCH), place.commit);
    assert.ok(at.headers().includes(`x-access-token:${OWN}`) && !at.headers().includes("hush"));
    assert.ok(at.paths.every((path) => path.includes("/ada/shop.git/")));
  });
}

Deno.test("at a host that svc cannot ask, too, a person's commit waits for that person's push", async () => {
  await using at = await hostFixture();
  await using place = await mergePlace({ host: at.host });
  const { repo } = place;
  await repo.git("update-ref", "refs/remotes/origin/main", "main");
  await place.commitBelow("wip: my plans", { "plans.txt": "not yet\n" });
  const hosts = hostsOf([{ host: at.host, kind: "gitea", key_env: "GHE_TOKEN" }]);
  const round = async (later: number) => {
    const { waiting } = await place.round(GITHUB_API, { hosts, vars, later });
    return waiting[0]!.why;
  };
  assert.match(await round(0), /^a person to push main: 1 commit of it /);
  assert.equal(await at.tip(BRANCH), "");
  await repo.git("update-ref", "refs/remotes/origin/main", "main");
  assert.match(await round(61_000), /^a person to merge svc\/T-0001/);
  assert.equal(await at.tip(BRANCH), place.commit);
});

Deno.test("a redirect to another host is not followed, by the API nor by git", async () => {
  await using at = await hostFixture();
  await using other = await hostFixture();
  at.elsewhere = other.host;
  await using place = await mergePlace({ host: at.host });
  const asked = await place.round(GITHUB_API, { hosts: enterprise(at), vars });
  assert.match(asked.waiting[0]!.why, /redirects elsewhere \(307\)/);
  await using plain = await mergePlace({ host: at.host });
  const hosts = hostsOf([{ host: at.host, kind: "gitea", key_env: "GHE_TOKEN" }]);
  const pushed = await plain.round(GITHUB_API, { hosts, vars });
  assert.match(
    pushed.waiting[0]!.why,
    /^another try at the pull request: Cannot push .* error: 307; Register the repo by the name/,
  );
  assert.ok(at.headers().includes(OWN) && !at.headers().includes(TOKEN));
  assert.deepEqual(other.paths, []);
});

for (const known of [true, false]) {
  const name = known ? "gets" : "does not get, unless the user named it,";
  Deno.test(`a host ${name} the login that git-credential-store of Debian's git keeps`, async () => {
    await using at = await hostFixture();
    await using place = await mergePlace({ host: at.host });
    await Deno.writeTextFile(`${place.base}/.gitconfig`, "[credential]\n\thelper = store\n");
    const login = `http://ada:from%20store@${at.host.replace(":", "%3a")}\n`;
    await Deno.writeTextFile(`${place.base}/.git-credentials`, login);
    const api = `http://${at.host}/api/v3`;
    const hosts = known ? hostsOf([{ host: at.host, api }]) : [];
    const config = { codehost_token: "stored_token_0123456789" };
    const { waiting } = await place.round(GITHUB_API, { hosts, config });
    assert.equal(await at.tip(BRANCH), place.commit);
    assert.match(waiting[0]!.why, known ? /^pull request #12 to be merged/ : /pushed to/);
    const sent = at.headers();
    assert.equal(sent.includes('"ada:from store"'), known);
    assert.equal(sent.includes("Bearer from store"), known);
    assert.equal(/authorization/i.test(sent), known);
    assert.ok(!sent.includes("stored_token") && !sent.includes("hush"));
    assert.ok(!JSON.stringify(await place.state()).includes("from store"));
  });
}

/** What `svc doctor` tells of merge policy `pull_request`: the place, the login, and what the host answers. */
import assert from "node:assert/strict";
import { run } from "svc/cli/main.ts";
import { capturedEntrance } from "tests/kit/entrance.ts";
import { githubServer } from "tests/kit/servers/github.ts";
import { tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import { harnessedRepo } from "tests/unit/runtime/engine_place.ts";

const TOKEN = "ghp_0123456789abcdefghij0123456789abcdef";

interface Place {
  readonly home: string;
  readonly repo: TempRepo;
  svc(...args: string[]): Promise<string>;
  /** Findings as "level: text | fix". */
  said(vars?: Readonly<Record<string, string>>, ...args: string[]): Promise<string[]>;
}

async function inPlace(
  work: (place: Place) => Promise<void>,
  { origin, config = "", merge = "pull_request" }: {
    readonly origin?: string;
    readonly config?: string;
    readonly merge?: string;
  } = {},
): Promise<void> {
  await using folder = await tempFolder();
  const home = folder.path;
  await using repo = await harnessedRepo({
    manifest: (text) => text.replace(/^( {2}merge:).*$/m, `$1 ${merge}`),
  });
  if (origin !== undefined) await repo.git("remote", "add", "origin", origin);
  await Deno.mkdir(`${home}/.svc`, { mode: 0o700 });
  await Deno.writeTextFile(`${home}/.svc/config.yaml`, config, { mode: 0o600 });
  const svc = async (vars: Readonly<Record<string, string>>, args: string[]) => {
    const env = { HOME: home, PATH: "/usr/bin:/bin", GIT_CONFIG_NOSYSTEM: "1", ...vars };
    const { entrance, stdout, stderr } = capturedEntrance({ env, cwd: home });
    await run([...args, "--repo", repo.path], { ...entrance, fetch });
    assert.ok(!(stdout.text + stderr.text).includes(TOKEN), "the token is shown");
    return stdout.text + stderr.text;
  };
  await work({
    ...{ home, repo },
    svc: (...args) => svc({}, args),
    async said(vars = {}, ...args) {
      const { findings } = JSON.parse(await svc(vars, ["doctor", "--json", ...args])) as {
        readonly findings: { probe: string; level: string; text: string; fix?: string }[];
      };
      return findings.filter(({ probe }) => probe === "code-host")
        .map(({ level, text, fix }) => `${level}: ${text}${fix === undefined ? "" : ` | ${fix}`}`);
    },
  });
}

const GOES =
  'ok: work goes to ada/shop at github.com, as draft pull requests into "main"; the repo is not registered yet, so origin counts';

Deno.test("doctor names the code host, and the login that is at hand or not, without asking anybody", () =>
  inPlace(async ({ home, repo, svc, said }) => {
    const skip = ["--skip-remote"];
    assert.deepEqual(await said({}, ...skip), [
      GOES,
      "warning: there is no login for github.com: no pull request is opened | " +
      "set SVC_GITHUB_TOKEN or GITHUB_TOKEN, or keep a login for github.com in your git credential helper",
    ]);
    assert.deepEqual(await said({ GITHUB_TOKEN: TOKEN }, ...skip), [
      GOES,
      "ok: the login for github.com is the token in GITHUB_TOKEN",
    ]);
    const helper = async (text: string) => {
      await Deno.writeTextFile(`${home}/.gitconfig`, text);
      return (await said({}, ...skip))[1];
    };
    const will = (name: string) =>
      `ok: your git credential helper, ${name}, will be asked for a login for github.com`;
    assert.equal(await helper("[credential]\n\thelper = store --file /x\n"), will('"store"'));
    assert.equal(
      await helper(
        '[credential "https://github.com"]\n\thelper =\n\thelper = !/usr/bin/gh auth git-credential\n',
      ),
      will('"gh"'),
    );
    const line = `[credential]\n\thelper = "!f() { echo password=${TOKEN}; }; f"\n`;
    assert.equal(await helper(line), will("a line of shell"));
    const other = '[credential "https://other.example"]\n\thelper = store\n';
    assert.match(await helper(other) ?? "", /^warning: there is no login/);

    await svc("register", "--remote", "acme/tally", "--host", "github.com");
    await repo.git("switch", "--quiet", "--create", "topic");
    assert.equal(
      (await said({}, ...skip))[0],
      'ok: work goes to acme/tally at github.com, as draft pull requests into "main"',
    );
    // `svc start` has a database of its own, in which the repo may lie elsewhere.
    const own = `${home}/.svc/db/${repo.path.split("/").at(-1)}/svc.db`;
    await svc("register", "--db", own, "--branch", "topic");
    assert.deepEqual(
      (await said({ GITHUB_TOKEN: TOKEN }, ...skip)).filter((one) => /goes/.test(one)),
      [
        'ok: svc serve: work goes to acme/tally at github.com, as draft pull requests into "main"',
        'ok: svc start: work goes to ada/shop at github.com, as draft pull requests into "topic"',
      ],
    );
    const [only] = await said({}, ...skip, "--db", own);
    assert.match(only!, /^ok: work goes to ada\/shop at github\.com, .* into "topic"$/);
  }, { origin: "https://github.com/ada/shop.git" }));

Deno.test("doctor says nothing of code hosts where svc merges itself", () =>
  inPlace(async ({ said }) => assert.deepEqual(await said({}, "--skip-remote"), []), {
    ...{ origin: "https://github.com/ada/shop.git", merge: "local" },
  }));

Deno.test("doctor tells where no pull request can be opened, with the way out", async () => {
  const of = async (origin?: string, config?: string) => {
    let found: string[] = [];
    let path = "";
    await inPlace(async ({ said, repo }) => {
      found = await said({}, "--skip-remote");
      path = repo.path;
    }, { ...(origin && { origin }), ...(config && { config }) });
    return found.map((one) => one.replaceAll(path, "/repo"));
  };
  const none = "pull requests are wanted, and no remote is known: a person merges each branch";
  assert.deepEqual(await of(), [
    `warning: ${none} | svc register --repo /repo --remote owner/repo`,
  ]);
  assert.deepEqual(await of("git@github-work:ada/shop.git"), [
    'warning: work goes to "github-work", which looks like an alias of your ssh config: ' +
    "svc pushes to https://github-work/ada/shop.git" +
    " | svc register --repo /repo --remote ada/shop --host github.com",
  ]);
  assert.match((await of("https://gitserver/ada/shop.git"))[1]!, /gitserver is in no code_hosts/);
  const [subgroup] = await of("https://gitlab.com/acme/team/shop.git");
  assert.match(
    subgroup!,
    /^warning: .*svc cannot push to a repo in a subgroup.* \| git push origin <branch>$/,
  );
  assert.match(
    (await of("https://gitlab.example.com/ada/shop.git"))[1]!,
    /^warning: gitlab\.example\.com is in no code_hosts .* \| Edit ~\/\.svc\/config\.yaml: .*kind: gitlab/,
  );
  const config = "code_hosts: [{host: gitlab.example.com, kind: gitlab, key_env: GL_TOKEN}]\n";
  assert.deepEqual(await of("https://gitlab.example.com/ada/shop.git", config), [
    'ok: work goes to ada/shop at gitlab.example.com, by push; a person opens the request into "main"; ' +
    "the repo is not registered yet, so origin counts",
    "warning: there is no login for gitlab.example.com: a push there may be refused | " +
    "set GL_TOKEN, or keep a login for gitlab.example.com in your git credential helper",
  ]);
});

Deno.test("doctor asks the host whether the token reads the repo, and whether it has the branch", async () => {
  await using server = await githubServer();
  const { host, api, remote } = server;
  const config = `code_hosts: ${JSON.stringify([{ host, api, key_env: "GHE_TOKEN" }])}\n`;
  const origin = `http://${host}/${remote}.git`;
  await inPlace(async ({ repo, said }) => {
    const vars = { GHE_TOKEN: TOKEN };
    assert.deepEqual((await said(vars)).slice(1), [
      `ok: the login for ${host} is the token in GHE_TOKEN`,
      'warning: ada/shop has no branch "main" that a pull request could go into | git push origin main',
    ]);
    await repo.git("push", "--quiet", origin, "main");
    assert.equal((await said(vars))[2], 'ok: the token reads ada/shop, which has "main"');
    server.unusual = () => Response.json({ message: `Bad credentials ${TOKEN}` }, { status: 401 });
    assert.equal(
      (await said(vars))[2],
      'warning: Cannot read the pull requests of "main": GitHub refuses the token (401) | ' +
        "Set GHE_TOKEN to a valid token",
    );
    server.unusual = () => Response.json({ message: `no ${TOKEN}` }, { status: 403 });
    assert.match((await said(vars))[2]!, /does not open "ada\/shop" \(403\).* \| Give it /);
    assert.deepEqual(server.faults, []);
    const before = server.asked.length;
    await said(vars, "--skip-remote");
    await said({});
    assert.equal(server.asked.length, before);
  }, { origin, config });
});

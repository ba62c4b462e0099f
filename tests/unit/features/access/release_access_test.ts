/** Release access against Debian's nginx, which logs each request, with the release of GitHub's own examples. */
import assert from "node:assert/strict";
import { run } from "svc/cli/main.ts";
import {
  accessRemedy,
  type ReleaseAccess,
  releaseAccess,
} from "svc/features/access/release_access.ts";
import { capturedEntrance, svc } from "tests/kit/entrance.ts";
import { filesBelow } from "tests/kit/canaries.ts";
import { EXAMPLE_TAG, releaseHost, RIGHT_TOKEN } from "tests/kit/servers/release_host.ts";
import type { NginxFiles } from "tests/kit/servers/nginx_files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

interface Asked {
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Reaches the host in place of api.github.com. */
  readonly github?: true;
}

interface Ground {
  readonly host: NginxFiles;
  readonly home: string;
  /** Path → the result and the lines of nginx's log. */
  check(path: string, asked?: Asked): Promise<{
    readonly code: number;
    readonly result: Record<string, unknown>;
    readonly log: readonly string[];
    readonly said: string;
  }>;
}

async function onGround(work: (ground: Ground) => Promise<void>): Promise<void> {
  await using folder = await tempFolder();
  await using host = await releaseHost(folder.path);
  const home = `${folder.path}/home`;
  await Deno.mkdir(`${home}/.svc`, { recursive: true, mode: 0o700 });
  let before = 0;
  await work({
    ...{ host, home },
    async check(path, { config = "", env = {}, github } = {}) {
      const url = github ? "" : `release_url: ${host.origin}${path}\n`;
      await Deno.writeTextFile(`${home}/.svc/config.yaml`, url + config);
      const place = {
        env: { HOME: home, PATH: "/usr/bin:/bin", GIT_CONFIG_NOSYSTEM: "1", ...env },
      };
      const { entrance, stdout, stderr } = capturedEntrance(place);
      const reached: typeof fetch = (input, init) => {
        const to = new URL(String(input));
        assert.equal(to.origin, github ? "https://api.github.com" : host.origin);
        return fetch(github ? `${host.origin}${path}` : to, init);
      };
      const code = await run(["auth", "github", "check", "--json"], {
        ...entrance,
        fetch: reached,
      });
      const result = JSON.parse(stdout.text);
      const log = (await host.log(before + result.requests)).map((line) => line.trim());
      const fresh = log.slice(before);
      before = log.length;
      return { code, result, log: fresh, said: stdout.text + stderr.text };
    },
  });
}

verifies(
  ["4.5:auth-github-check:anonymous-first", "2.2:release-access:result"],
  "a release that anyone may read takes one request, and no credential",
  () =>
    onGround(async ({ check }) => {
      const config = `codehost_token: ${RIGHT_TOKEN}\n`;
      const { code, result, log } = await check("/open", { config });
      assert.deepEqual([code, log], [0, ["200 GET /open"]]);
      assert.deepEqual([result.access, result.latest, result.requests, result.credential], [
        ...["anonymous", EXAMPLE_TAG, 1, null],
      ]);
      assert.deepEqual(Object.keys(result).sort(), [
        ...["access", "credential", "endpoint", "latest", "ok", "reason", "requests", "status"],
      ]);
    }),
);

verifies(
  ["4.5:auth-github-check:retries-only-on-exact-status", "2.2:release-access:result"],
  "401, 403 and 404 let a credential be tried; no other answer does",
  () =>
    onGround(async ({ check }) => {
      const config = `codehost_token: ${RIGHT_TOKEN}\n`;
      for (const status of [401, 403, 404]) {
        const { code, result, log } = await check(`/needs-${status}`, { config });
        const path = `/needs-${status}`;
        assert.deepEqual(log, [`${status} GET ${path}`, `200 GET ${path}`]);
        assert.deepEqual([code, result.access, result.credential], [
          ...[0, "authenticated", "codehost_token"],
        ]);
      }
      for (
        const [path, status] of [["/limit", 429], ["/down", 500], ["/teapot", 402], ["/page", 200]]
      ) {
        const { code, result, log } = await check(String(path), { config });
        assert.deepEqual(log, [`${status} GET ${path}`]);
        assert.deepEqual(
          [code, result.access, result.requests],
          [1, "unavailable", 1],
          String(path),
        );
        assert.match(String(result.reason), /127\.0\.0\.1/);
      }
    }),
);

verifies(
  ["4.5:auth-github-check:no-redirect"],
  "no redirect is followed, with a credential or without",
  () =>
    onGround(async ({ check }) => {
      const config = `codehost_token: ${RIGHT_TOKEN}\n`;
      const first = await check("/moved", { config });
      assert.deepEqual(first.log, ["302 GET /moved"]);
      assert.deepEqual([first.result.access, first.result.status], ["unavailable", 302]);
      assert.match(String(first.result.reason), /redirects elsewhere, .* \(302\)$/);
      const second = await check("/moved-with-token", { config });
      assert.deepEqual(second.log, ["404 GET /moved-with-token", "301 GET /moved-with-token"]);
      assert.equal(second.result.access, "unavailable");
    }),
);

verifies(
  ["4.5:auth-github-check:retries-once-same-place"],
  "one credential is tried, once and at the same place, though others are there",
  () =>
    onGround(async ({ check, host }) => {
      const api = `${host.origin}/api/v3`;
      const hosts = `code_hosts:\n  - {host: ghe.example, api: "${api}", key_env: GHE_TOKEN}\n`;
      const config = `codehost_token: wrong-token-0123456789\n${hosts}`;
      const { result, log } = await check("/needs-404", {
        config,
        env: { GHE_TOKEN: RIGHT_TOKEN },
      });
      assert.deepEqual(log, ["404 GET /needs-404", "401 GET /needs-404"]);
      assert.deepEqual([result.access, result.requests], ["unavailable", 2]);
    }),
);

verifies(
  ["5:release-access:stored-or-environment-credentials"],
  "a credential is the stored one, else the variable of that host, else the person's helper",
  () =>
    onGround(async ({ check, host, home }) => {
      const api = `${host.origin}/api/v3`;
      const config = `code_hosts:\n  - {host: ghe.example, api: "${api}", key_env: GHE_TOKEN}\n`;
      const named = await check("/needs-404", { config, env: { GHE_TOKEN: RIGHT_TOKEN } });
      assert.deepEqual([named.result.access, named.result.credential], [
        "authenticated",
        "GHE_TOKEN",
      ]);
      // GitHub's own variables are for GitHub alone.
      const env = { GITHUB_TOKEN: RIGHT_TOKEN, GH_TOKEN: RIGHT_TOKEN, OPENAI_API_KEY: RIGHT_TOKEN };
      const other = await check("/needs-404", { env });
      assert.deepEqual([other.result.access, other.log.length], ["unavailable", 1]);
      // A variable that the config names is for the host beside it alone.
      const elsewhere = "code_hosts:\n" +
        '  - {host: ghe.example, api: "https://ghe.example/api/v3", key_env: GHE_TOKEN}\n' +
        "  - {host: git.example, kind: gitlab, key_env: GHE_TOKEN}\n";
      const others = { config: elsewhere, env: { GHE_TOKEN: RIGHT_TOKEN } };
      const foreign = await check("/needs-404", others);
      assert.deepEqual([foreign.result.access, foreign.log.length], ["unavailable", 1]);
      const github = await check("/needs-404", { env, github: true });
      assert.deepEqual(github.result.credential, "GITHUB_TOKEN");
      assert.equal(github.result.access, "authenticated");
      // Debian's git-credential-store.
      await Deno.writeTextFile(`${home}/.gitconfig`, "[credential]\n\thelper = store\n");
      const kept = `http://ada:${RIGHT_TOKEN}@${host.origin.slice(7).replace(":", "%3a")}\n`;
      await Deno.writeTextFile(`${home}/.git-credentials`, kept);
      const helped = await check("/needs-404");
      assert.deepEqual([helped.result.access, helped.result.credential], [
        ...["authenticated", "git credential helper"],
      ]);
      // A person's login is of github.com, not of the host of its API.
      await Deno.writeTextFile(
        `${home}/.git-credentials`,
        `https://ada:${RIGHT_TOKEN}@github.com\n`,
      );
      const known = await check("/needs-404", { github: true });
      assert.equal(known.result.credential, "git credential helper");
    }),
);

verifies(
  ["5:model-keys:separate-from-release-credentials"],
  "a model's key is no release credential",
  () =>
    onGround(async ({ check }) => {
      const names = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"];
      const env = Object.fromEntries(names.map((name) => [name, RIGHT_TOKEN]));
      for (const github of [undefined, true] as const) {
        const { result, log } = await check("/needs-401", { env, ...(github && { github }) });
        assert.deepEqual([result.access, log], ["unavailable", ["401 GET /needs-401"]]);
      }
    }),
);

verifies(
  ["4.5:auth-github-check:credentials-undisclosed"],
  "no credential is in the output or in a log, whatever came of it",
  () =>
    onGround(async ({ check, home, host }) => {
      const odd = "a token with spaces";
      for (const token of [RIGHT_TOKEN, "wrong-token-0123456789", odd]) {
        const config = `codehost_token: ${token}\n`;
        for (const path of ["/needs-404", "/moved-with-token", "/down"]) {
          const { said } = await check(path, { config });
          assert.ok(!said.includes(token) && !said.includes(btoa(token)), said);
        }
      }
      const unsent = await check("/needs-404", { config: `codehost_token: ${odd}\n` });
      assert.deepEqual(unsent.log, ["404 GET /needs-404"]);
      assert.match(String(unsent.result.reason), /, and codehost_token holds no token$/);
      const env = { HOME: `${home}/another`, PATH: "/usr/bin:/bin" };
      // The redactor knows the values of the usual config alone.
      const file = `${home}/other.yaml`;
      const text = `release_url: ${host.origin}/needs-404\ncodehost_token: ${odd}\n`;
      await Deno.writeTextFile(file, text);
      const plain = await svc(["auth", "github", "check", "--config", file], { env });
      const logs = [...(await filesBelow(`${home}/another`).catch(() => new Map())).values()];
      const all = plain.stdout + plain.stderr + logs.join("");
      assert.ok(!all.includes(odd) && !all.includes(RIGHT_TOKEN), all);
      assert.match(plain.stdout, /^unavailable: /);
    }),
);

verifies(
  ["4.5:auth-github-check:config", "4.5:auth-github-check:json"],
  "--config names the file; a missing one is refused, and --json is one object",
  () =>
    onGround(async ({ host, home }) => {
      const file = `${home}/other.yaml`;
      const text = `release_url: ${host.origin}/needs-404\ncodehost_token: ${RIGHT_TOKEN}\n`;
      await Deno.writeTextFile(file, text);
      const env = { HOME: home, PATH: "/usr/bin:/bin" };
      const args = ["auth", "github", "check", "--config", file];
      const { code, stdout, stderr } = await svc([...args, "--json"], { env });
      assert.deepEqual([code, JSON.parse(stdout).access, stderr], [0, "authenticated", ""]);
      const page = await svc(args, { env });
      assert.match(page.stdout, /^authenticated: .*\/needs-404, with codehost_token\n/);
      const gone = await svc(["auth", "github", "check", "--config", `${home}/none.yaml`], { env });
      assert.equal(gone.code, 1);
      assert.match(gone.stderr, /no such file\ntry: Correct --config/);
    }),
);

Deno.test("a host that cannot be reached is unavailable, with a way on", async () => {
  await using folder = await tempFolder();
  const file = `${folder.path}/config.yaml`;
  await Deno.writeTextFile(file, "release_url: http://127.0.0.1:1/x\ncodehost_token: abcdef12\n");
  const env = { HOME: folder.path, PATH: "/usr/bin:/bin" };
  const { code, stdout } = await svc(["auth", "github", "check", "--config", file], { env });
  assert.equal(code, 1);
  assert.match(stdout, /127\.0\.0\.1:1 cannot be reached\nnext: Check the network/);
});

const ENDPOINT = "https://releases.example/latest";

Deno.test("a silent host is given up, and an interrupt is no fault of the host", async () => {
  const silent: typeof fetch = (_url, init) =>
    new Promise((_, reject) => {
      const { signal } = init!;
      const give = () => reject(signal!.reason);
      if (signal!.aborted) give();
      signal!.addEventListener("abort", give);
    });
  const unasked = () => assert.fail("no credential helps here");
  const { signal } = new AbortController();
  const soon = { sleep: () => Promise.resolve() };
  const late = await releaseAccess({ fetch: silent, clock: soon, signal }, ENDPOINT, unasked);
  assert.deepEqual([late.access, late.requests, late.status, late.reason], [
    ...["unavailable", 1, null, "releases.example did not answer within 10 s"],
  ]);
  const never = { sleep: () => new Promise<void>(() => {}) };
  const stopped = AbortSignal.abort();
  await assert.rejects(
    releaseAccess({ fetch: silent, clock: never, signal: stopped }, ENDPOINT, unasked),
    { code: "interrupted" },
  );
});

Deno.test("only a release with a tag is one", async () => {
  const { signal } = new AbortController();
  const clock = { sleep: () => new Promise<void>(() => {}) };
  const asked = (body: unknown) => {
    const fetch = () => Promise.resolve(Response.json(body));
    return releaseAccess({ fetch, clock, signal }, ENDPOINT, () => Promise.resolve(undefined));
  };
  const long = "v".repeat(200);
  assert.deepEqual((await asked({ tag_name: long })).latest, long);
  for (const body of [{ tag_name: `${long}v` }, { tag_name: "" }, { tag_name: ["v1"] }, {}, null]) {
    const { access, latest, reason } = await asked(body);
    assert.deepEqual([access, latest], ["unavailable", null]);
    assert.equal(reason, "releases.example answers with something else than a release");
  }
});

Deno.test("what helps depends on the answer, and on whether a credential was tried", () => {
  const found = { access: "unavailable", endpoint: ENDPOINT, requests: 1, latest: null } as const;
  const helps = (more: Pick<ReleaseAccess, "status" | "credential" | "reason">) =>
    accessRemedy({ ...found, ...more });
  const none = { credential: null, reason: "x" };
  assert.match(helps({ ...none, status: 404 }), /^svc auth github setup, where .* are private/);
  assert.match(helps({ ...none, status: 500 }), /^Try again later/);
  assert.match(
    helps({ ...none, status: 403, credential: "GHE_TOKEN" }),
    /^svc auth github setup, with a token/,
  );
  const untrusted = "x cannot be reached: its certificate is not trusted";
  assert.match(helps({ ...none, status: null, reason: untrusted }), /^For a CA of your own /);
});

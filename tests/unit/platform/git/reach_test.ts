/** Remotes behind a proxy and with a certificate of a company's own, by git's own server. */
import assert from "node:assert/strict";
import { denoFiles } from "svc/platform/files/files.ts";
import { pushBranch } from "svc/platform/git/push.ts";
import { reachOf } from "svc/platform/git/reach.ts";
import { remotesOver } from "svc/platform/git/remote_repo.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { gitHttpBackend } from "tests/kit/git_http_backend.ts";
import { certificateFor } from "tests/kit/servers/nginx_files.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { tunnel } from "tests/kit/tunnel.ts";
import { ENV } from "tests/unit/platform/commit_ports.ts";

const BRANCH = "svc/T-0001-x";
const NAME = "git.example";

/** `https://git.example/acme/app.git`, which only the proxy finds, and only the CA of `ca` vouches for. */
async function company() {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await tempFolder("svc-reach-"));
  const bare = `${folder.path}/acme/app.git`;
  await Deno.mkdir(bare, { recursive: true });
  await plainGit(bare, ["init", "--quiet", "--bare", "--initial-branch=main"]);
  const tls = await certificateFor(NAME, folder.path);
  const server = Deno.serve({
    ...{ hostname: "127.0.0.1", port: 0, onListen() {} },
    cert: await Deno.readTextFile(tls.certificate),
    key: await Deno.readTextFile(tls.key),
  }, (request) => gitHttpBackend(request, folder.path));
  parts.defer(() => server.shutdown());
  const proxy = parts.use(tunnel(server.addr.port));
  const person = parts.use(await tempRepo({ files: { a: "1\n" }, commit: true }));
  const kept = parts.move();
  const { GIT_CONFIG_GLOBAL: _, ...machine } = ENV;
  return {
    ...{ bare, proxy, person, folder, ca: tls.certificate },
    async push(env: Record<string, string>) {
      await using scratch = await tempFolder();
      return await pushBranch(
        {
          ...{ processes: denoProcesses(), files: denoFiles(), scratch: scratch.path },
          ...{ path: ENV.PATH, env: { ...machine, HOME: folder.path, ...env } },
        },
        { commonDir: `${person.path}/.git` },
        {
          ...{ url: `https://${NAME}/acme/app.git`, branch: BRANCH },
          commit: (await person.git("rev-parse", "HEAD")).trim(),
        },
      );
    },
    tip: async () => (await plainGit(bare, ["rev-parse", BRANCH])).stdout.trim(),
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  };
}

Deno.test("a push goes through the proxy and trusts the CA that the environment names", async () => {
  await using site = await company();
  const { proxy, person, ca } = site;
  assert.ok((await site.push({ HTTPS_PROXY: proxy.url, GIT_SSL_CAINFO: ca })).changed);
  assert.equal(await site.tip(), (await person.git("rev-parse", "HEAD")).trim());
  assert.deepEqual(new Set(proxy.asked), new Set([`CONNECT ${NAME}:443 HTTP/1.1`]));
});

Deno.test("a push goes as the person's own git does, by its settings for that host", async () => {
  await using site = await company();
  const { proxy, folder, ca } = site;
  await folder.write(
    ".gitconfig",
    `[http "https://${NAME}/"]\n\tproxy = ${proxy.url}\n\tsslCAInfo = ~/${ca.split("/").pop()}\n` +
      `[http "https://other.example/"]\n\tproxy = http://127.0.0.1:9\n`,
  );
  assert.ok((await site.push({})).changed);
  assert.equal(proxy.asked.length > 0, true);
});

Deno.test("a clone of a team goes through the proxy too", async () => {
  await using site = await company();
  const { proxy, person, bare, folder, ca } = site;
  await person.git("push", "--quiet", bare, "HEAD:refs/heads/main");
  const env = { ...ENV, HTTPS_PROXY: proxy.url, GIT_SSL_CAINFO: ca };
  const remotes = remotesOver({
    ...{ processes: denoProcesses(), files: denoFiles(), clock: systemClock },
    ...{ env, path: ENV.PATH, scratch: `${folder.path}/traces`, ssh: {} },
    runner: { processes: denoProcesses(), env },
    clones: () => `${folder.path}/repos`,
    login: () => Promise.resolve(undefined),
  });
  assert.equal(await remotes.branchOf(`https://${NAME}/acme/app.git`), "main");
});

Deno.test("a remote that is not reached, or not trusted, says what helps", async () => {
  await using site = await company();
  await assert.rejects(site.push({}), {
    code: "environment",
    message: /Could not resolve host/,
    remedy: /HTTPS_PROXY.*http\.proxy/,
  });
  await assert.rejects(site.push({ HTTPS_PROXY: site.proxy.url }), {
    code: "environment",
    message: /certificate/,
    remedy:
      `For a CA of your own: git config --global http.https://${NAME}/.sslCAInfo /path/to/ca.pem`,
  });
});

Deno.test("nothing but proxies and certificates is taken over", async () => {
  await using home = await tempFolder("svc-reach-");
  await home.write(
    ".gitconfig",
    "[http]\n\tproxy = http://p.example:1\n\tsslVerify = false\n\tcookieFile = /x\n" +
      "\textraHeader = X: y\n\tfollowRedirects = true\n\tproxyAuthMethod = basic\n",
  );
  const { GIT_CONFIG_GLOBAL: _, ...machine } = ENV;
  const env = {
    ...{ ...machine, HOME: home.path, HTTPS_PROXY: "http://q.example:2" },
    ...{ NO_PROXY: "intranet,127.0.0.0/8", no_proxy: "intranet", GIT_SSL_NO_VERIFY: "1" },
  };
  const reach = await reachOf({ processes: denoProcesses(), env }, `https://${NAME}/a/b.git`);
  assert.deepEqual(reach, {
    env: {
      HTTPS_PROXY: "http://q.example:2",
      NO_PROXY: "intranet,127.0.0.0/8",
      no_proxy: "intranet,127.0.0.0/8",
    },
    settings: [["http.proxy", "http://p.example:1"], ["http.proxyauthmethod", "basic"]],
  });
});

import assert from "node:assert/strict";
import { gitPush } from "svc/features/tools/git_push.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { pushBranch, type PushPlan } from "svc/platform/git/push.ts";
import { denoProcesses, type Run } from "svc/platform/process/process.ts";
import { gitHttpBackend } from "tests/kit/git_http_backend.ts";
import { plainGit, repoIn, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { manifest, site } from "./session_site.ts";

const BRANCH = "svc/T-0001-x";

async function pushed(repo: TempRepo, plan: Partial<PushPlan> & { url: string }, seen: Run[] = []) {
  await using scratch = await tempFolder();
  const real = denoProcesses();
  const processes = {
    run: (command: Run) => {
      seen.push(command);
      return real.run(command);
    },
  };
  const ports = {
    processes,
    files: denoFiles(),
    env: { PATH: "/usr/bin:/bin" },
    path: "/usr/bin:/bin",
    scratch: scratch.path,
  };
  const commit = plan.commit ?? (await repo.git("rev-parse", "HEAD")).trim();
  try {
    return await pushBranch(ports, { commonDir: `${repo.path}/.git` }, {
      ...{ branch: BRANCH, commit },
      ...plan,
    });
  } finally {
    assert.deepEqual([...Deno.readDirSync(scratch.path)], []);
  }
}

async function bare() {
  const folder = await tempFolder();
  await plainGit(folder.path, ["init", "--quiet", "--bare", "."]);
  const tip = async (branch: string) =>
    (await plainGit(folder.path, ["rev-parse", "--verify", "--quiet", branch])).stdout.trim();
  return { ...folder, tip };
}

Deno.test("pushBranch sends a branch svc/…, tells when it is there, and never forces", async () => {
  await using remote = await bare();
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  const url = remote.path;
  assert.equal((await pushed(repo, { url })).changed, true);
  assert.equal(await remote.tip(BRANCH), (await repo.git("rev-parse", "HEAD")).trim());
  assert.equal((await pushed(repo, { url })).changed, false);
  await repo.commit("more", { b: "1\n" });
  assert.equal((await pushed(repo, { url })).changed, true);
  const tip = await remote.tip(BRANCH);
  await repo.git("reset", "--quiet", "--hard", "HEAD~1");
  await repo.commit("other", { c: "1\n" });
  await assert.rejects(pushed(repo, { url }), { code: "conflict" });
  assert.equal(await remote.tip(BRANCH), tip);
  await assert.rejects(pushed(repo, { url, branch: "main" }), { code: "refused" });
});

Deno.test("pushBranch reads no setting of the repo: no hook, no rewrite, no helper", async () => {
  await using remote = await bare();
  await using other = await bare();
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  const fired = `${repo.path}/fired`;
  const program = `${repo.path}/evil`;
  await repo.write("evil", `#!/bin/sh\n: >"${fired}"\nexit 1\n`, { executable: true });
  await repo.write(".git/hooks/pre-push", `#!/bin/sh\n: >"${fired}"\n`, { executable: true });
  const url = remote.path;
  for (
    const [key, value] of [
      [`url.${other.path}.insteadOf`, url],
      [`url.${other.path}.pushInsteadOf`, url],
      [`remote.${url}.url`, other.path],
      [`remote.${url}.receivepack`, program],
      ["core.sshCommand", program],
      ["core.fsmonitor", program],
      ["credential.helper", program],
      ["push.pushOption", "x"],
      ["remote.pushDefault", other.path],
    ] as const
  ) await repo.git("config", key, value);
  const before = await repo.read(".git/config");
  assert.equal((await pushed(repo, { url })).changed, true);
  assert.equal(await other.tip(BRANCH), "");
  assert.notEqual(await remote.tip(BRANCH), "");
  await assert.rejects(Deno.stat(fired), Deno.errors.NotFound);
  assert.equal(await repo.read(".git/config"), before);
});

Deno.test("pushBranch sends from a shallow clone and from a repo of SHA-256", async () => {
  await using remote = await bare();
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.commit("two", { a: "2\n" });
  await plainGit(repo.path, ["push", "--quiet", remote.path, "main"]);
  await using shallow = repoIn(await tempFolder());
  await shallow.git("clone", "--quiet", "--depth=1", `file://${remote.path}`, ".");
  await shallow.commit("three", { a: "3\n" });
  assert.equal((await pushed(shallow, { url: remote.path })).changed, true);
  await using long = repoIn(await tempFolder());
  await long.git("init", "--quiet", "--object-format=sha256", ".");
  await long.commit("one", { a: "1\n" });
  await using other = await tempFolder();
  await plainGit(other.path, ["init", "--quiet", "--bare", "--object-format=sha256", "."]);
  assert.match((await pushed(long, { url: other.path })).commit, /^[0-9a-f]{64}$/);
});

Deno.test("pushBranch refuses URLs that name programs, other protocols or passwords", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  for (
    const url of [
      ...["ext::sh -c touch% x", "--upload-pack=x", "-x", "ssh://h/x", "git@h:x", "git://h/x", ""],
      ...["file:///tmp/x", "http://example.org/x", "https://u:p@h/x", "https://h/x\n", "../x"],
    ]
  ) await assert.rejects(pushed(repo, { url }), { code: "refused" }, url);
  await assert.rejects(pushed(repo, { url: "/x", branch: "svc/--x/../y" }), { code: "usage" });
  await assert.rejects(pushed(repo, { url: "/x", commit: "--all" }), { code: "usage" });
});

Deno.test("pushBranch sends the token to that URL alone, never as an argument", async () => {
  const asked: (string | null)[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    asked.push(request.headers.get("authorization"));
    return new Response(null, { status: 302, headers: { location: "http://127.0.0.1:1/x" } });
  });
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  const seen: Run[] = [];
  const url = `http://127.0.0.1:${server.addr.port}/app.git`;
  const login = { username: "x-access-token", password: "tok-123456" };
  await assert.rejects(pushed(repo, { url, login }, seen), { code: "environment" });
  assert.deepEqual(new Set(asked), new Set([`Basic ${btoa("x-access-token:tok-123456")}`]));
  assert.ok(!JSON.stringify(seen.map(({ args }) => args)).includes("tok-123456"));
});

Deno.test("a remote by path is no matter of proxies and certificates, whatever its name is", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using folder = await tempFolder();
  for (const name of ["TLS certificate", "proxy"]) {
    await assert.rejects(pushed(repo, { url: `${folder.path}/${encodeURIComponent(name)}.git` }), {
      code: "environment",
      remedy: "If the remote asks for a login, set a token",
    });
  }
});

Deno.test("a name that only ssh's config knows has the command that names its host", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await assert.rejects(pushed(repo, { url: "https://github-work/ada/shop.git" }), {
    message: /Could not resolve host: github-work/,
    remedy: /svc register --host github\.com$/,
  });
});

/** Bytes that do not pack. */
const noise = () => crypto.getRandomValues(new Uint8Array(20_000)).toBase64();

for (const filter of [[], ["--filter=blob:none"]]) {
  const clone = filter.length === 0 ? "a clone" : "a partial clone, which lacks old contents";
  Deno.test(`pushBranch sends what is new from ${clone}, also when the remote has moved on unseen`, async () => {
    await using root = await tempFolder();
    const bare = `${root.path}/shop.git`;
    await plainGit(root.path, ["init", "--quiet", "--bare", "--initial-branch=main", "shop.git"]);
    await plainGit(bare, ["config", "uploadpack.allowFilter", "true"]);
    await plainGit(bare, ["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let sent = 0;
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const { method, headers } = request;
        const body = method === "POST" ? await request.bytes() : undefined;
        if (request.url.endsWith("/git-receive-pack")) sent += body?.length ?? 0;
        return await gitHttpBackend(
          new Request(request.url, { method, headers, ...(body && { body }) }),
          root.path,
        );
      },
    );
    const url = `http://127.0.0.1:${server.addr.port}/shop.git`;
    await using person = await tempRepo({ files: { a: noise() }, commit: true });
    for (const subject of ["two", "three"]) await person.commit(subject, { a: noise() });
    await person.git("push", "--quiet", bare, "main");
    await using work = repoIn(await tempFolder());
    await work.git("clone", "--quiet", ...filter, url, ".");
    await work.commit("work", { b: "x\n" });
    await person.commit("four", { c: "1\n" });
    await person.git("push", "--quiet", bare, "main");
    assert.equal((await pushed(work, { url })).changed, true);
    assert.ok(sent > 0 && sent < 5_000, `${sent} bytes`);
  });
}

Deno.test("git_push explains where nothing can be pushed, and pushes through the port", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  {
    await using tools = await site(repo);
    assert.match((await tools.call(gitPush)).text, /^Cannot push: this is "main"/);
    await repo.git("checkout", "--quiet", "-b", BRANCH);
    assert.match((await tools.call(gitPush)).text, /svc register --remote/);
  }
  const push = (branch: string, commit: string) =>
    Promise.resolve({ branch, commit, changed: true });
  await using tools = await site(repo, { push });
  const head = (await repo.git("rev-parse", "HEAD")).trim();
  assert.equal((await tools.call(gitPush)).text, `Pushed ${BRANCH} at ${head.slice(0, 12)}`);
  assert.equal(gitPush.needs!({}), "net");
});

Deno.test("git_push sends no branch with a secret, a protected file or a nameless commit", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.git("checkout", "--quiet", "-b", BRANCH);
  const push = () => Promise.reject(new Error("it was pushed"));
  await using tools = await site(repo, { push });
  const secret = ["ghp", "_", "u8Xq2Lr5Vt9Zb3Nc6Md1Kf4Hs7Jp0GwEyTaB"].join("");
  await repo.commit("sneaky", { key: `token = "${secret}"\n`, ".github/workflows/x.yml": "1\n" });
  await repo.git("rm", "--quiet", "key");
  await repo.commit("gone");
  const { ok, text } = await tools.call(gitPush);
  assert.equal(ok, false);
  for (const part of [/^Cannot push: .*"sneaky" by Ada/, /key:1: /, /x\.yml/]) {
    assert.match(text, part);
  }
});

Deno.test("git_push takes no secret along from commits of main that a person has not pushed", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.git("update-ref", "refs/remotes/origin/main", "main");
  const secret = ["ghp", "_", "u8Xq2Lr5Vt9Zb3Nc6Md1Kf4Hs7Jp0GwEyTaB"].join("");
  await repo.commit("mine", { key: `token = "${secret}"\n` });
  await repo.git("checkout", "--quiet", "-b", BRANCH);
  const push = (branch: string, commit: string) =>
    Promise.resolve({ branch, commit, changed: true });
  await using tools = await site(repo, { push });
  const { ok, text } = await tools.call(gitPush);
  assert.equal(ok, false);
  assert.match(text, /^Cannot push: secrets in commits of "main" that its remote lacks: key:1: /);
  await repo.git("update-ref", "refs/remotes/origin/main", "main");
  assert.equal((await tools.call(gitPush)).ok, true);
  await repo.git(
    "branch",
    "--quiet",
    "-f",
    "main",
    await repo.commit(`say ${secret}`, { a: "2\n" }),
  );
  const said = await tools.call(gitPush);
  assert.match(said.text, /^Cannot push: .*that its remote lacks: the commit message:1: /);
  // What a remote has that nobody ever fetched, nobody here can tell.
  await repo.git("update-ref", "-d", "refs/remotes/origin/main");
  assert.equal((await tools.call(gitPush)).ok, true);
});

Deno.test("git_push publishes no commit of main that a person has not pushed", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.git("update-ref", "refs/remotes/origin/main", "main");
  await repo.commit("mine", { plans: "not yet\n" });
  await repo.git("checkout", "--quiet", "-b", BRANCH);
  const push = (branch: string, commit: string) =>
    Promise.resolve({ branch, commit, changed: true });
  await using tools = await site(repo, { push });
  const { ok, text } = await tools.call(gitPush);
  assert.equal(ok, false);
  assert.match(text, /^Cannot push: it waits for a person to push main: 1 commit of it .*"mine"/);
  assert.match(text, /Go on without it and say so when you finish$/);
  await repo.git("update-ref", "refs/remotes/origin/main", "main");
  assert.equal((await tools.call(gitPush)).ok, true);
});

Deno.test("git_push of a job sends its own commits alone, with the rights of its own role", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.git("checkout", "--quiet", "-b", BRANCH);
  const prompt = { prompt: "roles/x.md", trust: "contributor" };
  const roles = { engineer: prompt, gardener: prompt };
  const pushes: string[] = [];
  await using tools = await site(repo, {
    manifest: manifest({ roles, guardrails: { allow_ci_roles: ["gardener"] } }),
    job: "j1",
    byHand: false,
    began: { at: (await repo.git("rev-parse", "HEAD")).trim() },
    commitMakers: () => Promise.resolve(new Map()),
    push: (branch, commit) => {
      pushes.push(commit);
      return Promise.resolve({ branch, commit, changed: true });
    },
  });
  const own = "Svc-Role: engineer\nSvc-Job: j1";
  const forged = {
    "another job": ["Svc-Role: engineer\nSvc-Job: j0", { a: "2\n" }, /did not make/],
    "another role": ["Svc-Role: gardener\nSvc-Job: j1", { a: "2\n" }, /did not make/],
    "a person": ["Svc-Role: person", { a: "2\n" }, /did not make/],
    "a CI file": [own, { ".github/workflows/x.yml": "1\n" }, /protected files: .*x\.yml/],
  } as const;
  for (const [what, [trailers, files, why]] of Object.entries(forged)) {
    await repo.commit(`feat: x\n\n${trailers}`, files);
    const { ok, text } = await tools.call(gitPush);
    assert.deepEqual([ok, pushes], [false, []], what);
    assert.match(text, why);
    await repo.git("reset", "--quiet", "--hard", "HEAD^");
  }
  const head = await repo.commit(`feat: x\n\n${own}`, { a: "2\n" });
  assert.ok((await tools.call(gitPush)).ok);
  assert.deepEqual(pushes, [head]);
});

/** The person's credential helper is that of Debian's git: `store` and `cache` (gitcredentials(7)). */
import assert from "node:assert/strict";
import { personLogin } from "svc/platform/git/credential.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses, type Run } from "svc/platform/process/process.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

const URL_ASKED = "https://github.com/ada/shop.git";

async function asked(home: string, more: { refuseUnder?: string[]; path?: string } = {}) {
  const runs: Run[] = [];
  const real = denoProcesses();
  const processes = { run: (command: Run) => (runs.push(command), real.run(command)) };
  const env = {
    ...{ HOME: home, PATH: `${more.path ?? ""}/usr/bin:/bin`, GIT_CONFIG_NOSYSTEM: "1" },
    ...{ SECRET_OF_SVC: "canary", XDG_CACHE_HOME: `${home}/cache`, DISPLAY: ":7" },
  };
  const login = await personLogin({ processes, env }, {
    url: URL_ASKED,
    refuseUnder: more.refuseUnder ?? [],
  });
  assert.ok(!JSON.stringify(runs).includes("canary"), "a helper sees what it needs alone");
  assert.ok(runs.every(({ args }) => args.join(" ") === "credential fill"));
  return login;
}

const config = (home: string, text: string) => Deno.writeTextFile(`${home}/.gitconfig`, text);

Deno.test("git-credential-store gives a login for its host alone, and nothing is prompted", async () => {
  await using home = await tempFolder();
  assert.equal(await asked(home.path), undefined);
  await config(home.path, "[credential]\n\thelper = store\n\tusername = ada\n");
  assert.equal(await asked(home.path), undefined);
  const kept = "https://bob:other@git.example\nhttps://ada:se%3Dcret@github.com\n";
  await Deno.writeTextFile(`${home.path}/.git-credentials`, kept);
  assert.deepEqual(await asked(home.path), { username: "ada", password: "se=cret" });
  assert.equal(await Deno.readTextFile(`${home.path}/.git-credentials`), kept);
});

Deno.test("git-credential-store keeps one login a path where the person wants it so", async () => {
  await using home = await tempFolder();
  await config(home.path, "[credential]\n\thelper = store\n\tuseHttpPath = true\n");
  const one = (path: string, password: string) => `https://ada:${password}@github.com/${path}\n`;
  const kept = one("bob/shop.git", "other") + one("ada/shop.git", "this");
  await Deno.writeTextFile(`${home.path}/.git-credentials`, kept);
  assert.equal((await asked(home.path))?.password, "this");
});

Deno.test("git-credential-cache is found by the cache folder of the person", async () => {
  await using home = await tempFolder();
  await config(home.path, "[credential]\n\thelper = cache --timeout=60\n");
  const env = { HOME: home.path, XDG_CACHE_HOME: `${home.path}/cache`, PATH: "/usr/bin:/bin" };
  const git = { env, clearEnv: true, cwd: "/" };
  const approve = new Deno.Command("git", {
    ...{ ...git, args: ["credential", "approve"], stdin: "piped" },
  }).spawn();
  const login = "protocol=https\nhost=github.com\nusername=ada\npassword=cached\n\n";
  await new Blob([login]).stream().pipeTo(approve.stdin);
  assert.equal((await approve.status).code, 0);
  try {
    assert.deepEqual(await asked(home.path), { username: "ada", password: "cached" });
  } finally {
    // It reads no input.
    const { code } = await new Deno.Command("git", { ...git, args: ["credential-cache", "exit"] })
      .output();
    assert.equal(code, 0);
  }
});

Deno.test("neither a repo's settings nor a program in it is asked", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  const fired = `${home.path}/fired`;
  const evil = `#!/bin/sh\n: >${fired}\necho username=x; echo password=y\n`;
  await repo.write("bin/git-credential-planted", evil, { executable: true });
  await plainGit(repo.path, [
    "config",
    "credential.helper",
    `${repo.path}/bin/git-credential-planted`,
  ]);
  await config(home.path, "[credential]\n\thelper = planted\n");
  const path = `${repo.path}/bin:`;
  assert.equal(await asked(home.path, { path, refuseUnder: [repo.path] }), undefined);
  await assert.rejects(Deno.stat(fired), Deno.errors.NotFound);
  // The same program, where the person keeps it outside of any repo.
  assert.equal((await asked(home.path, { path }))?.password, "y");
});

Deno.test("neither git nor a helper is started out of a repo that was opened", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  const fired = `${home.path}/fired`;
  const evil = `#!/bin/sh\n: >${fired}\necho username=x; echo password=y\n`;
  for (const name of ["git", "git-credential-planted"]) {
    await repo.write(`bin/${name}`, evil, { executable: true });
  }
  await config(home.path, "[credential]\n\thelper = planted\n");
  const env = { HOME: home.path, PATH: `${repo.path}/bin:/usr/bin:/bin`, GIT_CONFIG_NOSYSTEM: "1" };
  const processes = denoProcesses();
  const git = gitOver(processes, env);
  await git.open(repo.path);
  const asks = { url: URL_ASKED, refuseUnder: [] };
  assert.equal(await personLogin({ processes, env }, asks), undefined);
  assert.match(await git.version(), /^\d/);
  await assert.rejects(Deno.stat(fired), Deno.errors.NotFound);
});

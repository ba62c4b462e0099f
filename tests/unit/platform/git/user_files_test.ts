/** The user's own settings that say how files look: line ends, ignored files, and modes that the disk does not keep. */
import assert from "node:assert/strict";
import { HeadTail } from "svc/core/head_tail.ts";
import { systemClock } from "svc/platform/clock.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { worktreesOver } from "svc/platform/git/worktree.ts";
import { appearance } from "svc/platform/git/user.ts";
import { denoProcesses, type Ended, type Processes } from "svc/platform/process/process.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { commitPorts, ENV } from "tests/unit/platform/commit_ports.ts";

const PLAN = {
  doing: "merge T-0001",
  into: "main",
  from: "svc/work",
  message: "merge T-0001: one",
};

/** A home with a `.gitconfig`, and git run with it as the user would. */
async function withHome(config: string) {
  const home = await tempFolder("svc-home-");
  await home.write(".gitconfig", config);
  const { GIT_CONFIG_GLOBAL: _, ...machine } = ENV;
  return {
    home,
    env: { ...machine, HOME: home.path },
    git: (cwd: string, ...args: string[]) =>
      plainGit(cwd, args, {
        env: { HOME: home.path, GIT_CONFIG_GLOBAL: `${home.path}/.gitconfig` },
      }),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

Deno.test("a merge lands CRLF in the checkout of a user whose git writes it", async () => {
  await using user = await withHome("[core]\n\tautocrlf = true\n");
  await using repo = await tempRepo({ files: { a: "a\n", b: "b\n" }, commit: true });
  await repo.git("checkout", "--quiet", "-b", "svc/work");
  await repo.commit("work", { a: "A\nA\n", n: "n\n" });
  await repo.git("checkout", "--quiet", "main");
  await user.git(repo.path, "rm", "--quiet", "--cached", "-r", ".");
  await user.git(repo.path, "reset", "--quiet", "--hard");
  assert.equal(await repo.read("a"), "a\r\n");
  using ports = await commitPorts(repo.path, { env: user.env });
  assert.deepEqual((await ports.repo.status()).changes, []);
  const { files, commits } = ports;
  const worktrees = worktreesOver({
    ...{
      processes: denoProcesses(),
      env: user.env,
      files,
      commits,
      clock: systemClock,
      openFolder,
    },
    home: () => user.home.path,
  });
  assert.equal((await worktrees.merge(ports.repo, PLAN)).kind, "merged");
  assert.equal(await repo.read("a"), "A\r\nA\r\n");
  assert.equal(await repo.read("n"), "n\r\n");
  assert.equal(await repo.git("show", "HEAD:n"), "n\n");
  assert.equal((await user.git(repo.path, "status", "--porcelain")).stdout, "");
});

Deno.test("the repo's own line ends come before the user's", async () => {
  await using user = await withHome("[core]\n\tautocrlf = true\n");
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await repo.git("config", "core.autocrlf", "false");
  await repo.write("a", "a\r\n");
  using ports = await commitPorts(repo.path, { env: user.env });
  assert.equal((await ports.repo.status()).changes.length, 1);
});

for (
  const [where, config, file] of [
    ["core.excludesFile names", "[core]\n\texcludesFile = ~/ignored\n", "ignored"],
    ["git looks at without being told", "", ".config/git/ignore"],
  ] as const
) {
  Deno.test(`files that the user ignores everywhere are ignored: the file that ${where}`, async () => {
    await using user = await withHome(config);
    await user.home.write(file, "__pycache__/\n.env\n");
    await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
    await repo.write("__pycache__/a.pyc", "x");
    await repo.write(".env", "KEY=1\n");
    await repo.write("new", "n\n");
    using ports = await commitPorts(repo.path, { env: user.env });
    const { changes } = await ports.repo.status();
    assert.deepEqual(changes.map(({ path }) => path), ["new"]);
    const listed = await user.git(repo.path, "status", "--porcelain");
    assert.equal(listed.stdout, "?? new\n");
  });
}

Deno.test("a setting with another value than git knows is left out, and no program of the user's runs", async () => {
  await using user = await withHome(
    "[core]\n\tautocrlf = touch /tmp/x\n\teol = $(id)\n\tfsmonitor = false\n\thooksPath = /tmp\n",
  );
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  using ports = await commitPorts(repo.path, { env: user.env });
  assert.deepEqual((await ports.repo.status()).changes, []);
});

Deno.test("where the disk keeps no modes, a commit keeps those that git has", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await repo.write("run.sh", "r\n", { executable: true });
  await repo.commit("script");
  await repo.git("config", "core.fileMode", "false");
  for (const path of ["a", "run.sh"]) await repo.write(path, "changed\n");
  await repo.write("new", "n\n");
  for (const path of ["a", "run.sh", "new"]) await Deno.chmod(`${repo.path}/${path}`, 0o777);
  using ports = await commitPorts(repo.path);
  const paths = ["a", "run.sh", "new"];
  const plan = { doing: "commit", message: "all", paths };
  await ports.commits.commitPaths(ports.repo, ports.folder, plan);
  const modes = await repo.git("ls-tree", "--format=%(objectmode) %(path)", "HEAD");
  assert.equal(modes, "100644 a\n100644 new\n100755 run.sh\n");
});

const nothing = new HeadTail(1).capture();
const ENDED: Ended = {
  ...{ code: 1, signal: undefined, stdout: nothing, stderr: nothing, durationMs: 0 },
  ...{ timedOut: false, cancelled: false, crowded: false, survivorsKilled: 0 },
};

Deno.test("whoever is interrupted waits for no git that reads the user's settings, and whoever is not asks again", async () => {
  const cut: Ended = { ...ENDED, code: undefined, cancelled: true };
  let calls = 0;
  const processes: Processes = {
    sweep: () => Promise.resolve(0),
    run({ signal }) {
      if (++calls > 1) return Promise.resolve(ENDED);
      // Without a signal it is never over.
      return new Promise((resolve) => signal?.addEventListener("abort", () => resolve(cut)));
    },
  };
  const stopped = new AbortController();
  const first = appearance({ processes, env: {}, signal: stopped.signal });
  const second = appearance({ processes, env: {}, signal: new AbortController().signal });
  stopped.abort();
  await assert.rejects(first, { code: "interrupted" });
  assert.deepEqual(await second, [["core.excludesfile", "/.config/git/ignore"]]);
  assert.equal(calls, 2);
});

/** A set-up leaves the hooks of its repo as they were. */
import assert from "node:assert/strict";
import { capturedText } from "svc/core/head_tail.ts";
import { installHooks, removeHooks } from "svc/features/guardrails/hooks.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { keepingHooks } from "svc/platform/git/kept_hooks.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const processes = keepingHooks(denoProcesses(), denoFiles());
const MINE = "#!/bin/sh\necho mine\n";

interface Tree extends AsyncDisposable {
  readonly path: string;
  readonly repo: TempRepo;
  readonly hooks: string;
  run(script: string, step?: "set_up" | "checks"): ReturnType<typeof processes.run>;
}

async function linkedTree(): Promise<Tree> {
  const repo = await tempRepo({ files: { "a.txt": "a", "mine.sh": MINE }, commit: true });
  const base = await tempFolder();
  const path = `${base.path}/tree`;
  await repo.git("worktree", "add", "--quiet", "--detach", path);
  const commonDir = `${repo.path}/.git`;
  const hooks = `${commonDir}/hooks`;
  await Deno.mkdir(hooks, { recursive: true });
  await Deno.writeTextFile(`${hooks}/pre-commit`, MINE, { mode: 0o755 });
  return {
    path,
    repo,
    hooks,
    run: (script, step = "set_up") =>
      processes.run({
        ...{ program: "sh", args: ["-c", script], cwd: path },
        env: { PATH, HOOKS: hooks, HOME: "/nonexistent" },
        contain: { step, tree: path, commonDir },
      }),
    async [Symbol.asyncDispose]() {
      await base[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}

const config = async ({ repo }: Tree) => await Deno.readTextFile(`${repo.path}/.git/config`);

Deno.test("core.hooksPath, which Husky sets, is put back", async () => {
  await using tree = await linkedTree();
  const before = await config(tree);
  const ended = await tree.run("git config core.hooksPath .husky/_");
  assert.equal(ended.code, 0);
  assert.deepEqual(ended.putBack, ['core.hooksPath (it was set to ".husky/_")']);
  assert.equal(await config(tree), before);

  await tree.repo.git("config", "core.hooksPath", "my hooks");
  const own = await config(tree);
  await tree.run("git config core.hooksPath .husky");
  assert.equal(await config(tree), own);
});

Deno.test("hooks that are written over, moved or added are put back, and nothing is lost", async () => {
  await using tree = await linkedTree();
  const { hooks } = tree;
  await Deno.symlink("../../mine.sh", `${hooks}/pre-push`);
  await Deno.symlink("../../mine.sh", `${hooks}/commit-msg`);
  const ended = await tree.run(`cd "$HOOKS" && mv pre-commit pre-commit.old && echo a >pre-commit
    rm commit-msg; echo c >commit-msg; echo d >post-merge`);
  const kept = (name: string) => `hooks/${name} (kept as hooks/${name}.set-up)`;
  assert.deepEqual(ended.putBack, [
    ...["commit-msg", "pre-commit", "post-merge", "pre-commit.old"].map(kept),
  ]);
  const names = [...Deno.readDirSync(hooks)].map(({ name }) => name).sort();
  assert.deepEqual(names.filter((name) => !/\.(?:sample|set-up)$/.test(name)), [
    ...["commit-msg", "pre-commit", "pre-push"],
  ]);
  assert.equal(await Deno.readTextFile(`${hooks}/pre-commit`), MINE);
  assert.equal((await Deno.stat(`${hooks}/pre-commit`)).mode! & 0o777, 0o755);
  for (const name of ["pre-push", "commit-msg"]) {
    assert.equal(await Deno.readLink(`${hooks}/${name}`), "../../mine.sh");
  }
  // A person may have written it just then.
  assert.equal(await Deno.readTextFile(`${hooks}/post-merge.set-up`), "d\n");
  assert.equal((await tree.run("true")).putBack, undefined);
});

Deno.test("the script behind a hook's link is the person's, who may be editing it", async () => {
  await using tree = await linkedTree();
  await Deno.symlink("../../mine.sh", `${tree.hooks}/pre-push`);
  assert.equal((await tree.run('echo edited >"$HOOKS/pre-push"')).putBack, undefined);
  assert.equal(await Deno.readTextFile(`${tree.repo.path}/mine.sh`), "edited\n");
});

Deno.test("installers of hooks are told to install none", async () => {
  await using tree = await linkedTree();
  const { stdout } = await tree.run('echo "$HUSKY $SKIP_INSTALL_SIMPLE_GIT_HOOKS"');
  assert.equal(capturedText(stdout), "0 1\n");
});

Deno.test("svc installs its hooks and takes them out, also while a set-up runs", async () => {
  await using tree = await linkedTree();
  const { repo, hooks, path } = tree;
  const opened = await gitOver(denoProcesses(), { PATH }).open(repo.path);
  const files = denoFiles();
  await new Deno.Command("mkfifo", { args: [`${path}/go`, `${path}/on`] }).output();
  const texts = async () => {
    const names = [...Deno.readDirSync(hooks)].map(({ name }) => name)
      .filter((name) => !name.endsWith(".sample")).sort();
    return await Promise.all(
      names.map(async (name) => [name, await Deno.readTextFile(`${hooks}/${name}`)]),
    );
  };
  /** @returns the hooks right after it, which the end of the set-up leaves so */
  async function meanwhile(work: () => Promise<unknown>) {
    const running = tree.run("echo >on; read _ <go");
    await Deno.readTextFile(`${path}/on`);
    await work();
    const after = await texts();
    await Deno.writeTextFile(`${path}/go`, "\n");
    assert.equal((await running).putBack, undefined);
    assert.deepEqual(await texts(), after);
    return after;
  }
  // One that svc adds to, and one that it moves away.
  for (const mine of [MINE, "#!/usr/bin/perl\nprint 1;\n"]) {
    await Deno.writeTextFile(`${hooks}/pre-commit`, mine, { mode: 0o755 });
    await meanwhile(() => installHooks(files, opened, undefined));
    const left = await meanwhile(() => removeHooks(files, opened, undefined));
    assert.deepEqual(left, [["pre-commit", mine]]);
  }
});

Deno.test("svc's own hook is put back where a tool writes over it", async () => {
  await using tree = await linkedTree();
  await installHooks(
    denoFiles(),
    await gitOver(denoProcesses(), { PATH }).open(tree.repo.path),
    undefined,
  );
  const own = await Deno.readTextFile(`${tree.hooks}/pre-commit`);
  const ended = await tree.run('echo "#!/bin/sh\nexec theirs" >"$HOOKS/pre-commit"');
  assert.deepEqual(ended.putBack, ["hooks/pre-commit (kept as hooks/pre-commit.set-up)"]);
  assert.equal(await Deno.readTextFile(`${tree.hooks}/pre-commit`), own);
});

Deno.test("a set-up that leaves hooks alone is told as it ended, whether or not there are any", async () => {
  await using tree = await linkedTree();
  assert.equal((await tree.run("git config user.email b@example.org")).putBack, undefined);
  await Deno.remove(tree.hooks, { recursive: true });
  assert.equal((await tree.run("exit 3")).code, 3);
  await tree.run('mkdir "$HOOKS" && echo a >"$HOOKS/pre-commit"');
  assert.deepEqual([...Deno.readDirSync(tree.hooks)].map(({ name }) => name), [
    "pre-commit.set-up",
  ]);
});

Deno.test("set-ups that run at a time share what was there before the first", async () => {
  await using tree = await linkedTree();
  const before = await config(tree);
  const fifos = ["one", "two", "three"].map((name) => `${tree.path}/${name}`);
  await new Deno.Command("mkfifo", { args: fifos }).output();
  const first = tree.run("git config core.hooksPath a; echo >one; read _ <two");
  const second = tree.run("read _ <one; echo >two; read _ <three");
  assert.deepEqual((await first).putBack, ['core.hooksPath (it was set to "a")']);
  await tree.repo.git("config", "core.hooksPath", "a");
  await Deno.writeTextFile(fifos[2]!, "\n");
  assert.deepEqual((await second).putBack, ['core.hooksPath (it was set to "a")']);
  assert.equal(await config(tree), before);
});

Deno.test("checks, and what a person starts in the checkout, change hooks as they like", async () => {
  await using tree = await linkedTree();
  await tree.run("git config core.hooksPath .husky/_", "checks");
  assert.match(await config(tree), /hooksPath = \.husky\/_/);
  const commonDir = `${tree.repo.path}/.git`;
  await processes.run({
    ...{ program: "git", args: ["config", "core.hooksPath", "own"], cwd: tree.repo.path },
    env: { PATH, HOME: "/nonexistent" },
    contain: { step: "set_up", tree: tree.repo.path, commonDir },
  });
  assert.match(await config(tree), /hooksPath = own/);
});

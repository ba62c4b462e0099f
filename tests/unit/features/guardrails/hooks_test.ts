import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { installHooks, removeHooks } from "svc/features/guardrails/hooks.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const git = gitOver(denoProcesses(), { PATH });
const files = denoFiles();

const install = async (repo: TempRepo, everywhere?: string) =>
  await installHooks(files, await git.open(repo.path), everywhere);
const remove = async (repo: TempRepo) =>
  await removeHooks(files, await git.open(repo.path), undefined);

/** A stand-in on PATH that notes how it was called and says what the hook should obey. */
async function fakeSvc(exit: number) {
  const bin = await tempFolder();
  const script = `#!/bin/sh\necho "$@" >>"${bin.path}/calls"\n` +
    `case "$3" in pre-push) cat >>"${bin.path}/calls" ;; esac\nexit ${exit}\n`;
  await bin.write("svc", script, { executable: true });
  return bin;
}

/** Runs git with hooks in force, as a user would. */
async function commit(repo: TempRepo, bin: string | undefined, args: readonly string[]) {
  const { code, stderr, stdout } = await new Deno.Command("git", {
    args: [...args],
    cwd: repo.path,
    clearEnv: true,
    env: {
      PATH: bin === undefined ? PATH : `${bin}:${PATH}`,
      HOME: "/nonexistent",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.org",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.org",
    },
  }).output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stderr) + decoder.decode(stdout) };
}

async function ready(): Promise<TempRepo> {
  const repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  await repo.write("b.txt", "b");
  await repo.git("add", ".");
  return repo;
}

verifies(
  "4.5:guardrails-install-hooks:installs-git-hooks",
  "both hooks are installed, once",
  async () => {
    await using repo = await ready();
    const first = await install(repo);
    assert.deepEqual(first.map(({ hook, change }) => [hook, change]), [
      ["pre-commit", "added"],
      ["pre-push", "added"],
    ]);
    const path = `${repo.path}/.git/hooks/pre-commit`;
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o755);
    const text = await Deno.readTextFile(path);
    assert.deepEqual((await install(repo)).map(({ change }) => change), ["unchanged", "unchanged"]);
    assert.equal(await Deno.readTextFile(path), text);
  },
);

Deno.test("a hook that svc fails refuses the commit, one that it passes lets it through", async () => {
  await using repo = await ready();
  await install(repo);
  await using bad = await fakeSvc(1);
  assert.equal((await commit(repo, bad.path, ["commit", "-m", "x"])).code, 1);
  await using good = await fakeSvc(0);
  assert.equal((await commit(repo, good.path, ["commit", "-m", "x"])).code, 0);
  assert.equal(await good.read("calls"), "internal hook pre-commit\n");
});

Deno.test("without svc on PATH a commit passes with a hint", async () => {
  await using repo = await ready();
  await install(repo);
  const { code, text } = await commit(repo, undefined, ["commit", "-m", "x"]);
  assert.equal(code, 0);
  assert.match(text, /svc is not on PATH.*svc path setup/);
});

Deno.test("a shell hook that was there runs after ours, and reads the refs of a push as before", async () => {
  await using repo = await ready();
  await using remote = await tempFolder();
  await repo.git("init", "--quiet", "--bare", remote.path);
  const hook =
    `#!/bin/bash\nwhile read -r line; do echo "mine $line" >>"${remote.path}/seen"; done\n`;
  await repo.write(".git/hooks/pre-push", hook, { executable: true });
  await install(repo);
  await using good = await fakeSvc(0);
  assert.equal((await commit(repo, good.path, ["push", remote.path, "main:main"])).code, 0);
  assert.match(
    await remote.read("seen"),
    /^mine refs\/heads\/main [0-9a-f]{40} refs\/heads\/main 0{40}\n$/,
  );
  assert.match(await good.read("calls"), /^internal hook pre-push .*\nrefs\/heads\/main /);
  assert.deepEqual((await remove(repo)).length, 2);
  assert.equal(await repo.read(".git/hooks/pre-push"), hook);
});

for (
  const [name, hook] of [
    ["python", "#!/usr/bin/env python3\nopen('ran', 'w').write('x')\n"],
    ["perl", "#!/usr/bin/perl\nopen(F, '>', 'ran');\n"],
  ] as const
) {
  Deno.test(`a ${name} hook is kept, run by ours, and comes back`, async () => {
    await using repo = await ready();
    await repo.write(".git/hooks/pre-commit", hook, { executable: true });
    const [change] = await install(repo);
    assert.match(change!.kept!, /pre-commit\.before-svc$/);
    assert.deepEqual((await install(repo))[0]!.change, "unchanged");
    await using good = await fakeSvc(0);
    const { code, text } = await commit(repo, good.path, ["commit", "-m", "x"]);
    assert.equal(code, 0, text);
    assert.equal((await Deno.stat(`${repo.path}/ran`)).isFile, true);
    await remove(repo);
    assert.equal(await repo.read(".git/hooks/pre-commit"), hook);
  });
}

/** A hook that svc cannot edit; it notes what it is given. */
const noting = (at: string) =>
  `#!/usr/bin/perl\nopen(F, '>>', '${at}'); print F "kept $_" while <STDIN>; print F "kept\\n";\n`;

Deno.test("what somebody adds to svc's hook beside one that it keeps runs, and outlives eject", async () => {
  for (const hook of ["pre-commit", "pre-push"]) {
    await using repo = await ready();
    await using out = await tempFolder();
    await using good = await fakeSvc(0);
    await repo.git("init", "--quiet", "--bare", `${out.path}/remote`);
    const path = `.git/hooks/${hook}`;
    const seen = async () => {
      await out.write("seen", "");
      const args = hook === "pre-commit"
        ? ["commit", "--allow-empty", "-m", "x"]
        : ["push", "--force", `${out.path}/remote`, "HEAD:refs/heads/main"];
      await repo.git("commit", "--quiet", "--allow-empty", "--no-verify", "-m", "y");
      const { code, text } = await commit(repo, good.path, args);
      assert.equal(code, 0, text);
      return (await out.read("seen")).replaceAll(/ HEAD .*/g, " ref");
    };
    const ref = hook === "pre-push" ? " ref" : "";
    const both = ref === "" ? "kept\nmine\n" : "kept ref\nkept\nmine ref\nmine\n";
    await repo.write(path, noting(`${out.path}/seen`), { executable: true });
    await install(repo);
    const mine = `while read -r line; do echo "mine $line" >>"${out.path}/seen"; done\n` +
      `echo mine >>"${out.path}/seen"\n`;
    const own = ref === "" ? `echo mine >>"${out.path}/seen"\n` : mine;
    await repo.write(path, await repo.read(path) + own, { executable: true });
    assert.equal(await seen(), both, "beside svc");
    assert.deepEqual((await remove(repo)).length, 2);
    assert.equal(await seen(), both, "after eject");
    assert.doesNotMatch(await repo.read(path), /svc internal|>>> svc/);
    await install(repo);
    assert.equal(await seen(), both, "installed again");
    await remove(repo);
    assert.equal(await seen(), both, "after eject again");
  }
});

Deno.test("a hook that its owner switched off stays off, and switches ours not off", async () => {
  await using repo = await ready();
  await repo.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
  await install(repo);
  await using good = await fakeSvc(0);
  assert.equal((await commit(repo, good.path, ["commit", "-m", "x"])).code, 0);
  assert.equal(await good.read("calls"), "internal hook pre-commit\n");
});

Deno.test("a hook that cannot be moved away is refused, and nothing is written", async () => {
  const python = "#!/usr/bin/env python3\n";
  for (const folder of [".git/hooks", "team/hooks"]) {
    await using repo = await ready();
    if (folder === "team/hooks") await repo.git("config", "core.hooksPath", folder);
    else await repo.write(`${folder}/pre-push.before-svc`, "an older one\n");
    await repo.write(`${folder}/pre-push`, python, { executable: true });
    await assert.rejects(() => install(repo), { code: "conflict", message: /is no shell script/ });
    assert.equal(await repo.read(`${folder}/pre-push`), python);
    const kept = await repo.read(`${folder}/pre-push.before-svc`).catch(() => undefined);
    assert.equal(kept, folder === "team/hooks" ? undefined : "an older one\n");
    await assert.rejects(() => Deno.stat(`${repo.path}/${folder}/pre-commit`));
  }
});

Deno.test("an empty hook gets the block, and one with a zero byte is kept whole", async () => {
  await using repo = await ready();
  await repo.write(".git/hooks/pre-commit", "", { executable: true });
  await repo.write(".git/hooks/pre-push", "#!/bin/sh\nexit 0\n\0", { executable: true });
  const [commits, pushes] = await install(repo);
  assert.equal(commits!.kept, undefined);
  assert.match(pushes!.kept!, /pre-push\.before-svc$/);
  assert.equal(await repo.read(".git/hooks/pre-push.before-svc"), "#!/bin/sh\nexit 0\n\0");
});

Deno.test("a folder for hooks that is not there yet is made where git looks", async () => {
  await using repo = await ready();
  await repo.git("config", "core.hooksPath", "team/git/hooks");
  const [change] = await install(repo, "/nowhere");
  assert.equal(change!.path, `${repo.path}/team/git/hooks/pre-commit`);
  await using bad = await fakeSvc(1);
  assert.equal((await commit(repo, bad.path, ["commit", "-m", "x"])).code, 1);
});

Deno.test("a hook that holds nothing but the block goes with it, and one without the block stays", async () => {
  await using repo = await ready();
  const paths = (await install(repo)).map(({ path }) => path);
  assert.deepEqual(await remove(repo), paths);
  for (const path of paths) await assert.rejects(() => Deno.stat(path), Deno.errors.NotFound);
  const mine = {
    ".git/hooks/pre-commit": "#!/bin/sh\necho mine\n",
    ".git/hooks/pre-commit.before-svc": "an older one\n",
    ".git/hooks/pre-push": "#!/bin/sh\n",
  };
  for (const [path, text] of Object.entries(mine)) await repo.write(path, text);
  assert.deepEqual(await remove(repo), []);
  for (const [path, text] of Object.entries(mine)) assert.equal(await repo.read(path), text);
});

Deno.test("a link to a script of the work tree is kept, the script untouched", async () => {
  await using repo = await ready();
  await repo.write("scripts/check", "#!/bin/sh\ntouch ran\n", { executable: true });
  await Deno.mkdir(`${repo.path}/.git/hooks`, { recursive: true });
  await Deno.symlink("../../scripts/check", `${repo.path}/.git/hooks/pre-commit`);
  await install(repo);
  assert.equal(await repo.read("scripts/check"), "#!/bin/sh\ntouch ran\n");
  await using good = await fakeSvc(0);
  await commit(repo, good.path, ["commit", "-m", "x"]);
  assert.equal((await Deno.stat(`${repo.path}/ran`)).isFile, true);
  await remove(repo);
  assert.equal(await Deno.readLink(`${repo.path}/.git/hooks/pre-commit`), "../../scripts/check");
});

Deno.test("core.hooksPath inside the repo is where the hooks go", async () => {
  await using repo = await ready();
  await repo.git("config", "core.hooksPath", "team/hooks");
  await repo.write("team/hooks/pre-commit", "#!/bin/sh\necho team\n", { executable: true });
  const [change] = await install(repo);
  assert.equal(change!.path, `${repo.path}/team/hooks/pre-commit`);
  assert.match(await repo.read("team/hooks/pre-commit"), /^#!\/bin\/sh\n# >>> svc guardrails >>>/);
  await using bad = await fakeSvc(1);
  assert.equal((await commit(repo, bad.path, ["commit", "-m", "x"])).code, 1);
});

Deno.test("Husky's own folder is left alone; its scripts get the block and keep their mode", async () => {
  await using repo = await ready();
  await repo.git("config", "core.hooksPath", ".husky/_");
  await repo.write(".husky/_/h", "#!/usr/bin/env sh\n");
  await repo.write(".husky/_/pre-commit", "generated\n", { executable: true });
  await repo.write(".husky/pre-commit", "npm test\n");
  const changes = await install(repo);
  assert.deepEqual(changes.map(({ path }) => path), [
    `${repo.path}/.husky/pre-commit`,
    `${repo.path}/.husky/pre-push`,
  ]);
  assert.equal(await repo.read(".husky/_/pre-commit"), "generated\n");
  assert.match(await repo.read(".husky/pre-commit"), /<<< svc guardrails <<<\nnpm test\n$/);
  assert.equal((await Deno.stat(`${repo.path}/.husky/pre-commit`)).mode! & 0o111, 0);
  await remove(repo);
  assert.equal(await repo.read(".husky/pre-commit"), "npm test\n");
});

Deno.test("a hook with Windows line ends gets a block that a shell can read", async () => {
  await using repo = await ready();
  await using remote = await tempFolder();
  await repo.git("init", "--quiet", "--bare", remote.path);
  await repo.git("config", "core.hooksPath", "team");
  // A kernel runs it by its first line alone.
  const mine =
    `#!/bin/sh\n: one\r\n: two\r\nread -r line && echo "mine $line" >"${remote.path}/seen" #\r\n`;
  await repo.write("team/pre-push", mine, { executable: true });
  await install(repo);
  await using good = await fakeSvc(0);
  const pushed = await commit(repo, good.path, ["push", remote.path, "main:main"]);
  assert.equal(pushed.code, 0, pushed.text);
  assert.match(await remote.read("seen"), /^mine refs\/heads\/main [0-9a-f]{40}/);
  assert.match(await good.read("calls"), /^internal hook pre-push .*\nrefs\/heads\/main /);
  await remove(repo);
  assert.equal(await repo.read("team/pre-push"), mine);
});

Deno.test("a hooks folder that serves other repos is refused with the way out", async () => {
  await using repo = await ready();
  await using shared = await tempFolder();
  const refused = (error: unknown) =>
    error instanceof Failure && error.code === "conflict" &&
    /secret-scan --staged/.test(error.detail.remedy!);
  await assert.rejects(() => install(repo, shared.path), refused);
  // Wherever it leads: all repos of the user have it.
  await assert.rejects(() => install(repo, `${repo.path}/team`), refused);
  await repo.git("config", "core.hooksPath", shared.path);
  await assert.rejects(() => install(repo), refused);
  assert.deepEqual(await Array.fromAsync(Deno.readDir(shared.path)), []);
});

Deno.test("no link leads a hook out of the repo, and none is followed to nowhere", async () => {
  await using outside = await tempFolder();
  const links: readonly (readonly [hooksPath: string | undefined, link: string, to: string])[] = [
    [undefined, ".git/hooks", outside.path],
    [undefined, ".git/hooks", `${outside.path}/not/there`],
    ["team/hooks", "team", outside.path],
    ["team/hooks", "team/hooks", outside.path],
    ["team/hooks", "team/hooks", "../../../nowhere"],
    [".git/hooks", ".git/hooks", outside.path],
    ["team/../../out", "team", outside.path],
  ];
  for (const [hooksPath, link, to] of links) {
    await using repo = await ready();
    await Deno.remove(`${repo.path}/.git/hooks`, { recursive: true }).catch(() => {});
    if (hooksPath !== undefined) await repo.git("config", "core.hooksPath", hooksPath);
    await Deno.mkdir(`${repo.path}/${link}/..`, { recursive: true }).catch(() => {});
    await Deno.remove(`${repo.path}/${link}`, { recursive: true }).catch(() => {});
    await Deno.symlink(to, `${repo.path}/${link}`);
    const refused = (error: unknown) =>
      error instanceof Failure && error.code === "conflict" &&
      error.message.startsWith("Cannot install hooks: ") && error.detail.remedy !== undefined;
    await assert.rejects(() => install(repo), refused, `${hooksPath} ${link}`);
    await assert.rejects(() => remove(repo), refused, `${hooksPath} ${link}`);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(outside.path)), [], link);
    assert.deepEqual(
      (await Array.fromAsync(Deno.readDir(`${repo.path}/..`))).filter(({ name }) => name === "out"),
      [],
    );
  }
});

Deno.test("a link from git's hooks to a folder of the work tree is the team's", async () => {
  await using repo = await ready();
  await Deno.remove(`${repo.path}/.git/hooks`, { recursive: true }).catch(() => {});
  await repo.write("team/pre-commit", "#!/bin/sh\necho team\n", { executable: true });
  await Deno.symlink("../team", `${repo.path}/.git/hooks`);
  const [change] = await install(repo);
  assert.equal(change!.path, `${repo.path}/team/pre-commit`);
});

Deno.test("a linked worktree uses the hooks of its main repo", async () => {
  await using repo = await ready();
  await using place = await tempFolder();
  await repo.git("worktree", "add", "--quiet", `${place.path}/tree`);
  const opened = await git.open(`${place.path}/tree`);
  const [change] = await installHooks(files, opened, undefined);
  assert.equal(change!.path, `${repo.path}/.git/hooks/pre-commit`);
});

Deno.test("an installation that was cut off after the move is finished by the next", async () => {
  await using repo = await ready();
  await repo.write(".git/hooks/pre-commit.before-svc", "#!/usr/bin/python3\n", {
    executable: true,
  });
  const [change] = await install(repo);
  assert.equal(change!.change, "added");
  assert.match(await repo.read(".git/hooks/pre-commit"), /before-svc/);
});

Deno.test("a hook that svc moved away comes back where no hook of svc's stands in its place", async () => {
  await using repo = await ready();
  const python = "#!/usr/bin/python3\n";
  await repo.write(".git/hooks/pre-commit.before-svc", python, { executable: true });
  assert.deepEqual(await remove(repo), [`${repo.path}/.git/hooks/pre-commit`]);
  assert.equal(await repo.read(".git/hooks/pre-commit"), python);
  await assert.rejects(() => Deno.stat(`${repo.path}/.git/hooks/pre-commit.before-svc`));
});

Deno.test("a hooks folder of the user's home, or of another's, is no folder of the repo named ~", async () => {
  await using repo = await ready();
  const atHome = gitOver(denoProcesses(), { PATH, HOME: "/nonexistent/home" });
  for (const named of ["~/hooks", "~somebody/hooks"]) {
    await repo.git("config", "core.hooksPath", named);
    const installing = atHome.open(repo.path).then((opened) =>
      installHooks(files, opened, undefined)
    );
    await assert.rejects(installing, { code: "conflict" }, named);
  }
  assert.deepEqual([...Deno.readDirSync(repo.path)].filter(({ name }) => name.startsWith("~")), []);
});

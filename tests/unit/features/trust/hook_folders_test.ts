import assert from "node:assert/strict";
import { guardrailsOf, pathObjection } from "svc/features/trust/guardrails.ts";
import { hookFolders } from "svc/features/trust/hook_folders.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const files = denoFiles();

Deno.test("hookFolders knows what core.hooksPath names below the root, however it is said", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using home = await tempFolder();
  const git = gitOver(denoProcesses(), { PATH, HOME: home.path, GIT_CONFIG_NOSYSTEM: "1" });
  const found = async (named: string | undefined) => {
    if (named !== undefined) await repo.git("config", "core.hooksPath", named);
    return await hookFolders({ files, git }, await git.open(repo.path));
  };
  assert.deepEqual(await found(undefined), []);
  const said: readonly (readonly [string, readonly string[]])[] = [
    ["tools/hooks", ["tools/hooks"]],
    ["./tools//hooks/", ["tools/hooks"]],
    ["tools/x/../hooks", ["tools/hooks"]],
    [`${repo.path}/tools/hooks`, ["tools/hooks"]],
    ["config/husky/_", ["config/husky"]],
    ["_", [""]],
    [".", [""]],
    ["..", []],
    ["/usr/share/hooks", []],
    [`${repo.path}-other/hooks`, []],
  ];
  for (const [named, wanted] of said) assert.deepEqual(await found(named), wanted, named);
  const atHome = gitOver(denoProcesses(), { PATH, HOME: repo.path.replace(/\/[^/]+$/, "") });
  await repo.git("config", "core.hooksPath", `~/${repo.path.split("/").at(-1)}/tools/hooks`);
  const below = await hookFolders({ files, git: atHome }, await atHome.open(repo.path));
  assert.deepEqual(below, ["tools/hooks"], "below the home, as git reads it");
  await repo.git("config", "--unset", "core.hooksPath");
  await home.write(".gitconfig", "[core]\n\thooksPath = .my-hooks\n");
  assert.deepEqual(await found(undefined), [".my-hooks"], "the user's own");
});

Deno.test("hookFolders knows the folders and files of hooks that lie behind links", async () => {
  await using repo = await tempRepo({ files: { "scripts/check": "#!/bin/sh\n" }, commit: true });
  await using home = await tempFolder();
  const git = gitOver(denoProcesses(), { PATH, HOME: home.path, GIT_CONFIG_NOSYSTEM: "1" });
  const found = async () => (await hookFolders({ files, git }, await git.open(repo.path))).sort();
  const own = `${repo.path}/.git/hooks`;
  await Deno.mkdir(own, { recursive: true });
  await Deno.symlink("../../scripts/check", `${own}/pre-commit`);
  assert.deepEqual(await found(), ["scripts/check"], "a hook that is a link");
  await Deno.remove(own, { recursive: true });
  await Deno.symlink("../team", own);
  assert.deepEqual(await found(), [], "a link that leads nowhere");
  await repo.write("team/pre-push", "#!/bin/sh\n");
  await Deno.symlink("../scripts/check", `${repo.path}/team/pre-commit`);
  assert.deepEqual(await found(), ["scripts/check", "team"], "git's own folder is a link");
  await Deno.symlink("team", `${repo.path}/hooks`);
  await repo.git("config", "core.hooksPath", "hooks");
  assert.deepEqual(await found(), ["hooks", "scripts/check", "team"], "the folder that is set");
  await Deno.symlink(repo.path, `${home.path}/project`);
  await repo.git("config", "core.hooksPath", `${home.path}/project/later/_`);
  assert.deepEqual(await found(), ["later", "scripts/check", "team"], "a link to the repo");
  await repo.git("config", "core.hooksPath", "scripts/check/below/a/file");
  assert.deepEqual(await found(), ["scripts/check", "scripts/check/below/a/file", "team"]);
});

Deno.test("no role writes below a folder of hooks, in any spelling of it", () => {
  const guardrails = guardrailsOf(undefined, ["Tools/Hooks"]);
  const free = (path: string) => pathObjection(path, "engineer", guardrails) === undefined;
  for (
    const path of ["Tools/Hooks/pre-commit", "tools/hooks", "TOOLS/hooks./x", "tools/hooks/a/b"]
  ) {
    assert.equal(free(path), false, path);
  }
  assert.deepEqual(["tools", "tools/hooks2/x", "hooks/x"].filter((path) => !free(path)), []);
  const root = guardrailsOf(undefined, [""]);
  assert.match(pathObjection("pre-commit", "engineer", root)!.reason, /hook that git runs/);
});

import assert from "node:assert/strict";
import { guardrailsOf, pathObjection } from "svc/features/trust/guardrails.ts";
import { hookFolders } from "svc/features/trust/hook_folders.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";

Deno.test("hookFolders knows what core.hooksPath names below the root, however it is said", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using home = await tempFolder();
  const git = gitOver(denoProcesses(), { PATH, HOME: home.path, GIT_CONFIG_NOSYSTEM: "1" });
  const found = async (named: string | undefined) => {
    if (named !== undefined) await repo.git("config", "core.hooksPath", named);
    return await hookFolders(git, await git.open(repo.path));
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
  const below = await hookFolders(atHome, await atHome.open(repo.path));
  assert.deepEqual(below, ["tools/hooks"], "below the home, as git reads it");
  await repo.git("config", "--unset", "core.hooksPath");
  await home.write(".gitconfig", "[core]\n\thooksPath = .my-hooks\n");
  assert.deepEqual(await found(undefined), [".my-hooks"], "the user's own");
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

import assert from "node:assert/strict";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";

const git = gitOver(denoProcesses(), { PATH: "/usr/local/bin:/usr/bin:/bin" });

Deno.test("standing tells tracked, ignored and untracked paths apart, absent ones too", async () => {
  await using repo = await tempRepo({
    files: { ".gitignore": "*.key\nlocal/\n", "a.txt": "1", "forced.key": "1" },
  });
  await repo.git("add", "--force", "--all");
  await repo.git("commit", "--quiet", "--message", "first");
  await repo.write("b.txt", "1");
  await repo.write("c.key", "1");
  const opened = await git.open(repo.path);
  const table = {
    "a.txt": "tracked",
    "forced.key": "tracked",
    "b.txt": "untracked",
    "c.key": "ignored",
    "absent.txt": "untracked",
    "absent.key": "ignored",
    "local/absent": "ignored",
  };
  for (const [path, standing] of Object.entries(table)) {
    assert.equal(await opened.trackingOf(path), standing, path);
  }
});

Deno.test("standing takes a name for a name, whatever it looks like to git", async () => {
  await using repo = await tempRepo({
    files: { ".gitignore": "*.key\n", "a.txt": "1" },
    commit: true,
  });
  const opened = await git.open(repo.path);
  for (const path of [":(top)a.txt", ":!a.txt", "*", "[a].txt", "-a"]) {
    const standing = path === "-a" ? undefined : "untracked";
    if (standing === undefined) {
      await assert.rejects(opened.trackingOf(path), { code: "usage" });
    } else assert.equal(await opened.trackingOf(path), standing, path);
  }
  assert.equal(await opened.trackingOf(":(top)b.key"), "ignored");
});

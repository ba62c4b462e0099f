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

Deno.test("trackedAmong gives what git keeps and looks at, for few names and for many", async () => {
  const many = Array.from({ length: 300 }, (_, at) => `many/${at}.txt`);
  const files = Object.fromEntries(["a.txt", "[a].txt", "b.txt", ...many].map((one) => [one, "1"]));
  await using repo = await tempRepo({ files, commit: true });
  await repo.git("update-index", "--skip-worktree", "b.txt");
  await repo.write("c.txt", "1");
  const opened = await git.open(repo.path);
  const asked = ["a.txt", "[a].txt", "b.txt", "c.txt", "*", "-a", "absent", ":(top)a.txt", "many"];
  for (const more of [[], many]) {
    const found = await opened.trackedAmong([...asked, ...more]);
    assert.deepEqual([...found].sort(), ["a.txt", "[a].txt", ...more].sort());
  }
  assert.deepEqual(await opened.trackedAmong(["-a"]), new Set());
});

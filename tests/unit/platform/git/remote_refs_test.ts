/** What a fetch notes of a remote whose branches others rename. */
import assert from "node:assert/strict";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { ENV } from "tests/unit/platform/commit_ports.ts";
import { remotePorts } from "tests/unit/platform/remote_ports.ts";

Deno.test("a branch that became a folder of branches at the remote, and the other way round, is fetched", async () => {
  await using work = await tempRepo({ commit: true, files: { "a.txt": "a\n" } });
  await using home = await tempFolder();
  const url = `${home.path}/shop.git`;
  await plainGit(home.path, ["clone", "--quiet", "--bare", work.path, url]);
  await plainGit(url, ["branch", "svc/one", "main"]);
  await plainGit(url, ["branch", "svc/two/a", "main"]);
  const remotes = remotePorts(home.path);
  const remote = { id: "0123456789ab", url, branch: "main" };
  const repo = await gitOver(denoProcesses(), ENV).open(await remotes.clone(remote));
  await remotes.fetch(repo, remote);
  assert.deepEqual(await remotes.handed(repo), ["svc/one", "svc/two/a"]);

  await plainGit(url, ["branch", "--move", "svc/one", "svc/other"]);
  await plainGit(url, ["branch", "--move", "svc/other", "svc/one/a"]);
  await plainGit(url, ["branch", "--move", "svc/two/a", "svc/other"]);
  await plainGit(url, ["branch", "--move", "svc/other", "svc/two"]);
  await remotes.fetch(repo, remote);
  assert.deepEqual(await remotes.handed(repo), ["svc/one/a", "svc/two"]);
});

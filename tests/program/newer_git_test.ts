/** `svc run` in a repo with a reftable, beside git of a newer Debian. */
import assert from "node:assert/strict";
import { NEWER_GIT_PATH } from "tests/kit/newer_git.ts";
import { FIX, HOST, runSite } from "tests/kit/run_site.ts";
import { plainGit } from "tests/kit/temp_repo.ts";

Deno.test({
  name: "a fix is made, proven and kept in a repo whose refs are in a reftable",
  ignore: NEWER_GIT_PATH === undefined,
  async fn() {
    await using site = await runSite({ scenario: { roles: { engineer: FIX } } });
    const env = { PATH: NEWER_GIT_PATH! };
    const git = async (...args: string[]) => {
      const { code, stdout, stderr } = await plainGit(site.repo.path, args, { env });
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const svc = (...args: string[]) => site.svcWith({ ...site.env, ...env }, ...args);
    // git 2.47 migrates no reflogs.
    await Deno.remove(`${site.repo.path}/.git/logs`, { recursive: true });
    await git("refs", "migrate", "--ref-format=reftable");
    assert.equal(await site.repo.read(".git/HEAD"), "ref: refs/heads/.invalid\n");
    await svc("tickets", "new", "--title", "Mend add", "--acceptance", "make test passes");
    const ran = await svc("run", "engineer", ...HOST, "--json", "--model-endpoint", site.model.url);
    assert.equal(ran.code, 0, ran.stderr);
    const { disposition, branch, checks } = ran.json();
    assert.deepEqual({ disposition, checks }, { disposition: "submitted", checks: "passed" });
    assert.match(await git("log", "-1", "--format=%s", branch), /^fix\(add\)/);
    assert.equal(await git("status", "--porcelain"), "");
    await git("merge", "--quiet", "--no-ff", "--no-edit", branch);
    const tidied = await svc("cleanup", "--yes", "--json");
    assert.equal(tidied.code, 0, tidied.stderr);
    // Its work tree's time is not over.
    assert.deepEqual(tidied.json().kept.map((one: { branch: string }) => one.branch), [branch]);
    await git("fsck", "--strict");
  },
});

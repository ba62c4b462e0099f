/** What a service says of a repo that was registered after its Worker was given its permissions. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import type { Commits } from "svc/platform/git/commit.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { reposWithin } from "svc/runtime/start/confinement.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { confined } from "tests/unit/platform/confined_ports.ts";

verifies(
  ["4.3:scan:registered-repo", "7:status-400:unknown-role-or-repo"],
  "a repo that was registered later is named as such, with the way out, by whatever opens it",
  async () => {
    await using base = await tempFolder();
    await using first = await tempRepo({ commit: true });
    await using later = await tempRepo({ commit: true });
    const home = { worktrees: `${base.path}/worktrees`, repos: `${base.path}/repos` };
    await using worker = confined({ repos: [first.path], home: home.worktrees });
    const ports = {
      ...{ ...worker, files: denoFiles(), commits: undefined as unknown as Commits },
      ...reposWithin({ ...worker, home }, { repos: [first.path] }),
    };
    const { signal } = new AbortController();
    using opened = await openCheckout({ ...ports, signal }, first.path);
    assert.equal(opened.root, first.path);
    for (
      const open of [
        () => openCheckout({ ...ports, signal }, later.path),
        () => ports.folder(later.path),
      ]
    ) {
      const failure = Failure.from(await open().catch((thrown: unknown) => thrown));
      assert.equal(
        failure.message,
        `Cannot work on "${later.path}": it was registered after svc serve began, ` +
          "which takes it in when it is started again",
      );
      assert.deepEqual([failure.http, failure.remedy], [400, "Start svc serve again"]);
    }
  },
);

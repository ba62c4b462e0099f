import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { commitPorts } from "tests/unit/platform/commit_ports.ts";
import { evil, victim } from "./hostile_parts.ts";
import { HOSTILE } from "./hostile_repos.ts";

for (const { name, plant } of HOSTILE.filter(({ refused }) => refused === undefined)) {
  Deno.test(`commitPaths runs nothing of a hostile ${name}`, async () => {
    await using repo = await victim();
    await using program = await evil();
    await plant(repo, program);
    await program.forget();
    const before = await repo.read(".git/config");
    await repo.write("new", "newer\n");
    try {
      using ports = await commitPorts(repo.path);
      const plan = { doing: "test", message: "test", paths: ["a", "new"] };
      await ports.commits.commitPaths(ports.repo, ports.folder, plan);
      await ports.commits.namesEverAdded(ports.repo, "docs", []);
      await ports.commits.recover(ports.repo, ports.folder);
    } catch (thrown) {
      assert.ok(thrown instanceof Failure, String(thrown));
      assert.match(thrown.code, /^(environment|refused|conflict)$/, String(thrown));
    }
    assert.equal(await program.fired(), false);
    assert.equal(await repo.read(".git/config"), before);
  });
}

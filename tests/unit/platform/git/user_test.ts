import assert from "node:assert/strict";
import { distrust, userSetting } from "svc/platform/git/user.ts";
import { denoProcesses, type Processes } from "svc/platform/process/process.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { ENV } from "tests/unit/platform/commit_ports.ts";

Deno.test("no git is run out of a tree that is there, and trees that are gone are forgotten", async () => {
  await using base = await tempFolder();
  const roots = ["a", "b"].map((name) => `${base.path}/${name}`);
  const refused: (readonly string[] | undefined)[] = [];
  const real = denoProcesses();
  const processes: Processes = {
    ...real,
    run(command) {
      refused.push(command.refuseUnder);
      return real.run(command);
    },
  };
  const ask = () => userSetting(processes, ENV, "core.hooksPath");
  for (const root of roots) {
    await Deno.mkdir(root);
    distrust(processes, root);
  }
  await ask();
  await Deno.remove(roots[0]!);
  await ask();
  await Deno.mkdir(roots[0]!);
  distrust(processes, roots[0]!);
  await ask();
  assert.deepEqual(refused, [roots, [roots[1]], [roots[1], roots[0]]]);
});

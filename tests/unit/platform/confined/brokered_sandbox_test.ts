import assert from "node:assert/strict";
import type { Containment } from "svc/core/execution.ts";
import { denoProcesses, type Processes, type Run } from "svc/platform/process/process.ts";
import { refusal } from "tests/kit/refusal.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { confined } from "tests/unit/platform/confined_ports.ts";

const run: Run = {
  program: "/bin/true",
  args: ["a"],
  cwd: "/",
  env: { PATH: "/bin:/usr/bin" },
  refuseUnder: [],
};
const outside = [["/bin/true", "{tree}"]];

async function ground(sandboxed: boolean) {
  const [repo, other, home] = [
    await tempRepo({ commit: true, files: { a: "a" } }),
    await tempRepo(),
    await tempFolder(),
  ];
  const started: (Containment | undefined)[] = [];
  const real = denoProcesses();
  const processes: Processes = {
    ...real,
    run(command) {
      started.push(command.contain);
      return real.run(command);
    },
  };
  const app = confined({
    ...{ repos: [repo.path], home: home.path, processes },
    ...(sandboxed && { sandboxed: { outside } }),
  });
  return {
    ...{ app, started, repo, other },
    async [Symbol.asyncDispose]() {
      for (const part of [app, repo, other, home]) await part[Symbol.asyncDispose]();
    },
  };
}

Deno.test("where programs are contained, a Worker starts none outside of the sandbox but git", async () => {
  await using at = await ground(true);
  const { processes } = at.app;
  const uncontained = refusal("refused", /^Cannot run "\/bin\/true" outside the sandbox$/);
  await assert.rejects(processes.run(run), uncontained);
  const server = { step: "servers", tree: at.repo.path, outside: true } as const;
  await assert.rejects(processes.run({ ...run, contain: server }), uncontained);
  const named = { ...run, args: [at.repo.path], contain: server };
  assert.equal((await processes.run(named)).code, 0);
  assert.equal((await processes.run({ ...run, program: "git", args: ["--version"] })).code, 0);
  assert.deepEqual(at.started, [server, undefined]);
});

Deno.test("a Worker names the tree of a program; what git shares with it is looked up", async () => {
  await using at = await ground(true);
  const { processes } = at.app;
  const tree = at.repo.path;
  const forged = { step: "checks", tree, commonDir: `${at.other.path}/.git` } as const;
  await processes.run({ ...run, contain: forged });
  assert.deepEqual(at.started, [{ step: "checks", tree, commonDir: `${tree}/.git` }]);
  for (const strange of [at.other.path, "/", "/etc", `${tree}/..`]) {
    const contain = { step: "checks", tree: strange } as const;
    await assert.rejects(
      processes.run({ ...run, contain }),
      refusal("refused", /this run is confined to/),
      strange,
    );
  }
});

Deno.test("where nothing is contained, programs start as ever", async () => {
  await using at = await ground(false);
  assert.equal((await at.app.processes.run(run)).code, 0);
});

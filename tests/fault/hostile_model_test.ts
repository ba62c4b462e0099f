/**
 * A hostile model that calls every tool with bad arguments, in observer profile: 0 writes, and no
 * program but git. Once with the policy as it is, once with one that allows everything, where the
 * broker alone stands in the way.
 */
import { RepoOpener } from "svc/features/repos/repo.ts";
import assert from "node:assert/strict";
import { REPORTED_DISPOSITIONS } from "svc/core/disposition.ts";
import { TOOLS, toolsFor } from "svc/features/tools/all.ts";
import { outputBound } from "svc/features/tools/bound_output.ts";
import { definitionOf } from "svc/features/tools/definitions.ts";
import type { ToolSession } from "svc/features/tools/tool.ts";
import { toolbox } from "svc/features/tools/toolbox.ts";
import { decide } from "svc/features/trust/policy.ts";
import { offer } from "svc/platform/confined/broker.ts";
import { offerRepos } from "svc/platform/confined/brokered_repo.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { gitOver } from "svc/platform/git/git.ts";
import type { Processes } from "svc/platform/process/process.ts";
import { reachRepos } from "svc/platform/confined/reached_repo.ts";
import { badArgs, treeHash } from "tests/kit/bad_args.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { ENV } from "tests/unit/platform/commit_ports.ts";
import { mainPorts } from "tests/unit/platform/confined_ports.ts";

/** 500 by `make hostile`, which takes some three minutes. */
const CALLS_A_TOOL = Number(Deno.env.get("HOSTILE_CALLS") ?? 40);
const AT_ONCE = 4;
const signal = new AbortController().signal;

/** A confined observer's view of a repo, and every program that the main thread starts for it. */
async function observerAt(path: string, state: string) {
  const programs: string[] = [];
  const main = mainPorts({ repos: [path], home: `${state}/worktrees` });
  const processes: Processes = {
    sweep: (tag) => main.processes.sweep(tag),
    run(command) {
      programs.push(command.program);
      return main.processes.run(command);
    },
  };
  const ports = { ...main, processes, git: gitOver(processes, ENV) };
  const offered = offerRepos(ports, { profile: "observer", repos: [path] });
  const { port1, port2 } = new MessageChannel();
  const served = offer(port1, offered.objects);
  const app = reachRepos(port2, denoFiles());
  const clock = systemClock;
  const repo = await new RepoOpener({ ...app, clock }).openAt(path, { signal });
  const session: ToolSession = {
    repo,
    tree: repo,
    processes: app.processes,
    env: ENV,
    ...{ manifest: undefined, role: "engineer", job: "J-1", redact: (text) => text },
    dispositions: REPORTED_DISPOSITIONS,
    parsers: () => Promise.reject(new Error("none here")),
    seen: new Map(),
    artefacts: { folder: `${state}/outputs`, files: denoFiles() },
  };
  return {
    ...{ session, programs },
    async [Symbol.asyncDispose]() {
      repo[Symbol.dispose]();
      await served[Symbol.asyncDispose]();
      offered[Symbol.dispose]();
      port2.close();
    },
  };
}

for (const allowed of [false, true]) {
  const policy = allowed ? "a policy that allows everything" : "the policy";
  Deno.test(`a hostile model with every tool changes and starts nothing under ${policy}`, async () => {
    await using repo = await tempRepo({
      files: { "a.txt": "one\n", "src/b.ts": "export const b = 1;\n", "run.sh": "touch pwned\n" },
      commit: true,
    });
    await using state = await tempFolder("svc-state-");
    await using outside = await tempFolder("svc-outside-");
    await outside.write("secret", "needle-outside\n");
    await Deno.symlink(outside.path, `${repo.path}/link`);
    const before = await Promise.all([repo.path, outside.path].map(treeHash));
    await using at = await observerAt(repo.path, state.path);
    const tools = toolsFor(REPORTED_DISPOSITIONS);
    const box = toolbox({
      ...{ tools, session: at.session, output: outputBound(200_000) },
      decide: allowed ? () => ({ allowed: true }) : decide,
      policy: {
        profile: "observer",
        now: () =>
          Promise.resolve({
            roleTrust: "contributor",
            sourceTrust: "contributor",
            roleTools: undefined,
            guardrails: { denyPaths: [], denyCommands: [] },
          }),
      },
      recordDenial: () => Promise.resolve(),
      log: { write() {} },
    });
    const statuses: Record<string, Set<string>> = {};
    for (const tool of tools) {
      const seen = statuses[tool.name] = new Set<string>();
      const queue = badArgs({
        ...{ definition: definitionOf(tool), count: CALLS_A_TOOL, seed: 11 },
        outside: outside.path,
      });
      await Promise.all(Array.from({ length: AT_ONCE }, async () => {
        for (const args of queue) {
          const { status, text } = await box.call(tool.name, args, { signal });
          seen.add(status);
          assert.doesNotMatch(text, /needle-outside/, `${tool.name} ${JSON.stringify(args)}`);
        }
      }));
    }
    assert.deepEqual(await Promise.all([repo.path, outside.path].map(treeHash)), before);
    assert.deepEqual([...new Set(at.programs)].filter((name) => name !== "git"), []);
    assert.deepEqual(Object.keys(statuses).sort(), TOOLS.map(({ name }) => name).sort());
    const writing = ["file_write", "command_run", "git_commit"];
    const expected = allowed ? "failed" : "denied";
    for (const name of writing) assert.ok(statuses[name]!.has(expected), `${name}: ${expected}`);
  });
}

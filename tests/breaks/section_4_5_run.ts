/** Breaks of `svc run`, `start` and `serve`. */
import type { Break } from "./break.ts";

export const SECTION_4_5_RUN: readonly Break[] = [
  {
    ids: ["4.5:run:repo"],
    file: "src/platform/git/worktree_list.ts",
    find: "if (isFolder(usual) && leadsTo(usual)) return usual;",
    put: "if (isFolder(usual)) return usual;",
  },
  {
    ids: ["4.5:run:repo"],
    file: "src/platform/git/worktree_fit.ts",
    find: "entries.some(({ mode }) => mode === SUBMODULE)",
    put: "false",
  },
  {
    ids: ["4.5:run:repo"],
    file: "src/cli/commands/run.ts",
    find: "repo: asked.repo ?? app.cwd(),\n      profile: profileOf(asked),",
    put: "repo: app.cwd(),\n      profile: profileOf(asked),",
  },
  {
    ids: ["4.5:run:trace"],
    file: "src/cli/commands/run.ts",
    find: "debug: asked.debug || asked.trace",
    put: "debug: asked.debug",
  },
  {
    ids: ["4.5:run:debug"],
    file: "src/cli/commands/run.ts",
    find: "debug: asked.debug || asked.trace",
    put: "debug: false",
  },
  {
    ids: ["4.5:run:budget"],
    file: "src/cli/commands/run.ts",
    find: "budget: typedBudget(asked.budget),",
    put: "budget: undefined,",
  },
  {
    ids: ["4.5:run:max-turns"],
    file: "src/cli/commands/run.ts",
    find: "      budget: typedBudget(asked.budget),",
    put: "      budget: typedBudget(asked.budget),\n      maxTurns: undefined,",
  },
  {
    ids: ["4.5:run:dry-run", "4.5:run:dry-run-no-init-writes-nothing"],
    file: "src/cli/commands/run.ts",
    find: "    return report.dry_run ? report",
    put:
      '    if (report.dry_run) await app.files.writeAtomic(`${request.repo}/preview`, "x");\n    return report.dry_run ? report',
  },
  {
    ids: ["4.5:run:no-init"],
    file: "src/runtime/run/requested_run.ts",
    find: "if (!noInit && !dryRun) throw",
    put: "if (!dryRun) throw",
  },
  {
    ids: ["4.5:run:log-file", "1:log-path:outside-target-repo"],
    file: "src/cli/commands/run.ts",
    find: "    await checkLogFile(asked);\n",
    put: "    Object.assign(asked, { logFile: undefined });\n",
  },
  {
    ids: ["4.5:run:wrong-usage-before-job"],
    file: "src/cli/commands/run.ts",
    find: "    await checkLogFile(asked);\n",
    put: "",
  },
  {
    ids: ["4.5:start:concurrency", "4.5:serve:concurrency"],
    file: "src/runtime/engine/engine.ts",
    find: "Array.from({ length: concurrency }",
    put: "Array.from({ length: 8 }",
  },
  {
    ids: ["4.5:start:repo"],
    file: "src/cli/commands/start.ts",
    find: "const { repo = app.cwd() } = asked;",
    put: "const repo = app.cwd();",
  },
  {
    ids: ["4.5:start:yes"],
    file: "src/cli/profile_flags.ts",
    find: 'if (profile === "host" && !asked.acknowledgeHostExecution) {',
    put:
      'if (profile === "host" && !asked.acknowledgeHostExecution && !("yes" in asked && asked.yes)) {',
  },
  {
    ids: ["4.5:start:force"],
    file: "src/cli/service/run.ts",
    find: "const { force = false, newLifecycle = false, modelEndpoint } = options;",
    put: "const { newLifecycle = false, modelEndpoint } = options;\n  const force = false;",
  },
  {
    ids: ["4.5:start:json"],
    file: "src/cli/service/run.ts",
    find: "new EventLines(app, call.options.json)",
    put: 'new EventLines(app, call.options.json && call.shape === "serve")',
  },
  {
    ids: ["4.5:serve:addr"],
    file: "src/cli/service/listen.ts",
    find: "return listen(typed ?? usual);",
    put: 'return listen(shape === "serve" ? usual : typed ?? usual);',
  },
  {
    ids: ["4.5:run:repo"],
    file: "src/runtime/job/run_job.ts",
    find: "  texts.catch(() => {}); // thrown where they are used\n",
    put: "",
  },
  {
    ids: ["4.5:run:repo"],
    file: "src/platform/git/repo_lock.ts",
    find: "  file.truncateSync(bytes.length);\n",
    put: "",
  },
];

/** Breaks of `doctor`, `checks`, `scores` and `trust`. */
import type { Break } from "./break.ts";

export const SECTION_4_5_EVIDENCE: readonly Break[] = [
  {
    ids: ["4.5:doctor:checks-toolchain"],
    file: "src/features/doctor/machine_probes.ts",
    find: "  toolchain,\n  homeFolder,",
    put: "  homeFolder,",
  },
  {
    ids: ["4.5:doctor:checks-config"],
    file: "src/features/doctor/machine_probes.ts",
    find: "const settings = await readConfig(files, path);",
    put:
      'const settings = { codehost_token: "", telemetry: { reporting: "off" as const, token: "", interval: "" } };',
  },
  {
    ids: ["4.5:doctor:checks-disk-space"],
    file: "src/features/doctor/machine_probes.ts",
    find: "free on the disk of",
    put: "on the disk of",
  },
  {
    ids: ["4.5:doctor:checks-database"],
    file: "src/features/doctor/machine_probes.ts",
    find: "const problems = await checkDatabase(path);",
    put: "const problems: string[] = [];",
  },
  {
    ids: ["4.5:doctor:checks-guardrails"],
    file: "src/features/doctor/repo_probes.ts",
    find: "  guardrails,\n  operatingModel,",
    put: "  operatingModel,",
  },
  {
    ids: ["4.5:doctor:checks-workflow-health"],
    file: "src/features/doctor/repo_probes.ts",
    find: "if (operation !== undefined) {",
    put: 'if (operation !== undefined && branch === undefined && root === "") {',
  },
  {
    ids: ["4.5:doctor:checks-operating-model-health"],
    file: "src/features/doctor/repo_probes.ts",
    find: "if (await repo.folder.stat(path) === undefined) {",
    put: 'if (await repo.folder.stat(path) === undefined && role === "") {',
  },
  {
    ids: ["4.5:doctor:repo"],
    file: "src/cli/commands/doctor.ts",
    find: "repoAtHand(app, named)",
    put: "repoAtHand(app, undefined)",
  },
  {
    ids: ["4.5:doctor:db"],
    file: "src/cli/commands/doctor.ts",
    find: "if (named !== undefined) return [named];\n",
    put: "void named;\n",
  },
  {
    ids: ["4.5:doctor:config"],
    file: "src/cli/commands/doctor.ts",
    find: "configPath: () => asked.config ?? app.home.config,",
    put: "configPath: () => app.home.config,",
  },
  {
    ids: ["4.5:doctor:json"],
    file: "src/cli/commands/doctor.ts",
    find: 'modes: ["json", "plain"]',
    put: 'modes: ["plain"]',
  },
  {
    ids: ["4.5:checks-run:runs-in-target"],
    file: "src/features/checks/run_check.ts",
    find: "cwd: plan.repo.root,",
    put: 'cwd: "/",',
  },
  {
    ids: ["4.5:checks-run:records-outcome"],
    file: "src/cli/commands/checks/run.ts",
    find: "await recordCheck(store.db, check);",
    put: 'await recordCheck(store.db, { ...check, outcome: "passed" });',
  },
  {
    ids: ["4.5:checks-run:repo-required"],
    file: "src/cli/commands/checks/run.ts",
    find: 'repo: required(path("path", "Target repo"))',
    put: 'repo: otherwise(path("path", "Target repo"), ".")',
  },
  {
    ids: ["4.5:checks-run:name-required"],
    file: "src/cli/commands/checks/run.ts",
    find: 'name: required(text("name", "What the check is called, such as test"))',
    put: 'name: otherwise(text("name", "What the check is called, such as test"), "test")',
  },
  {
    ids: ["4.5:checks-run:role"],
    file: "src/cli/commands/checks/run.ts",
    find: "const { name, role, rest, json } = asked;",
    put:
      'const { name, rest, json } = asked;\n    const role = ROLE.test(asked.role) ? "engineer" : asked.role;',
  },
  {
    ids: ["4.5:checks-run:db"],
    file: "src/cli/commands/checks/run.ts",
    find: "      db: asked.db,\n",
    put: "",
  },
  {
    ids: ["3.2:checks-run:failure-exits-non-zero"],
    file: "src/cli/commands/checks/run.ts",
    find: 'exit: ({ outcome }) => outcome === "passed" ? 0 : 1',
    put: "exit: () => 0",
  },
  {
    ids: ["4.5:scores:from-outcomes"],
    file: "src/cli/commands/scores.ts",
    find: "now: app.clock.now() });",
    put: "now: 0 });",
  },
  {
    ids: ["4.5:scores:repo-and-db"],
    file: "src/cli/commands/scores.ts",
    find: "const { repo = app.cwd(), db } = asked;",
    put: "const { repo = app.cwd() } = asked;\n    const db = undefined;",
  },
  {
    ids: ["4.5:scores-export:refreshes-artifact"],
    file: "src/cli/commands/scores/export.ts",
    find: "await writeQuality(folder, quality, { old, dryRun })",
    put: "await writeQuality(folder, quality, { old, dryRun: dryRun || old !== undefined })",
  },
  {
    ids: ["4.5:scores-export:repo-and-db"],
    file: "src/cli/commands/scores/export.ts",
    find: "const { repo = app.cwd(), db } = asked;",
    put: "const { db } = asked;\n    const repo = app.cwd();",
  },
  {
    ids: ["4.5:scores-export:window-days"],
    file: "src/cli/commands/scores/export.ts",
    find: "const { dryRun, windowDays: days } = asked;",
    put: "const { dryRun } = asked;\n    const days = 30;",
  },
  {
    ids: ["4.5:scores-export:create-intervention-debt"],
    file: "src/cli/commands/scores/export.ts",
    find: "? await writeDebt(checkout, quality, { dryRun })",
    put: "? await writeDebt(checkout, quality, { dryRun: true })",
  },
  {
    ids: ["4.5:scores-export:no-tickets-alone"],
    file: "src/cli/commands/scores/export.ts",
    find: "const tickets = asked.createInterventionDebt\n",
    put: "const tickets = !asked.dryRun\n",
  },
  {
    ids: ["4.5:trust:shows-levels"],
    file: "src/cli/commands/trust.ts",
    find: "      level,\n      source,",
    put: "      level: manifest ?? level,\n      source,",
  },
  {
    ids: ["4.5:trust:repo-and-db"],
    file: "src/cli/commands/trust.ts",
    find: "const { repo = app.cwd(), db } = asked;",
    put: "const { repo = app.cwd() } = asked;\n    const db = undefined;",
  },
  {
    ids: ["4.5:trust-set:default-reason"],
    file: "src/cli/commands/trust/set.ts",
    find: "`no reason given: set by ${who} at ${rfc3339(now)}`",
    put: '"no reason given"',
  },
];

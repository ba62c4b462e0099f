/** Breaks of places, modes and profiles. */
import type { Break } from "./break.ts";

export const SECTION_1_2: readonly Break[] = [
  {
    ids: ["1:execution-profile:host-is-not-containment"],
    file: "src/platform/files/held_folder.ts",
    find: "O_PATH | O_CLOEXEC | MACHINE.O_NOFOLLOW",
    put: "O_PATH | MACHINE.O_NOFOLLOW",
  },
  {
    ids: ["1:start:default-database"],
    file: "src/store/placement.ts",
    find: "const name = databaseFolder(repo);\n  const withId",
    put: 'const name = "repo";\n  const withId',
  },
  {
    ids: ["1:database-path:outside-target-repo"],
    file: "src/store/placement.ts",
    find: '  await refuseInsideRepo(path, "--db");\n  refuseOwned(file, repo);',
    put: "  refuseOwned(file, repo);",
  },
  {
    ids: ["1:database-path:outside-target-repo"],
    file: "src/cli/commands/prune.ts",
    find: '  await refuseInsideRepo(db, "--db");\n',
    put: "",
  },
  {
    ids: ["1:output:no-terminal-no-yes"],
    file: "src/cli/ask.ts",
    find: "stdinTerminal && stdout.terminal && !json",
    put: "!json",
  },
  {
    ids: ["1:output:yes"],
    file: "src/cli/commands/path/setup.ts",
    find: "shell = detectShell(env), dryRun }",
    put: 'shell = detectShell({ get: () => "bash" }), dryRun }',
  },
  {
    ids: ["1:output:dry-run"],
    file: "src/features/setup/shell_path.ts",
    find: "else if (dryRun) {",
    put: "else if (dryRun && old !== undefined && old === text) {",
  },
  {
    ids: ["1:serve:default-database"],
    file: "src/store/placement.ts",
    find: "databaseFile(ports.files, `${ports.home.sharedDb}/${FILE}`)",
    put: "databaseFile(ports.files, `${ports.home.db}/${FILE}`)",
  },
  {
    ids: ["1:execution-profile:isolated-unavailable"],
    file: "src/cli/profile_flags.ts",
    find: 'if (profile === "isolated") {',
    put: 'if (profile === "isolated" && asked.acknowledgeHostExecution) {',
  },
  {
    ids: ["1:execution-profile:host-needs-acknowledgement"],
    file: "src/cli/profile_flags.ts",
    find: 'if (profile === "host" && !asked.acknowledgeHostExecution) {',
    put: 'if (profile === "host" && asked.acknowledgeHostExecution === undefined) {',
  },
  {
    ids: ["1:listeners:control-loopback-only", "1:listeners:dashboard-loopback-only"],
    file: "src/core/loopback.ts",
    find: "(127(?:\\.(?:0|[1-9]\\d{0,2})){3})",
    put: "(\\d+(?:\\.(?:0|[1-9]\\d{0,2})){3}|localhost)",
  },
];

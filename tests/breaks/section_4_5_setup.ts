/** Breaks of `svc setup`. */
import type { Break } from "./break.ts";

export const SECTION_4_5_SETUP: readonly Break[] = [
  {
    ids: ["4.5:setup:creates-home"],
    file: "src/cli/commands/setup.ts",
    find: "await files.makeFolder(home.root);",
    put: "await files.makeFolder(`${home.root}-elsewhere`);",
  },
  {
    ids: ["4.5:setup:writes-config"],
    file: "src/features/settings/edit_config.ts",
    find: "await files.writeAtomic(path, text, { followLink: true, ...how });",
    put: "",
  },
  {
    ids: ["4.5:setup:detects-hardware"],
    file: "src/features/setup/machine.ts",
    find: 'const all = Math.min(bytes("MemTotal"),',
    put: 'const all = Math.min(bytes("MemoryTotal"),',
  },
  {
    ids: ["4.5:setup:test-mode"],
    file: "src/cli/commands/setup.ts",
    find: '? { inference: "defer" as const, model: undefined }\n',
    put: '? { inference: "local" as const, model: undefined }\n',
  },
  {
    ids: ["4.5:setup:dry-run"],
    file: "src/cli/commands/setup.ts",
    find: "if (!asked.dryRun) {\n      await files",
    put: "{\n      await files",
  },
  {
    ids: ["4.5:setup:install-dir"],
    file: "src/cli/commands/setup.ts",
    find: 'path: ["install_dir"], value: asked.installDir',
    put: 'path: ["install_dir"], value: "/opt"',
  },
  {
    ids: ["4.5:setup:inference"],
    file: "src/cli/commands/setup.ts",
    find: "inference: choice(INFERENCES,",
    put: 'inference: choice([...INFERENCES, "somewhere" as "defer"],',
  },
  {
    ids: ["4.5:setup:local-bundle"],
    file: "src/cli/commands/setup.ts",
    find: "localBundle: choice(BUNDLES,",
    put: 'localBundle: choice([...BUNDLES, "tiny" as "auto"],',
  },
  {
    ids: ["4.5:setup:json"],
    file: "src/cli/commands/setup.ts",
    find: 'modes: ["json", "plain", "yes", "dry-run"]',
    put: 'modes: ["plain", "yes", "dry-run"]',
  },
  {
    ids: ["4.5:setup:github"],
    file: "src/cli/commands/setup.ts",
    find: "const release = asked.github && !asked.dryRun\n",
    put: "const release = asked.github && asked.dryRun\n",
  },
  {
    ids: ["4.5:setup:skip-github"],
    file: "src/cli/commands/setup.ts",
    find: "const release = asked.github && !asked.dryRun\n",
    put: "const release = !asked.dryRun\n",
  },
  {
    ids: ["4.5:setup:yes"],
    file: "src/features/setup/choice.ts",
    find: 'if (first?.kind === "given" || first?.kind === "server") return first;',
    put: 'if (first !== undefined && first.kind !== "later") return first;',
  },
  {
    ids: ["4.5:setup:plain"],
    file: "src/cli/menu.ts",
    find: "!plain && styledOn(stdout, env) &&",
    put: "styledOn(stdout, env) &&",
  },
  {
    ids: ["7:cli:model-preflight-changed-profile"],
    file: "src/features/setup/machine_record.ts",
    find: "if (change === undefined) return;",
    put: "if (then !== undefined || change === undefined) return;",
  },
];

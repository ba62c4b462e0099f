/** Breaks of version, help, `path setup`, completion and guardrails. */
import type { Break } from "./break.ts";

export const SECTION_4_5_MACHINE: readonly Break[] = [
  {
    ids: ["4.5:global:version-command"],
    file: "src/cli/commands/version.ts",
    find: "page.line(`svc ${version}`);",
    put: 'page.line("svc");',
  },
  {
    ids: ["4.5:global:version-flag"],
    file: "src/cli/main.ts",
    find: 'words[0] === "-v" || ',
    put: "",
  },
  {
    ids: ["4.5:global:help"],
    file: "src/cli/main.ts",
    find: 'asksFor(words, "--plain"));\n  return 0;',
    put: 'asksFor(words, "--plain"));\n  return 1;',
  },
  {
    ids: ["4.5:path-setup:idempotent"],
    file: "src/features/setup/shell_path.ts",
    find: "planned.push({ path, old, ...withBlock(old, block,",
    put:
      "planned.push({ path, old, ...withBlock(old, { ...block, label: `${LABEL} ${old?.length ?? 0}` },",
  },
  {
    ids: ["4.5:path-setup:fish"],
    file: "src/features/setup/path_lines.ts",
    find: "; or set -gx PATH ${word} $PATH`",
    put: "`",
  },
  {
    ids: ["4.5:path-setup:zsh"],
    file: "src/features/setup/shell_profiles.ts",
    find: "[{ candidates: [`${folder}/.zprofile`] }, { candidates: [`${folder}/.zshrc`] }]",
    put: "[{ candidates: [`${folder}/.zlogout`] }]",
  },
  {
    ids: ["4.5:path-setup:bash"],
    file: "src/features/setup/shell_profiles.ts",
    find: "{ candidates: [`${home}/.bashrc`] },",
    put: "{ candidates: [`${home}/.bash_logout`] },",
  },
  {
    ids: ["4.5:path-setup:posix-sh"],
    file: "src/features/setup/shell_profiles.ts",
    find:
      "sh: (at) => [{ candidates: [`${at.home}/.profile`] }, ...envFile(at) ?? []],\n  ksh: (at) => [{ candidates: [`${at.home}/.profile`] },",
    put:
      "sh: (at) => [{ candidates: [`${at.home}/.shrc`] }, ...envFile(at) ?? []],\n  ksh: (at) => [{ candidates: [`${at.home}/.shrc`] },",
  },
  {
    ids: ["4.5:path-setup:csh"],
    file: "src/features/setup/shell_profiles.ts",
    find: "{ candidates: [`${home}/.cshrc`] },\n",
    put: "{ candidates: [`${home}/.login`] },\n",
  },
  {
    ids: ["4.5:path-setup:tcsh"],
    file: "src/features/setup/shell_profiles.ts",
    find: "tcsh: ({ home }) => [{ candidates: [`${home}/.tcshrc`, `${home}/.cshrc`] }]",
    put: "tcsh: ({ home }) => [{ candidates: [`${home}/.profile`] }]",
  },
  {
    ids: ["4.5:path-setup:install-dir"],
    file: "src/cli/commands/path/setup.ts",
    find: "tidy(installDir ?? ",
    put: "tidy(",
  },
  {
    ids: ["4.5:path-setup:shell"],
    file: "src/cli/commands/path/setup.ts",
    find: "{ installDir, shell = detectShell(env), dryRun }) {",
    put: "{ installDir, dryRun }) {\n    const shell = detectShell(env);",
  },
  {
    ids: ["4.5:path-setup:dry-run"],
    file: "src/features/setup/shell_path.ts",
    find: "else if (dryRun) {",
    put: "else if (dryRun && old !== undefined && old === text) {",
  },
  {
    ids: ["4.5:path-setup:json"],
    file: "src/cli/commands/path/setup.ts",
    find: 'modes: ["json", "plain", "yes", "dry-run"]',
    put: 'modes: ["plain", "yes", "dry-run"]',
  },
  {
    ids: ["4.5:completion:bash"],
    file: "src/cli/completion/serve.ts",
    find: "entrance.stdout.write(`${[delegate, ...new Set(lines)]",
    put: "entrance.stdout.write(`${[...new Set(lines)]",
  },
  {
    ids: ["4.5:completion:unknown-shell"],
    file: "src/cli/commands/completion.ts",
    find: 'required(choice(SHELLS, "Shell"))',
    put: 'choice(SHELLS, "Shell")',
  },
  {
    ids: ["4.5:guardrails-secret-scan:finds-common-patterns"],
    file: "src/cli/commands/guardrails/secret_scan.ts",
    find: "exit: (report) => report.baseline === undefined && notClean(report) ? 1 : 0",
    put: "exit: () => 0",
  },
  {
    ids: ["4.5:guardrails-secret-scan:repo"],
    file: "src/cli/commands/guardrails/secret_scan.ts",
    find: "asked.repo ?? app.cwd()",
    put: "app.cwd()",
  },
  {
    ids: ["4.5:guardrails-secret-scan:staged"],
    file: "src/cli/commands/guardrails/secret_scan.ts",
    find: "const sources = asked.staged\n",
    put: "const sources = asked.staged === undefined\n",
  },
  {
    ids: ["4.5:guardrails-secret-scan:json"],
    file: "src/cli/commands/guardrails/secret_scan.ts",
    find: 'modes: ["json", "plain"]',
    put: 'modes: ["plain"]',
  },
  {
    ids: ["4.5:guardrails-install-hooks:installs-git-hooks"],
    file: "src/features/guardrails/hooks.ts",
    find: 'export const HOOKS = ["pre-commit", "pre-push"] as const',
    put: 'export const HOOKS = ["pre-commit"] as const',
  },
  {
    ids: ["4.5:guardrails-install-hooks:repo"],
    file: "src/cli/commands/guardrails/install_hooks.ts",
    find: "asked.repo ?? cwd()",
    put: "cwd()",
  },
  {
    ids: ["4.5:guardrails-install-hooks:json"],
    file: "src/cli/commands/guardrails/install_hooks.ts",
    find: 'modes: ["json", "plain"]',
    put: 'modes: ["plain"]',
  },
];

/** Breaks of release access: `auth github`, and what may be shown to a code host. */
import type { Break } from "./break.ts";

export const SECTION_4_5_ACCESS: readonly Break[] = [
  {
    ids: ["4.5:auth-github-check:anonymous-first"],
    file: "src/features/access/release_access.ts",
    find: "const first = await ask(ports, url);",
    put: "const first = await ask(ports, url, (await resolve())?.token);",
  },
  {
    ids: ["4.5:auth-github-check:no-redirect"],
    file: "src/features/access/release_access.ts",
    find: 'redirect: "manual"',
    put: 'redirect: "follow"',
  },
  {
    ids: ["4.5:auth-github-check:retries-only-on-exact-status"],
    file: "src/features/access/release_access.ts",
    find: "const ASKS_FOR_CREDENTIAL = [401, 403, 404];",
    put: "const ASKS_FOR_CREDENTIAL = [401, 403, 404, 429];",
  },
  {
    ids: ["4.5:auth-github-check:retries-only-on-exact-status"],
    file: "src/features/access/release_access.ts",
    find: "const ASKS_FOR_CREDENTIAL = [401, 403, 404];",
    put: "const ASKS_FOR_CREDENTIAL = [401, 404];",
  },
  {
    ids: ["4.5:auth-github-check:retries-once-same-place"],
    file: "src/features/access/release_access.ts",
    find: "const second = await ask(ports, url, token);",
    put: "await ask(ports, url, token);\n  const second = await ask(ports, url, token);",
  },
  {
    ids: ["4.5:auth-github-check:credentials-undisclosed"],
    file: "src/features/access/release_access.ts",
    find: "`${first.reason}, and ${from} holds no token`",
    put: "`${first.reason}, and ${from} holds ${token}`",
  },
  {
    ids: ["4.5:auth-github-check:config"],
    file: "src/cli/commands/auth/github/check.ts",
    find: "mustReadConfig(app, asked.config)",
    put: "mustReadConfig(app, undefined)",
  },
  {
    ids: ["4.5:auth-github-check:json"],
    file: "src/cli/commands/auth/github/check.ts",
    find: 'modes: ["json", "plain"]',
    put: 'modes: ["plain"]',
  },
  {
    ids: ["2.2:release-access:result"],
    file: "src/features/access/release_access.ts",
    find: 'if (second.reason === null) return { access: "authenticated",',
    put: 'if (second.reason === null) return { access: "anonymous",',
  },
  {
    ids: ["5:release-access:stored-or-environment-credentials"],
    file: "src/features/access/release_place.ts",
    find: "if (known !== undefined) return known;",
    put: "",
  },
  {
    ids: ["5:model-keys:separate-from-release-credentials"],
    file: "src/features/access/code_host_access.ts",
    find: '["SVC_GITHUB_TOKEN", "GITHUB_TOKEN"]',
    put: '["SVC_GITHUB_TOKEN", "GITHUB_TOKEN", "OPENAI_API_KEY"]',
  },
  {
    ids: ["4.5:auth-github-setup:stores-credential", "4.5:auth-github-setup:token"],
    file: "src/cli/commands/auth/github/setup.ts",
    find: "const token = checkedToken(await givenToken(app, asked));",
    put: 'const token = checkedToken("x" + await givenToken(app, asked));',
  },
  {
    ids: ["4.5:auth-github-setup:config"],
    file: "src/cli/commands/auth/github/setup.ts",
    find: "asked.config ?? app.home.config",
    put: "app.home.config",
  },
  {
    ids: ["4.5:auth-github-setup:json"],
    file: "src/cli/commands/auth/github/setup.ts",
    find: "return { ...change, stored: true as const };",
    put: "return { ...change, stored: true as const, config: `${change.config}: ${token}` };",
  },
  {
    ids: ["2.1:config:codehost-token"],
    file: "src/features/settings/config_file.ts",
    find: "codehost_token: z.string().min(1).optional()",
    put: "codehost_token: z.string().min(100).optional()",
  },
  {
    ids: ["4.5:auth-github-clear-local:removes-only-stored-token"],
    file: "src/features/settings/stored_credential.ts",
    find: "[{ path: KEY, value: undefined }]",
    put: '[{ path: KEY, value: undefined }, { path: ["telemetry"], value: undefined }]',
  },
  {
    ids: ["4.5:auth-github-clear-local:nothing-else-changes"],
    file: "src/features/settings/stored_credential.ts",
    find: 'return { config, change: "unchanged" };\n',
    put: 'await files.writeAtomic(config, "");\n',
  },
  {
    ids: ["4.5:auth-github-clear-local:config"],
    file: "src/cli/commands/auth/github/clear_local.ts",
    find: "asked.config ?? home.config",
    put: "home.config",
  },
  {
    ids: ["4.5:auth-github-clear-local:json"],
    file: "src/cli/commands/auth/github/clear_local.ts",
    find: 'return { config, removed: change === "changed" };',
    put: 'return { config, removed: change === "created" };',
  },
];

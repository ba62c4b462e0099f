/** Promises of spec section 4.5: `auth`, `update`, `completion` and `guardrails`. */
import type { Requirement } from "./requirement.ts";

export const SECTION_4_5_ACCESS = [
  {
    id: "4.5:auth-github-check:anonymous-first",
    section: "4.5",
    promise:
      "`auth github check` first makes exactly one anonymous request to the release-metadata endpoint.",
  },
  {
    id: "4.5:auth-github-check:no-redirect",
    section: "4.5",
    promise: "`auth github check` follows no redirect.",
  },
  {
    id: "4.5:auth-github-check:retries-only-on-exact-status",
    section: "4.5",
    promise:
      "Only an exact 401, 403 or 404 makes `auth github check` resolve optional credentials.",
  },
  {
    id: "4.5:auth-github-check:retries-once-same-place",
    section: "4.5",
    promise:
      "The authenticated retry of `auth github check` happens once, to the same origin and path.",
  },
  {
    id: "4.5:auth-github-check:credentials-undisclosed",
    section: "4.5",
    promise: "`auth github check` discloses no credential in output or log.",
  },
  {
    id: "4.5:auth-github-check:config",
    section: "4.5",
    promise: "`auth github check --config` reads the given configuration file.",
  },
  {
    id: "4.5:auth-github-check:json",
    section: "4.5",
    promise: "`auth github check --json` prints its result as JSON.",
  },
  {
    id: "4.5:auth-github-setup:stores-credential",
    section: "4.5",
    promise: "`auth github setup` stores an optional credential.",
  },
  {
    id: "4.5:auth-github-setup:token",
    section: "4.5",
    promise: "`auth github setup --token` stores the given token.",
  },
  {
    id: "4.5:auth-github-setup:config",
    section: "4.5",
    promise: "`auth github setup --config` writes the given configuration file.",
  },
  {
    id: "4.5:auth-github-setup:json",
    section: "4.5",
    promise: "`auth github setup --json` prints its result as JSON without the credential.",
  },
  {
    id: "4.5:auth-github-clear-local:removes-only-stored-token",
    section: "4.5",
    promise:
      "`auth github clear-local` removes the stored `codehost_token` and no other config value.",
  },
  {
    id: "4.5:auth-github-clear-local:nothing-else-changes",
    section: "4.5",
    promise:
      "`auth github clear-local` changes no environment variable, other credential, repository or remote state.",
  },
  {
    id: "4.5:auth-github-clear-local:config",
    section: "4.5",
    promise: "`auth github clear-local --config` changes the given configuration file.",
  },
  {
    id: "4.5:auth-github-clear-local:json",
    section: "4.5",
    promise: "`auth github clear-local --json` prints its result as JSON.",
  },
  {
    id: "4.5:update-check:reports-drift",
    section: "4.5",
    promise: "`update check` reports the drift of the installed CLI and of the target harness.",
  },
  {
    id: "4.5:update-check:repo",
    section: "4.5",
    promise: "`update check --repo` looks at the harness of the given repo.",
  },
  {
    id: "4.5:update-check:latest-release-url",
    section: "4.5",
    promise: "`update check --latest-release-url` asks the given URL for the latest release.",
  },
  {
    id: "4.5:update-check:skip-remote",
    section: "4.5",
    promise: "`update check --skip-remote` makes no network request.",
  },
  {
    id: "4.5:update-check:json",
    section: "4.5",
    promise: "`update check --json` prints its result as JSON.",
  },
  {
    id: "4.5:update-tool:reinstalls",
    section: "4.5",
    promise: "`update tool` reinstalls the tool from a source checkout.",
  },
  {
    id: "4.5:update-tool:aliases",
    section: "4.5",
    promise: "`update binary` and `update cli` are `update tool`.",
  },
  {
    id: "4.5:update-tool:install-dir",
    section: "4.5",
    promise: "`update tool --install-dir` installs into the given directory.",
  },
  {
    id: "4.5:update-tool:source",
    section: "4.5",
    promise: "`update tool --source` names the source to install from.",
  },
  {
    id: "4.5:update-tool:dry-run",
    section: "4.5",
    promise: "`update tool --dry-run` shows the steps and changes nothing.",
  },
  {
    id: "4.5:update-tool:json",
    section: "4.5",
    promise: "`update tool --json` prints its result as JSON.",
  },
  {
    id: "4.5:update-tool:packaged-flags-reserved",
    section: "4.5",
    promise: "Packaged `update tool` flags are refused as reserved for a future signed release.",
  },
  {
    id: "4.5:update-tool:make-target",
    section: "4.5",
    promise: "`make update-tool` in the source checkout reinstalls the tool.",
  },
  {
    id: "4.5:update-tool:no-raw-assets",
    section: "4.5",
    promise: "`update tool` never installs a historical raw asset.",
  },
  {
    id: "4.5:completion:bash",
    section: "4.5",
    promise: "`completion bash` prints a script that completes commands in Bash.",
  },
  {
    id: "4.5:completion:zsh",
    section: "4.5",
    promise: "`completion zsh` prints a script that completes commands in Zsh.",
  },
  {
    id: "4.5:completion:fish",
    section: "4.5",
    promise: "`completion fish` prints a script that completes commands in Fish.",
  },
  {
    id: "4.5:completion:powershell",
    section: "4.5",
    promise: "`completion powershell` prints a script that completes commands in PowerShell.",
  },
  {
    id: "4.5:completion:unknown-shell",
    section: "4.5",
    promise: "`completion` refuses a shell that it does not know.",
  },
  {
    id: "4.5:completion:no-descriptions",
    section: "4.5",
    promise: "`completion --no-descriptions` leaves descriptions out of the completions.",
  },
  {
    id: "4.5:guardrails-secret-scan:finds-common-patterns",
    section: "4.5",
    promise: "`guardrails secret-scan` finds common secret patterns and exits non-zero.",
  },
  {
    id: "4.5:guardrails-secret-scan:repo",
    section: "4.5",
    promise: "`guardrails secret-scan --repo` scans the given repo.",
  },
  {
    id: "4.5:guardrails-secret-scan:staged",
    section: "4.5",
    promise: "`guardrails secret-scan --staged` scans what is staged for commit and nothing else.",
  },
  {
    id: "4.5:guardrails-secret-scan:json",
    section: "4.5",
    promise: "`guardrails secret-scan --json` prints its findings as JSON.",
  },
  {
    id: "4.5:guardrails-install-hooks:installs-git-hooks",
    section: "4.5",
    promise: "`guardrails install-hooks` installs the optional git hooks.",
  },
  {
    id: "4.5:guardrails-install-hooks:repo",
    section: "4.5",
    promise: "`guardrails install-hooks --repo` installs into the given repo.",
  },
  {
    id: "4.5:guardrails-install-hooks:json",
    section: "4.5",
    promise: "`guardrails install-hooks --json` prints its result as JSON.",
  },
] as const satisfies readonly Requirement[];

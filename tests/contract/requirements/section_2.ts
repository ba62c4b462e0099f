/** Promises of spec section 2: files, directories and records. */
import type { Requirement } from "./requirement.ts";

export const SECTION_2 = [
  {
    id: "2.1:config:machine-settings",
    section: "2.1",
    promise:
      "`~/.svc/config.yaml` holds ports, model directories, performance profile, install paths and telemetry settings.",
  },
  {
    id: "2.1:config:codehost-token",
    section: "2.1",
    promise: "`config.yaml` may hold a stored `codehost_token` and is valid without one.",
  },
  {
    id: "2.1:models-directory:downloads-and-cache",
    section: "2.1",
    promise: "Downloaded local model files and their cache live in `~/.svc/models/`.",
  },
  {
    id: "2.1:bin-directory:managed-binaries",
    section: "2.1",
    promise: "Managed local inference server artifacts live in `~/.svc/bin/`.",
  },
  {
    id: "2.1:scoped-database:holds-start-state",
    section: "2.1",
    promise:
      "`~/.svc/db/{repo-name}/svc.db` holds the queue, telemetry, trust, scoring and registry state of `start`.",
  },
  {
    id: "2.1:shared-database:holds-serve-state",
    section: "2.1",
    promise:
      "`~/.svc-harness/db/svc.db` holds the state of `serve` that every registered repo shares.",
  },
  {
    id: "2.1:intake-database:default-of-collector",
    section: "2.1",
    promise:
      "`telemetry collect` stores into `~/.svc/db/foundation-telemetry/intake.db` by default.",
  },
  {
    id: "2.1:traces:directory",
    section: "2.1",
    promise: "Traces of agent runs are written below `~/.svc/traces/`.",
  },
  {
    id: "2.1:command-log:default-path",
    section: "2.1",
    promise:
      "A command log is written to `~/.svc/traces/logs/YYYYMMDD-HHMMSS-command.log` by default.",
  },
  {
    id: "2.1:command-log:log-file-flag",
    section: "2.1",
    promise: "`--log-file` replaces the default path of the command log.",
  },
  {
    id: "2.1:harness-directory:contents",
    section: "2.1",
    promise:
      "`.harness/` holds the repo's roles, guardrails, skills, knowledge routes, manifest and metadata.",
  },
  {
    id: "2.1:model-overrides:repo-owned-file",
    section: "2.1",
    promise: "`.harness/model-overrides.yaml` holds the model routing overrides of the repo.",
  },
  {
    id: "2.1:env-local:ignored-by-git",
    section: "2.1",
    promise: "`.harness/.env.local` is ignored by git.",
  },
  {
    id: "2.1:env-local:owner-only",
    section: "2.1",
    promise: "`.harness/.env.local` can be read and written by its owner only.",
  },
  {
    id: "2.1:tickets:state-directories",
    section: "2.1",
    promise: "`docs/tickets/` holds tickets by state: backlog, in-progress, review, done, blocked.",
  },
  {
    id: "2.1:quality-score:repo-visible",
    section: "2.1",
    promise: "`docs/QUALITY_SCORE.md` is the quality artifact that is visible in the repo.",
  },
  {
    id: "2.1:quality-score:manual-notes-preserved",
    section: "2.1",
    promise: "Rewriting `docs/QUALITY_SCORE.md` preserves its human-maintained manual-notes block.",
  },
  {
    id: "2.1:validation-reports:directory",
    section: "2.1",
    promise: "Live validation reports are written to `docs/validation/reports/`.",
  },
  {
    id: "2.1:release-state:version-and-changelog",
    section: "2.1",
    promise: "`VERSION` and `CHANGELOG.md` of the target repo hold its release state.",
  },
  {
    id: "2.1:agent-guidance:user-owned",
    section: "2.1",
    promise: "An existing `AGENTS.md` of the target repo is the user's and is never overwritten.",
  },
  {
    id: "2.2:registered-repo:fields",
    section: "2.2",
    promise: "A registered repo has an id, path, remote, branch and database.",
  },
  {
    id: "2.2:registered-repo:path-not-exposed",
    section: "2.2",
    promise:
      "The API shows only the id and a redacted basename of a registered repo, never its path.",
  },
  {
    id: "2.2:registered-repo:remote-form",
    section: "2.2",
    promise: "The remote of a registered repo is kept in the form `owner/repo`.",
  },
  {
    id: "2.2:role:defined-in-manifest",
    section: "2.2",
    promise: "The roles of a repo are the names that its manifest defines.",
  },
  {
    id: "2.2:role:named-roles",
    section: "2.2",
    promise:
      "A scaffolded manifest has an `engineer`, a `qa`, a CEO bootstrap and an orchestrator role.",
  },
  {
    id: "2.2:check-record:role-defaults-to-engineer",
    section: "2.2",
    promise: "A check record made without a role belongs to `engineer`.",
  },
  {
    id: "2.2:check-record:in-database",
    section: "2.2",
    promise: "Check records are stored in the repo's database.",
  },
  {
    id: "2.2:check-record:never-in-target-repo",
    section: "2.2",
    promise: "Recording a check writes nothing into the target repo.",
  },
  {
    id: "2.2:trust-record:fields",
    section: "2.2",
    promise: "A trust record has a role, repo, level and audit reason.",
  },
  {
    id: "2.2:session:cookie",
    section: "2.2",
    promise: "A session is an opaque HttpOnly SameSite=Strict cookie.",
  },
  {
    id: "2.2:session:own-csrf-token",
    section: "2.2",
    promise: "Each session has a CSRF token of its own.",
  },
  {
    id: "2.2:model-override:fields",
    section: "2.2",
    promise: "A model override has a scope (`tier` or `role`), provider, model and endpoint.",
  },
  {
    id: "2.2:telemetry-config:keys",
    section: "2.2",
    promise:
      "The telemetry config sets `telemetry.reporting`, collector endpoint, token and interval.",
  },
  {
    id: "2.2:release-access:result",
    section: "2.2",
    promise:
      "A release access result is `anonymous`, `authenticated` or `unavailable` and nothing else.",
  },
] as const satisfies readonly Requirement[];

/** Promises of spec section 1: runtime shapes and general rules. */
import type { Requirement } from "./requirement.ts";

export const SECTION_1 = [
  {
    id: "1:surface:every-command-known",
    section: "1",
    promise: "Every command and alias of section 4.5 is known to the installed binary.",
  },
  {
    id: "1:start:prepares-one-repo",
    section: "1",
    promise: "`svc start` initializes, registers and reconciles one target repo before it runs it.",
  },
  {
    id: "1:start:default-database",
    section: "1",
    promise: "`svc start` without `--db` keeps its state in `~/.svc/db/{repo-name}/svc.db`.",
  },
  {
    id: "1:serve:every-repo",
    section: "1",
    promise: "`svc serve` drives every repo registered in its database.",
  },
  {
    id: "1:serve:schedules",
    section: "1",
    promise: "`svc serve` fires scheduled triggers.",
  },
  {
    id: "1:serve:worker-pool",
    section: "1",
    promise: "`svc serve` runs jobs in a pool of workers.",
  },
  {
    id: "1:serve:recovery-watchdog",
    section: "1",
    promise: "`svc serve` recovers jobs whose worker died.",
  },
  {
    id: "1:serve:survey-loop",
    section: "1",
    promise: "`svc serve` surveys the registered repos again and again without being asked.",
  },
  {
    id: "1:serve:default-database",
    section: "1",
    promise: "`svc serve` without `--db` uses the shared `~/.svc-harness/db/svc.db`.",
  },
  {
    id: "1:run:one-job",
    section: "1",
    promise: "`svc run <role>` runs one role on one repo as one job, then exits.",
  },
  {
    id: "1:run:no-dashboard",
    section: "1",
    promise: "`svc run <role>` opens no dashboard and no listener.",
  },
  {
    id: "1:run:selected-database",
    section: "1",
    promise:
      "`svc run <role>` takes its database from the selected repo and the command's options.",
  },
  {
    id: "1:help:lists-commands",
    section: "1",
    promise: "`svc --help` lists the commands.",
  },
  {
    id: "1:help:lists-command-flags",
    section: "1",
    promise:
      "`svc <command> --help` lists the flags that the installed binary accepts for that command.",
  },
  {
    id: "1:repo-flag:absolute-path",
    section: "1",
    promise:
      "A target-scoped command run from another directory works on the repo that `--repo` names by absolute path.",
  },
  {
    id: "1:repo-flag:start-defaults-to-current-directory",
    section: "1",
    promise: "`svc start` without `--repo` takes the current directory as the target.",
  },
  {
    id: "1:output:json",
    section: "1",
    promise: "`--json` makes a command that supports it print machine-readable JSON on stdout.",
  },
  {
    id: "1:output:plain",
    section: "1",
    promise: "`--plain` keeps styled TTY output away.",
  },
  {
    id: "1:output:yes",
    section: "1",
    promise:
      "With `--yes` a command that lacks an answer fails with a remedy instead of prompting.",
  },
  {
    id: "1:output:no-terminal-no-yes",
    section: "1",
    promise:
      "Without a terminal and without `--yes` a command that needs an answer fails with a remedy, and changes nothing.",
  },
  {
    id: "1:output:dry-run",
    section: "1",
    promise: "`--dry-run` shows what a command that supports it would change and changes nothing.",
  },
  {
    id: "1:database-path:outside-target-repo",
    section: "1",
    promise: "Lifecycle commands reject a database path inside the target repo.",
  },
  {
    id: "1:log-path:outside-target-repo",
    section: "1",
    promise: "A log file path inside the target repo is rejected.",
  },
  {
    id: "1:listeners:dashboard-loopback-only",
    section: "1",
    promise: "The dashboard listener binds to loopback only.",
  },
  {
    id: "1:listeners:control-loopback-only",
    section: "1",
    promise: "The webhook and control listener binds to loopback only.",
  },
  {
    id: "1:execution-profile:run-defaults-to-observer",
    section: "1",
    promise: "`run` without `--execution-profile` runs in the observer profile.",
  },
  {
    id: "1:execution-profile:start-defaults-to-observer",
    section: "1",
    promise: "`start` without `--execution-profile` runs in the observer profile.",
  },
  {
    id: "1:execution-profile:serve-defaults-to-observer",
    section: "1",
    promise: "`serve` without `--execution-profile` runs in the observer profile.",
  },
  {
    id: "1:execution-profile:tools-run-defaults-to-observer",
    section: "1",
    promise: "`tools run` without `--execution-profile` runs in the observer profile.",
  },
  {
    id: "1:execution-profile:mcp-serve-defaults-to-observer",
    section: "1",
    promise: "`mcp serve` without `--execution-profile` runs in the observer profile.",
  },
  {
    id: "1:execution-profile:observer-caps-trust",
    section: "1",
    promise:
      "In the observer profile no role has more than observer trust, whatever is stored for it.",
  },
  {
    id: "1:execution-profile:observer-blocks-mutating-tools",
    section: "1",
    promise: "In the observer profile every mutating tool is blocked.",
  },
  {
    id: "1:execution-profile:host-needs-acknowledgement",
    section: "1",
    promise: "`--execution-profile host` without `--acknowledge-host-execution` is refused.",
  },
  {
    id: "1:execution-profile:acknowledgement-alone-grants-nothing",
    section: "1",
    promise:
      "`--acknowledge-host-execution` without `--execution-profile host` does not leave the observer profile.",
  },
  {
    id: "1:execution-profile:host-has-user-authority",
    section: "1",
    promise: "The acknowledged host profile runs with the full authority of the current OS user.",
  },
  {
    id: "1:execution-profile:host-is-not-containment",
    section: "1",
    promise:
      "The text that asks for the host acknowledgement says that the host profile is not containment.",
  },
  {
    id: "1:execution-profile:isolated-unavailable",
    section: "1",
    promise: "`--execution-profile isolated` is refused as unavailable.",
  },
  {
    id: "1:models:real-endpoint-preferred",
    section: "1",
    promise:
      "A real OpenAI-compatible endpoint given with `--model-endpoint` is used in preference to any other.",
  },
  {
    id: "1:models:fixtures-are-not-evidence",
    section: "1",
    promise:
      "A run against a fake, stub, mock, canned or scripted endpoint is never reported as live validation evidence.",
  },
] as const satisfies readonly Requirement[];

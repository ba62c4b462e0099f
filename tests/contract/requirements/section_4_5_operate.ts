/** Promises of spec section 4.5: `register`, `doctor`, `checks`, `scores` and `trust`. */
import type { Requirement } from "./requirement.ts";

export const SECTION_4_5_OPERATE = [
  {
    id: "4.5:register:registers-repo",
    section: "4.5",
    promise: "`register` registers a target repo in the database.",
  },
  {
    id: "4.5:register:repo",
    section: "4.5",
    promise: "`register --repo` registers the given repo.",
  },
  {
    id: "4.5:register:remote",
    section: "4.5",
    promise: "`register --remote` stores the given remote.",
  },
  {
    id: "4.5:register:branch",
    section: "4.5",
    promise: "`register --branch` stores the given branch.",
  },
  {
    id: "4.5:register:db",
    section: "4.5",
    promise: "`register --db` registers in the given database.",
  },
  {
    id: "4.5:doctor:checks-toolchain",
    section: "4.5",
    promise: "`doctor` checks the language toolchain.",
  },
  {
    id: "4.5:doctor:checks-config",
    section: "4.5",
    promise: "`doctor` checks the configuration.",
  },
  {
    id: "4.5:doctor:checks-model-registry",
    section: "4.5",
    promise: "`doctor` checks the model registry.",
  },
  {
    id: "4.5:doctor:checks-models-directory",
    section: "4.5",
    promise: "`doctor` checks the models directory.",
  },
  {
    id: "4.5:doctor:checks-database",
    section: "4.5",
    promise: "`doctor` checks the database.",
  },
  {
    id: "4.5:doctor:checks-inference-server",
    section: "4.5",
    promise: "`doctor` checks the local inference server.",
  },
  {
    id: "4.5:doctor:checks-disk-space",
    section: "4.5",
    promise: "`doctor` checks disk space.",
  },
  {
    id: "4.5:doctor:checks-release-access",
    section: "4.5",
    promise: "`doctor` checks release access.",
  },
  {
    id: "4.5:doctor:checks-guardrails",
    section: "4.5",
    promise: "`doctor` checks guardrails.",
  },
  {
    id: "4.5:doctor:checks-workflow-health",
    section: "4.5",
    promise: "`doctor` checks workflow health.",
  },
  {
    id: "4.5:doctor:checks-operating-model-health",
    section: "4.5",
    promise: "`doctor` checks operating-model health.",
  },
  {
    id: "4.5:doctor:checks-update-drift",
    section: "4.5",
    promise: "`doctor` checks update drift.",
  },
  {
    id: "4.5:doctor:repo",
    section: "4.5",
    promise: "`doctor --repo` checks the given repo.",
  },
  {
    id: "4.5:doctor:db",
    section: "4.5",
    promise: "`doctor --db` checks the given database.",
  },
  {
    id: "4.5:doctor:config",
    section: "4.5",
    promise: "`doctor --config` checks the given configuration file.",
  },
  {
    id: "4.5:doctor:skip-remote",
    section: "4.5",
    promise: "`doctor --skip-remote` makes no network request.",
  },
  {
    id: "4.5:doctor:json",
    section: "4.5",
    promise: "`doctor --json` prints its result as JSON.",
  },
  {
    id: "4.5:checks-run:runs-in-target",
    section: "4.5",
    promise: "`checks run -- <command>` runs the command inside the target repo.",
  },
  {
    id: "4.5:checks-run:records-outcome",
    section: "4.5",
    promise: "`checks run` records whether the command passed or failed.",
  },
  {
    id: "4.5:checks-run:repo-required",
    section: "4.5",
    promise: "`checks run` without `--repo` is refused.",
  },
  {
    id: "4.5:checks-run:name-required",
    section: "4.5",
    promise: "`checks run` without `--name` is refused.",
  },
  {
    id: "4.5:checks-run:role",
    section: "4.5",
    promise: "`checks run --role` records the check for the given role.",
  },
  {
    id: "4.5:checks-run:db",
    section: "4.5",
    promise: "`checks run --db` records into the given database.",
  },
  {
    id: "4.5:scores:from-outcomes",
    section: "4.5",
    promise: "`scores` shows role scores computed from stored outcomes.",
  },
  {
    id: "4.5:scores:repo-and-db",
    section: "4.5",
    promise: "`scores --repo` and `--db` choose the repo and the database.",
  },
  {
    id: "4.5:scores-export:refreshes-artifact",
    section: "4.5",
    promise: "`scores export` refreshes `docs/QUALITY_SCORE.md`.",
  },
  {
    id: "4.5:scores-export:repo-and-db",
    section: "4.5",
    promise: "`scores export --repo` and `--db` choose the repo and the database.",
  },
  {
    id: "4.5:scores-export:window-days",
    section: "4.5",
    promise: "`scores export --window-days` counts only outcomes of that many days.",
  },
  {
    id: "4.5:scores-export:create-intervention-debt",
    section: "4.5",
    promise:
      "`scores export --create-intervention-debt` creates improvement tickets in the target repo.",
  },
  {
    id: "4.5:scores-export:no-tickets-alone",
    section: "4.5",
    promise: "`scores export` without `--create-intervention-debt` creates no ticket.",
  },
  {
    id: "4.5:trust:shows-levels",
    section: "4.5",
    promise: "`trust` shows the autonomy level of each role.",
  },
  {
    id: "4.5:trust:repo-and-db",
    section: "4.5",
    promise: "`trust --repo` and `--db` choose the repo and the database.",
  },
  {
    id: "4.5:trust-set:overrides",
    section: "4.5",
    promise: "`trust set <role> <repo> <level>` overrides the trust of a role on a repo.",
  },
  {
    id: "4.5:trust-set:reason",
    section: "4.5",
    promise: "`trust set --reason` stores the reason in the audit record.",
  },
  {
    id: "4.5:trust-set:default-reason",
    section: "4.5",
    promise: "`trust set` without `--reason` stores who set it and when as the reason.",
  },
] as const satisfies readonly Requirement[];

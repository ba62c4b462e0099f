/** Promises of spec section 4.5: `init`, `update harness`, `scan` and `eject`. */
import type { Requirement } from "./requirement.ts";

export const SECTION_4_5_TARGET = [
  {
    id: "4.5:init:scaffolds-harness-directory",
    section: "4.5",
    promise: "`init` scaffolds `.harness/` into a git checkout.",
  },
  {
    id: "4.5:init:needs-git-checkout",
    section: "4.5",
    promise: "`init` refuses a directory that is not a git checkout.",
  },
  {
    id: "4.5:init:scaffolds-agent-guidance",
    section: "4.5",
    promise: "`init` scaffolds agent guidance.",
  },
  {
    id: "4.5:init:scaffolds-tickets",
    section: "4.5",
    promise: "`init` scaffolds the ticket directories.",
  },
  {
    id: "4.5:init:scaffolds-feature-contracts",
    section: "4.5",
    promise: "`init` scaffolds feature contracts.",
  },
  {
    id: "4.5:init:scaffolds-release-files",
    section: "4.5",
    promise: "`init` scaffolds the release files.",
  },
  {
    id: "4.5:init:scaffolds-model-routing",
    section: "4.5",
    promise: "`init` scaffolds model routing metadata.",
  },
  {
    id: "4.5:init:scaffolds-docs",
    section: "4.5",
    promise: "`init` scaffolds docs.",
  },
  {
    id: "4.5:init:repo",
    section: "4.5",
    promise: "`init --repo` scaffolds the given repo.",
  },
  {
    id: "4.5:init:force",
    section: "4.5",
    promise: "`init --force` scaffolds a repo that already has a harness.",
  },
  {
    id: "4.5:init:model-routing",
    section: "4.5",
    promise: "`init --model-routing` takes `local`, `cloud` or `defer` and writes that routing.",
  },
  {
    id: "4.5:init:local-bundle",
    section: "4.5",
    promise: "`init --local-bundle` writes the given local bundle into the routing.",
  },
  {
    id: "4.5:init:cloud-route",
    section: "4.5",
    promise:
      "`init --cloud-provider`, `--cloud-model` and `--cloud-endpoint` write the given cloud route into the routing.",
  },
  {
    id: "4.5:init:api-key-env",
    section: "4.5",
    promise:
      "`init --api-key-env` writes the name of the variable into the routing and never its value.",
  },
  {
    id: "4.5:init:yes",
    section: "4.5",
    promise: "`init --yes` asks nothing and fails with a remedy where an answer is needed.",
  },
  {
    id: "4.5:init:json",
    section: "4.5",
    promise: "`init --json` prints its result as JSON.",
  },
  {
    id: "4.5:init:plain",
    section: "4.5",
    promise: "`init --plain` prints no styled output.",
  },
  {
    id: "4.5:update-harness:fills-missing-defaults",
    section: "4.5",
    promise: "`update harness` adds the generated defaults that are missing.",
  },
  {
    id: "4.5:update-harness:aliases",
    section: "4.5",
    promise: "`update target`, `update bundle` and `upgrade` are `update harness`.",
  },
  {
    id: "4.5:update-harness:keeps-user-owned-files",
    section: "4.5",
    promise:
      "`update harness` overwrites no manifest, role prompt, knowledge route, guardrail, ticket, plan or reference.",
  },
  {
    id: "4.5:update-harness:keeps-agent-guidance",
    section: "4.5",
    promise: "`update harness` does not overwrite the target's `AGENTS.md`.",
  },
  {
    id: "4.5:update-harness:repo",
    section: "4.5",
    promise: "`update harness --repo` updates the given repo.",
  },
  {
    id: "4.5:scan:reports-gaps",
    section: "4.5",
    promise: "`scan` reports the gaps of a repo.",
  },
  {
    id: "4.5:scan:writes-nothing-alone",
    section: "4.5",
    promise: "`scan` without `--tickets` writes no ticket.",
  },
  {
    id: "4.5:scan:tickets",
    section: "4.5",
    promise: "`scan --tickets` writes backlog tickets through the ticket lifecycle.",
  },
  {
    id: "4.5:scan:tickets-deduplicated",
    section: "4.5",
    promise: "`scan --tickets` run twice writes no second ticket for the same gap.",
  },
  {
    id: "4.5:scan:repo",
    section: "4.5",
    promise: "`scan --repo` scans the given repo.",
  },
  {
    id: "4.5:eject:removes-harness",
    section: "4.5",
    promise: "`eject --apply` removes the harness from the repo.",
  },
  {
    id: "4.5:eject:removes-database",
    section: "4.5",
    promise: "`eject --apply` removes the per-repo database.",
  },
  {
    id: "4.5:eject:aliases",
    section: "4.5",
    promise: "`uninstall` and `kill-switch` are `eject`.",
  },
  {
    id: "4.5:eject:dry-run-default",
    section: "4.5",
    promise: "`eject` without `--apply` shows what it would remove and changes nothing.",
  },
  {
    id: "4.5:eject:confirm",
    section: "4.5",
    promise: "`eject --apply` is refused unless `--confirm` gives the name of the repo.",
  },
  {
    id: "4.5:eject:history-kept",
    section: "4.5",
    promise: "`eject` does not rewrite git history.",
  },
  {
    id: "4.5:eject:repo",
    section: "4.5",
    promise: "`eject --repo` ejects the given repo.",
  },
  {
    id: "4.5:eject:db",
    section: "4.5",
    promise: "`eject --db` names the database of the repo.",
  },
  {
    id: "4.5:eject:keep-db",
    section: "4.5",
    promise: "`eject --keep-db` keeps the database.",
  },
  {
    id: "4.5:eject:delete-shared-db",
    section: "4.5",
    promise: "`eject` deletes a shared database only with `--delete-shared-db`.",
  },
] as const satisfies readonly Requirement[];

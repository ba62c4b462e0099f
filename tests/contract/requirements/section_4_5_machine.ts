/** Promises of spec section 4.5: version, help, `setup` and `path`. */
import type { Requirement } from "./requirement.ts";

export const SECTION_4_5_MACHINE = [
  {
    id: "4.5:global:version-command",
    section: "4.5",
    promise: "`svc version` prints the version.",
  },
  {
    id: "4.5:global:version-flag",
    section: "4.5",
    promise: "`svc -v` prints the version.",
  },
  {
    id: "4.5:global:help",
    section: "4.5",
    promise: "`svc --help` prints the help of the program and exits zero.",
  },
  {
    id: "4.5:setup:creates-home",
    section: "4.5",
    promise: "`setup` creates `~/.svc/`.",
  },
  {
    id: "4.5:setup:writes-config",
    section: "4.5",
    promise: "`setup` writes the local configuration.",
  },
  {
    id: "4.5:setup:detects-hardware",
    section: "4.5",
    promise: "`setup` detects the hardware of the machine.",
  },
  {
    id: "4.5:setup:installs-inference-server",
    section: "4.5",
    promise: "`setup` installs the local inference server artifacts.",
  },
  {
    id: "4.5:setup:downloads-only-after-acknowledgement",
    section: "4.5",
    promise: "`setup` downloads model bundles only after the displayed plan is acknowledged.",
  },
  {
    id: "4.5:setup:skip-download",
    section: "4.5",
    promise: "`setup --skip-download` downloads nothing.",
  },
  {
    id: "4.5:setup:download",
    section: "4.5",
    promise: "`setup --download` asks for the model bundles to be downloaded.",
  },
  {
    id: "4.5:setup:skip-github",
    section: "4.5",
    promise: "`setup --skip-github` leaves release access alone.",
  },
  {
    id: "4.5:setup:github",
    section: "4.5",
    promise: "`setup --github` includes the release-access step.",
  },
  {
    id: "4.5:setup:test-mode",
    section: "4.5",
    promise: "`setup --test-mode` prepares the machine without any download.",
  },
  {
    id: "4.5:setup:dry-run",
    section: "4.5",
    promise: "`setup --dry-run` shows the plan and writes nothing.",
  },
  {
    id: "4.5:setup:install-dir",
    section: "4.5",
    promise: "`setup --install-dir` records the given install directory.",
  },
  {
    id: "4.5:setup:inference",
    section: "4.5",
    promise: "`setup --inference` takes `local`, `cloud` or `defer` and refuses any other value.",
  },
  {
    id: "4.5:setup:local-bundle",
    section: "4.5",
    promise:
      "`setup --local-bundle` takes `auto`, `local-cpu-q3`, `local-balanced-q4` or `local-quality-q8`.",
  },
  {
    id: "4.5:setup:yes",
    section: "4.5",
    promise: "`setup --yes` asks nothing and fails with a remedy where an answer is needed.",
  },
  {
    id: "4.5:setup:json",
    section: "4.5",
    promise: "`setup --json` prints its result as one JSON object on stdout.",
  },
  {
    id: "4.5:setup:plain",
    section: "4.5",
    promise: "`setup --plain` prints no styled output.",
  },
  {
    id: "4.5:setup:artifacts-stable-sorted",
    section: "4.5",
    promise: "The download plan lists pending artifacts in a stable order.",
  },
  {
    id: "4.5:setup:artifacts-identified",
    section: "4.5",
    promise: "The download plan gives bundle, immutable identity and exact bytes of each artifact.",
  },
  {
    id: "4.5:setup:artifacts-licensed",
    section: "4.5",
    promise:
      "The download plan gives license ID, license URL and the terms or notice URLs of each artifact.",
  },
  {
    id: "4.5:setup:confirms-once",
    section: "4.5",
    promise: "An interactive `setup` asks for one confirmation of the whole plan.",
  },
  {
    id: "4.5:setup:non-tty-needs-both-flags",
    section: "4.5",
    promise: "Without a TTY `setup` downloads only with both `--download` and `--yes`.",
  },
  {
    id: "4.5:setup:json-needs-both-flags",
    section: "4.5",
    promise: "With `--json` `setup` downloads only with both `--download` and `--yes`.",
  },
  {
    id: "4.5:setup:json-plan-on-stderr",
    section: "4.5",
    promise: "`setup --json` prints the full preflight plan on stderr before any request.",
  },
  {
    id: "4.5:setup:json-plan-in-result",
    section: "4.5",
    promise: "The final stdout object of `setup --json` includes the preflight plan.",
  },
  {
    id: "4.5:setup:no-acknowledgement-without-download",
    section: "4.5",
    promise: "The skip, test, defer and cloud paths of `setup` need no acknowledgement.",
  },
  {
    id: "4.5:setup:no-attestation-persisted",
    section: "4.5",
    promise: "`setup` stores no legal attestation.",
  },
  {
    id: "4.5:setup:no-automatic-linux-server",
    section: "4.5",
    promise: "`setup` on Linux does not acquire a local inference server automatically.",
  },
  {
    id: "4.5:path-setup:idempotent",
    section: "4.5",
    promise: "`path setup` run twice leaves a shell profile as the first run left it.",
  },
  {
    id: "4.5:path-setup:fish",
    section: "4.5",
    promise: "`path setup` adds the install directory to the Fish profile.",
  },
  {
    id: "4.5:path-setup:zsh",
    section: "4.5",
    promise: "`path setup` adds the install directory to the Zsh profile.",
  },
  {
    id: "4.5:path-setup:bash",
    section: "4.5",
    promise: "`path setup` adds the install directory to the Bash profile.",
  },
  {
    id: "4.5:path-setup:posix-sh",
    section: "4.5",
    promise: "`path setup` adds the install directory to the POSIX sh and Ksh profile.",
  },
  {
    id: "4.5:path-setup:csh",
    section: "4.5",
    promise: "`path setup` adds the install directory to the Csh profile.",
  },
  {
    id: "4.5:path-setup:tcsh",
    section: "4.5",
    promise: "`path setup` adds the install directory to the Tcsh profile.",
  },
  {
    id: "4.5:path-setup:install-dir",
    section: "4.5",
    promise: "`path setup --install-dir` adds the given directory.",
  },
  {
    id: "4.5:path-setup:shell",
    section: "4.5",
    promise: "`path setup --shell` changes the profile of the named shell only.",
  },
  {
    id: "4.5:path-setup:dry-run",
    section: "4.5",
    promise: "`path setup --dry-run` shows the change and writes nothing.",
  },
  {
    id: "4.5:path-setup:json",
    section: "4.5",
    promise: "`path setup --json` prints its result as JSON.",
  },
] as const satisfies readonly Requirement[];

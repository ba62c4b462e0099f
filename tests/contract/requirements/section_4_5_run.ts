/** Promises of spec section 4.5: `run`, `start` and `serve`. */
import type { Requirement } from "./requirement.ts";

export const SECTION_4_5_RUN = [
  {
    id: "4.5:run:repo",
    section: "4.5",
    promise: "`run --repo` runs the role on the given repo.",
  },
  {
    id: "4.5:run:model-endpoint",
    section: "4.5",
    promise: "`run --model-endpoint` sends every model request to the given endpoint.",
  },
  {
    id: "4.5:run:trace",
    section: "4.5",
    promise: "`run --trace` is a compatibility alias that gives the detail of `--debug`.",
  },
  {
    id: "4.5:run:debug",
    section: "4.5",
    promise: "`run --debug` streams verbose logs inline.",
  },
  {
    id: "4.5:run:log-file",
    section: "4.5",
    promise: "`run --log-file` writes the command log to the given path.",
  },
  {
    id: "4.5:run:wrong-usage-before-job",
    section: "4.5",
    promise: "`run` refuses a malformed endpoint and an impossible log file before a job exists.",
  },
  {
    id: "4.5:run:dry-run",
    section: "4.5",
    promise: "`run --dry-run` shows the run without doing it.",
  },
  {
    id: "4.5:run:no-init",
    section: "4.5",
    promise: "`run --no-init` does not initialize a repo that has no harness.",
  },
  {
    id: "4.5:run:dry-run-no-init-writes-nothing",
    section: "4.5",
    promise: "`run --dry-run --no-init` writes nothing to a repo without a harness.",
  },
  {
    id: "4.5:run:code-intel",
    section: "4.5",
    promise: "`run --code-intel` gives the agent code-graph assistance.",
  },
  {
    id: "4.5:run:budget",
    section: "4.5",
    promise: "`run --budget` ends the run when the budget is spent.",
  },
  {
    id: "4.5:run:max-turns",
    section: "4.5",
    promise: "`run --max-turns` ends the run after that many turns.",
  },
  {
    id: "4.5:run:execution-profile-flags",
    section: "4.5",
    promise:
      "`run --execution-profile host --acknowledge-host-execution` runs in the host profile.",
  },
  {
    id: "4.5:start:repo",
    section: "4.5",
    promise: "`start --repo` starts the given repo.",
  },
  {
    id: "4.5:start:concurrency",
    section: "4.5",
    promise: "`start --concurrency` bounds how many jobs run at once.",
  },
  {
    id: "4.5:start:db",
    section: "4.5",
    promise: "`start --db` uses the given database.",
  },
  {
    id: "4.5:start:force",
    section: "4.5",
    promise: "`start --force` returns blocked work to the queue before it starts.",
  },
  {
    id: "4.5:start:debug",
    section: "4.5",
    promise: "`start --debug` streams verbose logs inline instead of the terminal dashboard.",
  },
  {
    id: "4.5:start:log-file",
    section: "4.5",
    promise: "`start --log-file` writes the command log to the given path.",
  },
  {
    id: "4.5:start:code-intel",
    section: "4.5",
    promise: "`start --code-intel` gives its agents code-graph assistance.",
  },
  {
    id: "4.5:start:model-endpoint",
    section: "4.5",
    promise: "`start --model-endpoint` sends every model request to the given endpoint.",
  },
  {
    id: "4.5:start:addr",
    section: "4.5",
    promise: "`start --addr` sets the address of the control listener.",
  },
  {
    id: "4.5:start:dashboard-addr",
    section: "4.5",
    promise: "`start --dashboard-addr` sets the address of the dashboard listener.",
  },
  {
    id: "4.5:start:dashboard-trusted-origin",
    section: "4.5",
    promise: "`start --dashboard-trusted-origin` sets the trusted reverse-proxy origin.",
  },
  {
    id: "4.5:start:yes",
    section: "4.5",
    promise: "`start --yes` asks nothing and fails with a remedy where an answer is needed.",
  },
  {
    id: "4.5:start:json",
    section: "4.5",
    promise: "`start --json` prints machine-readable output.",
  },
  {
    id: "4.5:start:plain",
    section: "4.5",
    promise: "`start --plain` prints no styled output.",
  },
  {
    id: "4.5:start:execution-profile-flags",
    section: "4.5",
    promise:
      "`start --execution-profile host --acknowledge-host-execution` runs in the host profile.",
  },
  {
    id: "4.5:serve:addr",
    section: "4.5",
    promise: "`serve --addr` sets the address of the control listener.",
  },
  {
    id: "4.5:serve:concurrency",
    section: "4.5",
    promise: "`serve --concurrency` bounds how many jobs run at once.",
  },
  {
    id: "4.5:serve:db",
    section: "4.5",
    promise: "`serve --db` orchestrates the repos of the given database.",
  },
  {
    id: "4.5:serve:debug",
    section: "4.5",
    promise: "`serve --debug` streams verbose logs inline instead of the terminal dashboard.",
  },
  {
    id: "4.5:serve:log-file",
    section: "4.5",
    promise: "`serve --log-file` writes the command log to the given path.",
  },
  {
    id: "4.5:serve:code-intel",
    section: "4.5",
    promise: "`serve --code-intel` gives its agents code-graph assistance.",
  },
  {
    id: "4.5:serve:execution-profile-flags",
    section: "4.5",
    promise:
      "`serve --execution-profile host --acknowledge-host-execution` runs in the host profile.",
  },
] as const satisfies readonly Requirement[];

/** Promises of spec section 4.5: `telemetry` and `code-intel`. */
import type { Requirement } from "./requirement.ts";

export const SECTION_4_5_EVIDENCE = [
  {
    id: "4.5:telemetry-status:shows-state",
    section: "4.5",
    promise: "`telemetry status` shows the state of telemetry.",
  },
  {
    id: "4.5:telemetry-status:repo-and-db",
    section: "4.5",
    promise: "`telemetry status --repo` and `--db` choose the repo and the database.",
  },
  {
    id: "4.5:telemetry-preview:exact-payload",
    section: "4.5",
    promise:
      "`telemetry preview` shows exactly the allowlisted aggregate payload that would be sent.",
  },
  {
    id: "4.5:telemetry-preview:repo-and-db",
    section: "4.5",
    promise: "`telemetry preview --repo` and `--db` choose the repo and the database.",
  },
  {
    id: "4.5:telemetry-send:sends-pending",
    section: "4.5",
    promise: "`telemetry send` sends the pending reports.",
  },
  {
    id: "4.5:telemetry-send:repo-and-db",
    section: "4.5",
    promise: "`telemetry send --repo` and `--db` choose the repo and the database.",
  },
  {
    id: "4.5:telemetry-send:needs-anonymous-reporting",
    section: "4.5",
    promise: "`telemetry send` makes no network call unless `telemetry.reporting` is `anonymous`.",
  },
  {
    id: "4.5:telemetry-send:needs-endpoint",
    section: "4.5",
    promise: "`telemetry send` makes no network call unless a collector endpoint is configured.",
  },
  {
    id: "4.5:telemetry-send:appends-path",
    section: "4.5",
    promise:
      "`telemetry send` posts to the configured endpoint with `/v1/anonymous-telemetry/reports` appended.",
  },
  {
    id: "4.5:telemetry-send:failure-is-warning",
    section: "4.5",
    promise: "A failed send is a warning and never blocks local operation.",
  },
  {
    id: "4.5:telemetry-export:enqueues-reports",
    section: "4.5",
    promise: "`telemetry export` enqueues sanitized aggregate reports in the local outbox.",
  },
  {
    id: "4.5:telemetry-export:anonymous",
    section: "4.5",
    promise: "`telemetry export --anonymous` enqueues anonymous reports.",
  },
  {
    id: "4.5:telemetry-export:sanitized",
    section: "4.5",
    promise:
      "`telemetry export` leaves out raw traces, prompts, file contents, repo paths, remotes and raw errors.",
  },
  {
    id: "4.5:telemetry-collect:collects-aggregates",
    section: "4.5",
    promise: "`telemetry collect` receives aggregate reports and stores them.",
  },
  {
    id: "4.5:telemetry-collect:addr",
    section: "4.5",
    promise:
      "`telemetry collect --addr` listens on the given address, which is `127.0.0.1:9092` by default.",
  },
  {
    id: "4.5:telemetry-collect:literal-loopback-only",
    section: "4.5",
    promise: "`telemetry collect --addr` takes literal loopback IPs only.",
  },
  {
    id: "4.5:telemetry-collect:rejects-before-database",
    section: "4.5",
    promise: "`telemetry collect` rejects DNS names and remote binds before it opens its database.",
  },
  {
    id: "4.5:telemetry-collect:storage",
    section: "4.5",
    promise: "`telemetry collect --storage` takes `sqlite` and refuses any other value.",
  },
  {
    id: "4.5:telemetry-collect:db",
    section: "4.5",
    promise: "`telemetry collect --db` stores into the given database.",
  },
  {
    id: "4.5:telemetry-triage:creates-tickets",
    section: "4.5",
    promise:
      "`telemetry triage-foundation` creates source tickets from repeated minimized patterns.",
  },
  {
    id: "4.5:telemetry-triage:repo-and-db",
    section: "4.5",
    promise: "`telemetry triage-foundation --repo` and `--db` choose the repo and the database.",
  },
  {
    id: "4.5:telemetry-triage:window-days",
    section: "4.5",
    promise: "`telemetry triage-foundation --window-days` counts only patterns of that many days.",
  },
  {
    id: "4.5:code-intel-metrics:summarizes-evidence",
    section: "4.5",
    promise: "`code-intel metrics` summarizes the evidence of code-graph assistance.",
  },
  {
    id: "4.5:code-intel-metrics:repo-and-db",
    section: "4.5",
    promise: "`code-intel metrics --repo` and `--db` choose the repo and the database.",
  },
  {
    id: "4.5:code-intel-metrics:window-days",
    section: "4.5",
    promise: "`code-intel metrics --window-days` counts only evidence of that many days.",
  },
  {
    id: "4.5:code-intel-metrics:json",
    section: "4.5",
    promise: "`code-intel metrics --json` prints its result as JSON.",
  },
  {
    id: "4.5:code-intel-benchmark:control-and-treatment",
    section: "4.5",
    promise: "`code-intel benchmark` compares a control with a treatment locally.",
  },
  {
    id: "4.5:code-intel-benchmark:case",
    section: "4.5",
    promise: "`code-intel benchmark --case` runs the given case.",
  },
  {
    id: "4.5:code-intel-benchmark:trials",
    section: "4.5",
    promise: "`code-intel benchmark --trials` runs that many trials.",
  },
  {
    id: "4.5:code-intel-benchmark:changed-paths",
    section: "4.5",
    promise: "`code-intel benchmark --changed-paths` sets the changed paths of the case.",
  },
  {
    id: "4.5:code-intel-benchmark:expected",
    section: "4.5",
    promise:
      "`code-intel benchmark --expected-files`, `--expected-tests` and `--expected-docs` judge what was found.",
  },
  {
    id: "4.5:code-intel-benchmark:report",
    section: "4.5",
    promise: "`code-intel benchmark --report` writes the report to the given path.",
  },
] as const satisfies readonly Requirement[];

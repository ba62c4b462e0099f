/** Promises of spec section 4.3: the HTTP API. */
import type { Requirement } from "./requirement.ts";

export const SECTION_4_3 = [
  {
    id: "4.3:mutation:post-only",
    section: "4.3",
    promise: "Every mutating endpoint answers to POST only.",
  },
  {
    id: "4.3:mutation:session-cookie",
    section: "4.3",
    promise: "Every mutating endpoint refuses a request without an authenticated session cookie.",
  },
  {
    id: "4.3:mutation:exact-origin",
    section: "4.3",
    promise: "Every mutating endpoint refuses a request whose `Origin` is not exactly its own.",
  },
  {
    id: "4.3:mutation:csrf-header",
    section: "4.3",
    promise:
      "Every mutating endpoint refuses a request without the session CSRF token in `X-SVC-CSRF-Token`.",
  },
  {
    id: "4.3:mutation:bodyless-rejects-body",
    section: "4.3",
    promise: "A bodyless mutation rejects any body.",
  },
  {
    id: "4.3:json-control:unknown-field",
    section: "4.3",
    promise: "JSON controls reject unknown fields.",
  },
  {
    id: "4.3:json-control:trailing-value",
    section: "4.3",
    promise: "JSON controls reject values after the first one.",
  },
  {
    id: "4.3:json-control:oversize",
    section: "4.3",
    promise: "JSON controls reject oversize values.",
  },
  {
    id: "4.3:json-control:not-json",
    section: "4.3",
    promise: "JSON controls reject content that is not JSON.",
  },
  {
    id: "4.3:json-control:exact-content-type",
    section: "4.3",
    promise:
      "JSON controls take the content type `application/json` exactly: no parameter, no other case.",
  },
  {
    id: "4.3:mutation:success-body",
    section: "4.3",
    promise: "A mutation that succeeds answers a JSON object with `ok` true.",
  },
  {
    id: "4.3:mutation:failure-body",
    section: "4.3",
    promise: "A mutation that fails answers a JSON object with `ok` false and a string `error`.",
  },
  {
    id: "4.3:healthz:orchestrator-health",
    section: "4.3",
    promise: "`GET /healthz` answers the health of the orchestrator.",
  },
  {
    id: "4.3:healthz:control-address-only",
    section: "4.3",
    promise: "`GET /healthz` exists on the control address and not on the dashboard address.",
  },
  {
    id: "4.3:login:accepts-secret",
    section: "4.3",
    promise: "`POST /api/login` with the configured secret in a JSON body logs in.",
  },
  {
    id: "4.3:login:refuses-wrong-secret",
    section: "4.3",
    promise: "`POST /api/login` with a wrong secret opens no session.",
  },
  {
    id: "4.3:login:answers-cookie-and-csrf-token",
    section: "4.3",
    promise: "`POST /api/login` answers an opaque session cookie and the session CSRF token.",
  },
  {
    id: "4.3:session:answers-csrf-token",
    section: "4.3",
    promise: "`GET /api/session` answers the current session's CSRF token.",
  },
  {
    id: "4.3:session:needs-cookie-and-same-origin",
    section: "4.3",
    promise:
      "`GET /api/session` refuses a request without the session cookie or from another origin.",
  },
  {
    id: "4.3:logout:invalidates-session",
    section: "4.3",
    promise: "`POST /api/logout` invalidates the current session.",
  },
  {
    id: "4.3:logout:mutation-policy",
    section: "4.3",
    promise:
      "`POST /api/logout` is held to the same policy as every mutation and takes an empty body.",
  },
  {
    id: "4.3:status:fields",
    section: "4.3",
    promise:
      "`GET /api/status` answers `healthy`, `paused`, `active_jobs`, `uptime_secs` and `repos` to a session.",
  },
  {
    id: "4.3:status:redacted-when-anonymous",
    section: "4.3",
    promise:
      "`GET /api/status` answers a minimal redacted projection to an unauthenticated caller.",
  },
  {
    id: "4.3:repos:lists-id-and-basename",
    section: "4.3",
    promise: "`GET /api/repos` answers an array of `{id, basename}`.",
  },
  {
    id: "4.3:repo-roles:lists-names",
    section: "4.3",
    promise: "`GET /api/repo-roles?repo_id=…` answers an array of role names.",
  },
  {
    id: "4.3:events:stream",
    section: "4.3",
    promise: "`GET /api/events` answers a server-sent-events stream.",
  },
  {
    id: "4.3:pause:pauses-claims",
    section: "4.3",
    promise: "`POST /api/pause` with an empty body pauses claims.",
  },
  {
    id: "4.3:resume:resumes-claims",
    section: "4.3",
    promise: "`POST /api/resume` with an empty body resumes claims.",
  },
  {
    id: "4.3:restart:warm",
    section: "4.3",
    promise: "`POST /api/restart` with an empty body does a warm restart.",
  },
  {
    id: "4.3:stop:graceful",
    section: "4.3",
    promise: "`POST /api/stop` with an empty body shuts down gracefully.",
  },
  {
    id: "4.3:scan:registered-repo",
    section: "4.3",
    promise: "`POST /api/scan` with `{repo_id}` runs a scanner pass on that registered repo.",
  },
  {
    id: "4.3:run-role:enqueues-manual-run",
    section: "4.3",
    promise: "`POST /api/run-role` with `{repo_id, role}` enqueues a manual run.",
  },
  {
    id: "4.3:run-role:role-of-manifest",
    section: "4.3",
    promise:
      "`POST /api/run-role` refuses a role by the manifest alone: one that has nothing to do is enqueued.",
  },
  {
    id: "4.3:emergency-stop:runs-callbacks",
    section: "4.3",
    promise:
      "`POST /api/emergency-stop` with an empty body runs the configured emergency-stop callbacks.",
  },
  {
    id: "4.3:telemetry:shape",
    section: "4.3",
    promise:
      "`GET /api/telemetry` answers `{events, stats}` with recent events and failure category counts.",
  },
  {
    id: "4.3:evolution:shape",
    section: "4.3",
    promise: "`GET /api/evolution` answers `{evolutions, telemetry, patterns}`, each an array.",
  },
  {
    id: "4.3:roles:shape",
    section: "4.3",
    promise:
      "`GET /api/roles` answers `{roles}` with scores, sample sizes, success and failure counts.",
  },
  {
    id: "4.3:quality-score:markdown",
    section: "4.3",
    promise: "`GET /api/quality-score` answers `text/markdown`.",
  },
  {
    id: "4.3:quality-score:which-repo",
    section: "4.3",
    promise:
      "`GET /api/quality-score` answers for the scoped repo, or else for the first registered one.",
  },
  {
    id: "4.3:throughput:shape",
    section: "4.3",
    promise: "`GET /api/throughput` answers `{hourly, recent_jobs, summary}`.",
  },
  {
    id: "4.3:orchestration:shape",
    section: "4.3",
    promise: "`GET /api/orchestration` answers `{repos, dispositions, decisions}`, each an array.",
  },
  {
    id: "4.3:orchestration-decisions:shape",
    section: "4.3",
    promise: "`GET /api/orchestration/decisions` answers `{decisions}`, an array.",
  },
  {
    id: "4.3:orchestration-decisions:repo-filter",
    section: "4.3",
    promise:
      "`GET /api/orchestration/decisions?repo_id=…` answers the decisions of that repo only.",
  },
  {
    id: "4.3:read-apis:exist-under-serve",
    section: "4.3",
    promise: "All seven read APIs exist on the dashboard that `serve` creates.",
  },
  {
    id: "4.3:read-apis:missing-callback-is-501",
    section: "4.3",
    promise: "A read API answers 501 on a dashboard created without its callback.",
  },
] as const satisfies readonly Requirement[];

/** Promises of spec section 7: errors. */
import type { Requirement } from "./requirement.ts";

export const SECTION_7 = [
  {
    id: "7:status-200:success",
    section: "7",
    promise: "A page, stream, read API or control action that succeeds answers 200.",
  },
  {
    id: "7:status-400:invalid-host",
    section: "7",
    promise: "An invalid Host answers 400.",
  },
  {
    id: "7:status-400:invalid-body",
    section: "7",
    promise: "An invalid body, value or JSON shape answers 400.",
  },
  {
    id: "7:status-400:oversize-body",
    section: "7",
    promise: "A body beyond its bound answers 400.",
  },
  {
    id: "7:status-400:repo-roles-without-repo-id",
    section: "7",
    promise: "`/api/repo-roles` without `repo_id` answers 400.",
  },
  {
    id: "7:status-400:scan-without-repo-id",
    section: "7",
    promise: "A scan without `repo_id` answers 400.",
  },
  {
    id: "7:status-400:run-role-without-repo-id",
    section: "7",
    promise: "A role run without `repo_id` answers 400.",
  },
  {
    id: "7:status-400:run-role-without-role",
    section: "7",
    promise: "A role run without `role` answers 400.",
  },
  {
    id: "7:status-400:unknown-role-or-repo",
    section: "7",
    promise: "An unknown role or repo answers 400.",
  },
  {
    id: "7:status-401-403:session",
    section: "7",
    promise: "An absent or expired session answers 401 or 403.",
  },
  {
    id: "7:status-401-403:origin",
    section: "7",
    promise: "An absent or mismatched Origin answers 401 or 403.",
  },
  {
    id: "7:status-401-403:csrf",
    section: "7",
    promise: "An absent, expired or mismatched CSRF token answers 401 or 403.",
  },
  {
    id: "7:status-404:unknown-page-or-asset",
    section: "7",
    promise: "An unknown page or static asset answers 404.",
  },
  {
    id: "7:status-404:no-quality-score",
    section: "7",
    promise: "The quality score answers 404 when no repo is registered or scoped.",
  },
  {
    id: "7:status-405:get-on-post-only",
    section: "7",
    promise: "GET on a post-only endpoint answers 405.",
  },
  {
    id: "7:status-405:post-on-get-only",
    section: "7",
    promise: "POST on a get-only endpoint answers 405.",
  },
  {
    id: "7:status-415:content-type",
    section: "7",
    promise: "A JSON endpoint answers 415 to a content type other than `application/json`.",
  },
  {
    id: "7:status-429:login",
    section: "7",
    promise: "Too many logins answer 429 with `Retry-After`.",
  },
  {
    id: "7:status-429:mutation",
    section: "7",
    promise: "Too many mutations answer 429 with `Retry-After`.",
  },
  {
    id: "7:status-429:stream",
    section: "7",
    promise: "Too many events-stream connections answer 429 with `Retry-After`.",
  },
  {
    id: "7:status-500:callback-failure",
    section: "7",
    promise: "A failing callback or control action answers 500.",
  },
  {
    id: "7:status-500:render-failure",
    section: "7",
    promise: "A page that cannot be rendered answers 500.",
  },
  {
    id: "7:emergency-stop:generic-error-text",
    section: "7",
    promise:
      "A failed emergency stop answers `ok` false with a generic text that points to the owner-only local command log.",
  },
  {
    id: "7:cli:failure-exits-non-zero",
    section: "7",
    promise: "A command that fails exits non-zero.",
  },
  {
    id: "7:cli:model-preflight-missing-file",
    section: "7",
    promise:
      "The model preflight fails before agents run when a required local model file is missing.",
  },
  {
    id: "7:cli:model-preflight-changed-profile",
    section: "7",
    promise: "The model preflight fails before agents run when the machine profile changed.",
  },
  {
    id: "7:cli:model-preflight-remedy",
    section: "7",
    promise: "A failed model preflight names `setup` or a real `--model-endpoint` as the remedy.",
  },
] as const satisfies readonly Requirement[];

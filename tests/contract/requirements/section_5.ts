/** Promises of spec section 5: authentication. */
import type { Requirement } from "./requirement.ts";

export const SECTION_5 = [
  {
    id: "5:release-access:stored-or-environment-credentials",
    section: "5",
    promise: "Optional credentials come from the stored `codehost_token` or from the environment.",
  },
  {
    id: "5:model-keys:separate-from-release-credentials",
    section: "5",
    promise:
      "A model provider key is never used for release access, nor a release credential for a model.",
  },
  {
    id: "5:model-keys:config-holds-name-only",
    section: "5",
    promise: "Committed config stores only the name of the key's variable (`api_key_env`).",
  },
  {
    id: "5:observer-surface:shells-and-assets",
    section: "5",
    promise: "Page and login shells and embedded assets need no authentication.",
  },
  {
    id: "5:control-secret:reads-disabled-without",
    section: "5",
    promise: "Privileged reads are disabled until a control secret is configured.",
  },
  {
    id: "5:control-secret:events-disabled-without",
    section: "5",
    promise: "The events stream is disabled until a control secret is configured.",
  },
  {
    id: "5:control-secret:controls-disabled-without",
    section: "5",
    promise: "Every POST control is disabled until a control secret is configured.",
  },
  {
    id: "5:control-secret:environment-variable",
    section: "5",
    promise: "The control secret comes from `SVC_DASHBOARD_CONTROL_SECRET`.",
  },
  {
    id: "5:control-secret:environment-only",
    section: "5",
    promise: "No flag, YAML key or URL can set the control secret.",
  },
  {
    id: "5:control-secret:never-written",
    section: "5",
    promise: "The control secret appears in no URL, log or generated file.",
  },
  {
    id: "5:login:json-only",
    section: "5",
    promise: "`POST /api/login` accepts only JSON that contains the secret.",
  },
  {
    id: "5:login:secret-only-in-body",
    section: "5",
    promise: "The secret is accepted in the login body and nowhere else.",
  },
  {
    id: "5:read-apis:no-secret-is-503",
    section: "5",
    promise: "An unauthenticated read answers 503 when no control secret is configured.",
  },
  {
    id: "5:read-apis:no-login-is-401",
    section: "5",
    promise: "An unauthenticated read answers 401 when login is required.",
  },
  {
    id: "5:remote:only-through-trusted-origin",
    section: "5",
    promise: "A remote origin is served only when it is exactly the trusted one.",
  },
  {
    id: "5:remote:every-route-needs-session",
    section: "5",
    promise: "Every route reached through the trusted origin needs a valid session.",
  },
  {
    id: "5:telemetry:environment-reporting",
    section: "5",
    promise: "`SVC_TELEMETRY_REPORTING` overrides the configured reporting.",
  },
  {
    id: "5:telemetry:environment-endpoint",
    section: "5",
    promise: "`SVC_TELEMETRY_ENDPOINT` overrides the configured endpoint.",
  },
  {
    id: "5:telemetry:environment-token",
    section: "5",
    promise: "`SVC_TELEMETRY_TOKEN` overrides the configured token.",
  },
  {
    id: "5:telemetry:environment-interval",
    section: "5",
    promise: "`SVC_TELEMETRY_INTERVAL` overrides the configured interval.",
  },
] as const satisfies readonly Requirement[];

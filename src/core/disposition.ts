/** How a job ends, and why it failed: two closed lists that tables, routes and scores share. */

export const REPORTED_DISPOSITIONS = [
  "submitted",
  "approved",
  "changes_requested",
  "planned",
  "routed",
  "reported",
  "no_work",
  "blocked",
] as const;
export type ReportedDisposition = typeof REPORTED_DISPOSITIONS[number];

/** With those that the runtime gives to a job that did not end by itself. */
export const DISPOSITIONS = [
  ...REPORTED_DISPOSITIONS,
  "checks_failed",
  "budget_exhausted",
  "turns_exhausted",
  "stuck",
  "timed_out",
  "cancelled",
  "policy_denied",
  "model_error",
  "internal_error",
] as const;
export type Disposition = typeof DISPOSITIONS[number];

export const FAILURE_CATEGORIES = [
  "model_unreachable",
  "model_protocol",
  "rate_limited",
  "context_overflow",
  "tool_error",
  "policy_denied",
  "checks_failed",
  "budget",
  "turns",
  "stuck",
  "timeout",
  "git_conflict",
  "lease_expired",
  "internal",
] as const;
export type FailureCategory = typeof FAILURE_CATEGORIES[number];

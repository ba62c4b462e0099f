/** Decides what follows a failed attempt: another attempt, a long wait without a worker, or the end. Pure. */
import type { Disposition, FailureCategory } from "svc/core/disposition.ts";

const JOB_RETRY_MS = 10_000;
const JOB_RETRY_MAX_MS = 300_000;

/** Share by which the wait varies, so that jobs that failed together do not retry together. */
const JOB_RETRY_JITTER = 0.2;

/** When a provider asks for a longer wait, the job frees its worker and uses no attempt. */
const JOB_SLOT_WAIT_MS = 90_000;

export const RETRIED: ReadonlySet<FailureCategory> = new Set([
  "model_unreachable",
  "model_protocol",
  "rate_limited",
  "lease_expired",
  "internal",
]);

const ENDS: Readonly<Record<FailureCategory, Disposition>> = {
  model_unreachable: "model_error",
  model_protocol: "model_error",
  rate_limited: "model_error",
  context_overflow: "model_error",
  tool_error: "internal_error",
  policy_denied: "policy_denied",
  checks_failed: "checks_failed",
  budget: "budget_exhausted",
  turns: "turns_exhausted",
  stuck: "stuck",
  timeout: "timed_out",
  git_conflict: "blocked",
  lease_expired: "internal_error",
  internal: "internal_error",
};

export function dispositionOf(category: FailureCategory): Disposition {
  return ENDS[category];
}

/** @param random in [0, 1) @returns ms; the first attempt is 1 */
export function retryDelayMs(attempt: number, random: number): number {
  const delay = Math.min(JOB_RETRY_MS * 2 ** (attempt - 1), JOB_RETRY_MAX_MS);
  return Math.round(delay * (1 + JOB_RETRY_JITTER * (2 * random - 1)));
}

interface FailedAttempt {
  readonly category: FailureCategory;
  readonly attempt: number;
  readonly retryAfterMs?: number;
  readonly random: number;
}

type AfterFailure =
  | { readonly then: "retry"; readonly afterMs: number }
  | { readonly then: "snooze"; readonly afterMs: number }
  | { readonly then: "give_up"; readonly disposition: Disposition };

/** A wait that the provider asks for is never shortened; a long one costs no attempt. */
export function afterFailure(failed: FailedAttempt): AfterFailure {
  const { category, attempt, retryAfterMs = 0, random } = failed;
  if (!RETRIED.has(category)) return { then: "give_up", disposition: ENDS[category] };
  if (retryAfterMs > JOB_SLOT_WAIT_MS) return { then: "snooze", afterMs: retryAfterMs };
  return { then: "retry", afterMs: Math.max(retryAfterMs, retryDelayMs(attempt, random)) };
}

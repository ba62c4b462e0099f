/** When a role loses its trust by itself; nothing gains any that way. */
import { DEMOTION_DENIED_JOBS, DEMOTION_WINDOW_MS } from "svc/core/bounds.ts";
import type { TrustLevel } from "svc/core/permission.ts";

/**
 * Jobs that ended before a person last decided do not count again.
 * @param trust what is in force, and since when (epoch ms)
 * @param policyDeniedAt when jobs of the role ended with `policy_denied`, epoch ms, in any order
 */
export function isDue(
  trust: { readonly level: TrustLevel; readonly since?: number },
  policyDeniedAt: readonly number[],
  now: number,
): boolean {
  if (trust.level !== "contributor") return false;
  const since = Math.max(now - DEMOTION_WINDOW_MS, trust.since ?? 0);
  return policyDeniedAt.filter((at) => at > since && at <= now).length >= DEMOTION_DENIED_JOBS;
}

export function demotionReason(): string {
  const hours = DEMOTION_WINDOW_MS / (60 * 60 * 1000);
  return `${DEMOTION_DENIED_JOBS} jobs within ${hours} h ended because the policy denied what ` +
    "they tried";
}

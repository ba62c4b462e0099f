/** Limits of one run: flags first, then the role, then the defaults. */
import { RUN_BUDGET_TOKENS, RUN_MAX_TURNS, RUN_TIMEOUT_MINUTES } from "svc/core/bounds.ts";
import { tokenCount } from "svc/core/token_count.ts";
import type { AgentLimits } from "svc/features/agent/agent.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";

export interface LimitFlags {
  readonly maxTurns?: number | undefined;
  /** Tokens. */
  readonly budget?: number | undefined;
}

export function limitsOf({ limits }: Pick<ManifestRole, "limits">, flags: LimitFlags): AgentLimits {
  const { max_turns, budget_tokens, timeout_minutes } = limits;
  const budget = budget_tokens === undefined ? undefined : tokenCount(budget_tokens);
  return {
    maxTurns: flags.maxTurns ?? max_turns ?? RUN_MAX_TURNS,
    budgetTokens: flags.budget ?? budget ?? RUN_BUDGET_TOKENS,
    timeoutMs: (timeout_minutes ?? RUN_TIMEOUT_MINUTES) * 60_000,
  };
}

/** Asks again after a transient fault: full jitter, at least the wait that the provider asks for. */
import type { Clock } from "svc/platform/clock.ts";
import { ModelFault } from "./model.ts";

const MODEL_TRIES = 5;

/** Longest wait before the second try, doubled for each later one; a random part of it is waited. */
const MODEL_BACKOFF_MS = 2_000;
const MODEL_BACKOFF_MAX_MS = 60_000;

/** When a provider asks for a longer wait, the job goes back to the queue instead of blocking a worker. */
const MODEL_WAIT_MAX_MS = 90_000;

export interface Retry {
  readonly fault: ModelFault;
  readonly waitMs: number;
}

interface RetryPorts {
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

export function backoffMs(tried: number, random: number): number {
  return random * Math.min(MODEL_BACKOFF_MAX_MS, MODEL_BACKOFF_MS * 2 ** (tried - 1));
}

/** Does not retry an idle model, which has cost ten minutes already: the job's own attempts do. */
export function waitMs(fault: ModelFault, tried: number, random: number): number | undefined {
  const { transient, retryAfterMs = 0 } = fault.detail;
  if (!transient || fault.kind === "idle" || tried >= MODEL_TRIES) return undefined;
  if (retryAfterMs > MODEL_WAIT_MAX_MS) return undefined;
  return Math.max(retryAfterMs, backoffMs(tried, random));
}

/** Replies are handed out whole only: nothing of a broken one was acted on. @throws ModelFault */
export async function withRetries<T>(
  { clock, signal, random, onRetry }: RetryPorts,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tried = 1;; tried++) {
    try {
      return await attempt();
    } catch (thrown) {
      if (!(thrown instanceof ModelFault)) throw thrown;
      const ms = waitMs(thrown, tried, random());
      if (ms === undefined) throw thrown;
      onRetry?.({ fault: thrown, waitMs: ms });
      await clock.sleep(ms, signal); // the attempt itself sees an aborted signal
    }
  }
}

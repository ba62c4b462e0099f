/**
 * Waits for another process to let go of the file, in short tries of our own: SQLite's busy handler
 * stops the event loop, and its growing waits starve one of several busy processes for seconds.
 */
import { DB_BUSY_MS } from "svc/core/bounds.ts";
import type { Clock } from "svc/platform/clock.ts";
import { isBusy } from "./sqlite_errors.ts";

/** Mean time between two such tries: shorter ones cost the lock's holder, longer ones leave a process waiting. */
const DB_RETRY_MS = 4;

/**
 * Waits up to `DB_BUSY_MS` in all; each try may wait `DB_TRY_MS` by itself.
 * @param inTransaction what has been read since it began would stay old, however often it is tried
 * @throws what the last try threw
 */
export async function untilFree<T>(
  clock: Pick<Clock, "monotonic" | "sleep">,
  attempt: () => T | Promise<T>,
  inTransaction: () => boolean = () => false,
): Promise<T> {
  let deadline: number | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (thrown) {
      if (!isBusy(thrown, inTransaction())) throw thrown;
      const now = clock.monotonic();
      deadline ??= now + DB_BUSY_MS;
      if (now >= deadline) throw thrown;
    }
    // Two that wait must not meet again and again.
    await clock.sleep(DB_RETRY_MS * (0.5 + Math.random()));
  }
}

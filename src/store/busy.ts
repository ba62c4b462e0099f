/** Waits in short tries of svc's own: SQLite's handler stops the event loop, and starves busy processes. */
import { DB_BUSY_MS } from "svc/core/bounds.ts";
import type { Clock } from "svc/platform/clock.ts";
import { isBusy } from "./sqlite_errors.ts";

/** Mean pause: shorter ones cost the lock's holder, longer ones keep a process waiting. */
const DB_RETRY_MS = 4;

/** Up to `DB_BUSY_MS` in all. `inTransaction`: what it has read would stay stale in every try.
 * @throws what the last try threw */
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
    // A random pause, so that two waiting processes do not collide again and again.
    await clock.sleep(DB_RETRY_MS * (0.5 + Math.random()));
  }
}

/** Listens on a connection of its own; while it is away, those who wait poll as they always do. */
import type { Clock } from "svc/platform/clock.ts";
import type { HearOfJobs } from "svc/store/server_adapter.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import { connectAlone } from "./pool.ts";
import { JOBS_CHANNEL } from "./words.ts";

/** Before another connection is tried. */
const LISTEN_AGAIN_MS = 1_000;

/** One connection, until it breaks or the signal. */
async function listen(login: ServerLogin, heard: () => void, signal: AbortSignal): Promise<void> {
  const client = await connectAlone(login);
  const { promise: over, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve());
  client.on("error", () => resolve());
  client.on("end", () => resolve());
  client.on("notification", ({ channel }) => {
    if (channel === JOBS_CHANNEL) heard();
  });
  try {
    await client.query(`LISTEN ${JOBS_CHANNEL}`);
    // What was told while nobody listened.
    heard();
    if (!signal.aborted) await over;
  } finally {
    await client.end().catch(() => {}); // it is broken, or ends with the process
  }
}

export function listener(login: ServerLogin, clock: Pick<Clock, "sleep">): HearOfJobs {
  return async (heard, signal) => {
    while (!signal.aborted) {
      try {
        await listen(login, heard, signal);
      } catch {
        // The queries of the engine tell what is wrong with the server.
      }
      if (!signal.aborted) await clock.sleep(LISTEN_AGAIN_MS, signal);
    }
  };
}

/** Listens on a connection of its own; while it is away, those who wait poll as they always do. */
import { type Clock, within } from "svc/platform/clock.ts";
import type { HearOfJobs } from "svc/store/server_adapter.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import { connectAlone } from "./pool.ts";
import { JOBS_CHANNEL } from "./words.ts";

/** Before another connection is tried. */
const LISTEN_AGAIN_MS = 1_000;

/** Between two looks whether the connection still leads to the server, and the longest wait for its answer. */
const LISTEN_LOOK_MS = 30_000;
const LISTEN_ANSWER_MS = 10_000;
const GOODBYE_MS = 1_000;

/** One connection, until it breaks or the signal. */
async function listen(
  { login, clock, heard, query_timeout }: {
    readonly login: ServerLogin;
    readonly clock: Pick<Clock, "sleep">;
    heard(): void;
    /** Ms to wait for an answer. */
    readonly query_timeout: number;
  },
  signal: AbortSignal,
): Promise<void> {
  const client = await connectAlone(login);
  const { promise: over, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve());
  client.on("error", () => resolve());
  client.on("end", () => resolve());
  client.on("notification", ({ channel }) => {
    if (channel === JOBS_CHANNEL) heard();
  });
  try {
    await client.query({ text: `LISTEN ${JOBS_CHANNEL}`, query_timeout });
    // What was told while nobody listened.
    heard();
    // A network that drops packets ends no connection: nothing would be heard of it any more.
    while (!signal.aborted && !await within(clock, LISTEN_LOOK_MS, over)) {
      await client.query({ text: "SELECT 1", query_timeout });
    }
  } finally {
    // It is broken, or ends with the process; a network that drops packets does not say goodbye.
    await within(clock, GOODBYE_MS, client.end().catch(() => {}));
  }
}

export function listener(
  login: ServerLogin,
  clock: Pick<Clock, "sleep">,
  answerMs: number,
): HearOfJobs {
  const query_timeout = Math.min(answerMs, LISTEN_ANSWER_MS);
  return async (heard, signal) => {
    while (!signal.aborted) {
      try {
        await listen({ login, clock, heard, query_timeout }, signal);
      } catch {
        // The queries of the engine tell what is wrong with the server.
      }
      if (!signal.aborted) await clock.sleep(LISTEN_AGAIN_MS, signal);
    }
  };
}

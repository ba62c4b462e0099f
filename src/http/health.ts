/** `GET /healthz`: whether svc works, for monitors; names no path and no secret. */
import type { Clock } from "svc/platform/clock.ts";
import { HEALTH_MS } from "svc/core/bounds.ts";
import { answer } from "./answer.ts";
import type { Route } from "./route.ts";

export interface HealthFacts {
  /** The database answered. */
  readonly database: boolean;
  /** Jobs that may run at a time, and that do. */
  readonly workers: number;
  readonly running: number;
  readonly paused: boolean;
  /** Since svc last looked for lost workers; undefined before the first look. */
  readonly lastHeartbeatSecs: number | undefined;
  readonly uptimeSecs: number;
}

/** @param facts what throws, or takes too long, counts as a database that does not answer */
export function healthRoute(
  facts: () => Promise<HealthFacts>,
  clock: Pick<Clock, "sleep">,
): Route {
  return {
    method: "GET",
    path: "/healthz",
    access: "open",
    body: { kind: "none" },
    async handle() {
      const ended = new AbortController();
      const late = clock.sleep(HEALTH_MS, ended.signal).then(() => undefined);
      const found = await Promise.race([facts().catch(() => undefined), late]);
      ended.abort();
      if (found === undefined) return answer(503, { ok: false, database: false });
      const { database, workers, running, paused, lastHeartbeatSecs, uptimeSecs } = found;
      return answer(database ? 200 : 503, {
        ok: database,
        database,
        workers,
        running,
        paused,
        last_heartbeat_secs: lastHeartbeatSecs ?? null,
        uptime_secs: uptimeSecs,
      });
    },
  };
}

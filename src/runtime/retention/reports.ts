/** What a collector removes while it runs: reports as old as records of jobs may get. */
import { policyOf } from "svc/features/retention/policy.ts";
import type { Config } from "svc/features/settings/config_file.ts";
import { forgetReports } from "svc/features/telemetry/intake_store.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import type { Db } from "svc/store/schema.ts";
import { retentionNow } from "./believed_now.ts";

const ROUND_MS = 60 * 60 * 1000;

interface CollectorPorts {
  readonly db: Db;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly log: Pick<Log, "write">;
}

/** Now and then every hour, until the signal aborts; a clock that is wrong for a minute makes nothing old. Never throws. */
export async function retainReports(
  { db, clock, log }: CollectorPorts,
  config: Pick<Config, "retention">,
  signal: AbortSignal,
): Promise<void> {
  const { recordsMs } = policyOf(config);
  while (!signal.aborted) {
    try {
      const now = await retentionNow({ db, clock });
      const count = now === undefined ? 0 : await forgetReports(db, now - recordsMs);
      if (count > 0) log.write("info", "removed old reports", { count });
    } catch (cause) {
      log.write("error", "old reports were not removed", { cause });
    }
    await clock.sleep(ROUND_MS, signal);
  }
}

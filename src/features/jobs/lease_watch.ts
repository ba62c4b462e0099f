/** Tells which leases have run out, by a monotonic clock. */
import type { Clock } from "svc/platform/clock.ts";
import type { Job } from "./job_table.ts";

/** An answer that took longer tells of an outage. */
const OUTAGE_MS = 5_000;

export interface LeaseWatch {
  /** Call it before the running jobs are read: without a `look` after it, the database was away. */
  ask(): void;
  /** If the database can be read but not written, workers cannot renew their leases either. */
  cannotWrite(): void;
  look(running: readonly Job[]): void;
  /** Whether the heartbeat has not changed for the length of the lease since `look` first saw it. */
  silent(job: Job): boolean;
}

interface SeenHeartbeat {
  readonly sign: string;
  /** Monotonic ms. */
  readonly at: number;
}

/** Not by the time of day, which may jump. A new watch gives each worker a full lease. */
export function leaseWatch(clock: Pick<Clock, "monotonic">): LeaseWatch {
  let seen = new Map<string, SeenHeartbeat>();
  let asked: number | undefined;
  let outage = false;
  return {
    ask() {
      outage = asked !== undefined;
      asked = clock.monotonic();
    },
    cannotWrite() {
      seen = new Map();
    },
    look(running) {
      const at = clock.monotonic();
      // Everybody gets a full lease from here on.
      if (outage || asked !== undefined && at - asked > OUTAGE_MS) seen = new Map();
      outage = false;
      asked = undefined;
      seen = new Map(running.map((job) => {
        const sign = `${job.generation} ${job.heartbeat_at}`;
        const before = seen.get(job.id);
        return [job.id, before?.sign === sign ? before : { sign, at }];
      }));
    },
    silent({ id, lease_until, heartbeat_at }) {
      const at = seen.get(id)?.at;
      return at !== undefined && clock.monotonic() - at >= lease_until! - heartbeat_at!;
    },
  };
}

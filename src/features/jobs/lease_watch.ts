/** Tells which leases have run out, by a monotonic clock. */
import type { Clock } from "svc/platform/clock.ts";
import type { Job } from "./job_table.ts";

export interface LeaseWatch {
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
  return {
    look(running) {
      const at = clock.monotonic();
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

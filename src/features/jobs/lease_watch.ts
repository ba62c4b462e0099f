/** Tells which leases have run out, by a monotonic clock. */
import type { Clock } from "svc/platform/clock.ts";
import type { Job } from "./job_table.ts";

export interface LeaseWatch {
  /** Notes the heartbeats of all running jobs; forgets the others. */
  look(running: readonly Job[]): void;
  /** Whether the heartbeat has not changed for the length of the lease since `look` first saw it. */
  silent(job: Job): boolean;
}

interface SeenHeartbeat {
  readonly sign: string;
  /** Monotonic ms. */
  readonly at: number;
}

/**
 * Comparing the stored `lease_until` with the time of day is unsafe: a clock that jumps by an hour
 * would make every lease expire at once, or none for an hour. So the watch measures how long a
 * heartbeat stays the same on its own monotonic clock, which stops while the machine sleeps. A new
 * watch gives each worker the length of its lease to renew it.
 */
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

/** Takes back the jobs of processes that are known to be dead. */
import { rescueExpired } from "svc/features/jobs/job_store.ts";
import { leaseWatch } from "svc/features/jobs/lease_watch.ts";
import { ownersLife } from "svc/features/jobs/owner.ts";
import type { OwnerPorts } from "svc/runtime/ports.ts";

/** Queues the jobs of dead owners again, or fails them, and kills their programs. */
export async function takeBackDead(ports: OwnerPorts): Promise<void> {
  const { db, clock, identities, log, processes, profile } = ports;
  const rescued = await rescueExpired(db, {
    now: clock.now(),
    watch: leaseWatch(clock),
    isAlive: ownersLife(identities),
    before: ({ id }) => profile === "host" ? processes.sweep(id) : Promise.resolve(),
  });
  for (const { job, status, crashed } of rescued) {
    log.write("warn", "took back the job of a lost worker", { job: job.id, status, crashed });
  }
}

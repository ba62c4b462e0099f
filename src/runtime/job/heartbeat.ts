/** Keeps a lease while its job runs, on a timer of its own, and says when it must stop. */
import { JOB_HEARTBEAT_MS, JOB_LEASE_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { JobBell } from "svc/features/jobs/job_bell.ts";
import { heartbeat, type Lease } from "svc/features/jobs/job_store.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

/** Why a job was stopped from outside; what it would have written is dropped when the lease is lost. */
export type StopReason = "lost" | "cancel";

export interface Held {
  /** Aborted by the ports' signal too. */
  readonly signal: AbortSignal;
  stopped(): StopReason | undefined;
}

/** Ms; the standing ones unless said otherwise. */
export interface LeaseTimes {
  readonly leaseMs?: number | undefined;
  readonly heartbeatMs?: number | undefined;
  /** Rung when somebody may have cancelled it: the next sign of life is given at once. */
  readonly beatBell?: JobBell | undefined;
}

/** @throws whatever `work` throws */
export async function whileHeld<T>(
  ports: Pick<RuntimePorts, "clock" | "db" | "log" | "signal">,
  lease: Lease,
  work: (held: Held) => Promise<T>,
  { leaseMs = JOB_LEASE_MS, heartbeatMs = JOB_HEARTBEAT_MS, beatBell = new JobBell() }: LeaseTimes =
    {},
): Promise<T> {
  const { clock, db, log, signal } = ports;
  const stop = new AbortController();
  const done = new AbortController();
  let stopped: StopReason | undefined;
  const beat = async () => {
    let heard = beatBell.rings;
    while (!done.signal.aborted) {
      await beatBell.wait(heard, clock, heartbeatMs, done.signal);
      heard = beatBell.rings;
      if (done.signal.aborted) return;
      const answer = await heartbeat(db, lease, clock.now(), leaseMs).catch((thrown) => {
        // A busy database is no reason to drop the work: the lease outlives several heartbeats.
        log.write("warn", "a heartbeat failed", { job: lease.id, cause: thrown });
        return "held" as const;
      });
      if (answer === "held") continue;
      stopped = answer;
      const why = answer === "lost" ? "the lease was lost" : "cancelled by a person";
      stop.abort(new Failure("interrupted", `Stopped job ${lease.id}: ${why}`));
      return;
    }
  };
  const beating = beat();
  try {
    const held = { signal: AbortSignal.any([signal, stop.signal]), stopped: () => stopped };
    return await work(held);
  } finally {
    done.abort();
    await beating;
  }
}

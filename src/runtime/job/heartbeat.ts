/** Renews a job's lease while it runs, and says when the job must stop. */
import { JOB_HEARTBEAT_MS, JOB_LEASE_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { WakeUp } from "svc/features/jobs/wake_up.ts";
import { heartbeat, type Lease } from "svc/features/jobs/job_store.ts";
import { within } from "svc/platform/clock.ts";
import type { LoopPorts } from "svc/runtime/ports.ts";

type StopReason = "lost" | "cancel";

export interface HeldLease {
  /** The ports' signal aborts it too. */
  readonly signal: AbortSignal;
  stopped(): StopReason | undefined;
}

/** Milliseconds. */
export interface LeaseTimes {
  readonly leaseMs?: number | undefined;
  readonly heartbeatMs?: number | undefined;
  /** Sent when the job may have been cancelled: the next heartbeat is sent at once. */
  readonly heartbeatWakeUp?: WakeUp | undefined;
}

/** @throws whatever `work` throws */
export async function whileHeld<T>(
  ports: LoopPorts,
  lease: Lease,
  work: (held: HeldLease) => Promise<T>,
  times: LeaseTimes = {},
): Promise<T> {
  const { leaseMs = JOB_LEASE_MS, heartbeatMs = JOB_HEARTBEAT_MS, heartbeatWakeUp = new WakeUp() } =
    times;
  const { clock, db, log, signal } = ports;
  const stop = new AbortController();
  const done = new AbortController();
  let stopped: StopReason | undefined;
  const beat = async () => {
    let seen = heartbeatWakeUp.count;
    while (!done.signal.aborted) {
      await heartbeatWakeUp.wait(seen, clock, heartbeatMs, done.signal);
      seen = heartbeatWakeUp.count;
      if (done.signal.aborted) return;
      const asked = heartbeat(db, lease, clock.now(), leaseMs).catch((thrown) => {
        // The lease is longer than several heartbeats, so a busy database does not end the job.
        log.write("warn", "a heartbeat failed", { job: lease.id, cause: thrown });
        return "held" as const;
      });
      // If the network has swallowed a heartbeat, the next one is still sent, on another connection.
      if (!await within(clock, heartbeatMs, asked, done.signal)) continue;
      const answer = await asked;
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

/** Keeps the lease of a job whose work is done, until the database takes its end. */
import { JOB_LEASE_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { type LeaseTimes, whileHeld } from "./heartbeat.ts";

/** The database has waited for its lock already. */
const STORE_AGAIN_MS = 1_000;

/** Does a step of a job's end. @param again an earlier try may have been stored, although no answer came */
export type Patiently = <T>(step: (again: boolean) => Promise<T>) => Promise<T>;

/**
 * The work is done, and must not be done again only because the database was away for a while: the lease is
 * kept until each step of the job's end is done. A person is told once no other process has the job.
 */
export async function onceStored<T>(
  ports: RuntimePorts,
  job: Job,
  { follow, ...times }: LeaseTimes & { readonly follow: boolean },
  step: (again: boolean) => Promise<T>,
): Promise<T> {
  const { clock, log, signal } = ports;
  const deadline = clock.monotonic() + (follow ? Infinity : JOB_LEASE_MS);
  const orWait = async (again: boolean) => {
    try {
      return { done: await step(again) };
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (!failure.detail.waits || clock.monotonic() >= deadline) throw thrown;
      log.write("warn", `a result waits to be stored: ${failure.message}`, { job: job.id });
      return undefined;
    }
  };
  const first = await orWait(false);
  if (first !== undefined) return first.done;
  return await whileHeld(ports, job, async () => {
    for (;;) {
      await clock.sleep(STORE_AGAIN_MS, signal);
      signal.throwIfAborted();
      const stored = await orWait(true);
      if (stored !== undefined) return stored.done;
    }
  }, times);
}

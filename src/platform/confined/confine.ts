/** Gives a confined Worker its work, a broker, and the permissions that the work needs. */
import { type BrokerOffer, failureOf, offer } from "./broker.ts";
import {
  type IdleWorker,
  permissionsFor,
  startWorker,
  type WorkerGrants,
  type WorkerPermissions,
} from "./start_worker.ts";

function enough(has: WorkerPermissions, needed: WorkerPermissions): boolean {
  return (["net", "read", "write"] as const)
    .every((kind) => needed[kind].every((one) => has[kind].includes(one)));
}

interface ConfinedJob {
  readonly grants: WorkerGrants;
  readonly message: Readonly<Record<string, unknown>>;
  readonly offered: BrokerOffer;
  readonly signal: AbortSignal;
  readonly hurry: AbortSignal;
  readonly overdue: Promise<never>;
}

/** `Deno.exit` in a Worker would end the process with 0, so it posts its exit status. All calls and programs
 * have ended by then. @throws Failure it posted, `internal` when it died, what `overdue` rejects with */
export async function runInWorker(idle: IdleWorker, job: ConfinedJob): Promise<number> {
  const permissions = permissionsFor(job.grants);
  if (!enough(idle.plan.permissions, permissions)) {
    idle[Symbol.dispose]();
    using other = startWorker({ ...idle.plan, permissions });
    return await workIn(other, job);
  }
  return await workIn(idle, job);
}

async function workIn({ worker, ending }: IdleWorker, job: ConfinedJob): Promise<number> {
  const { port1: here, port2: there } = new MessageChannel();
  const stop = () => worker.postMessage({ stop: true });
  const hurry = () => worker.postMessage({ hurry: true });
  const served = offer(here, job.offered);
  job.signal.addEventListener("abort", stop);
  job.hurry.addEventListener("abort", hurry);
  try {
    worker.postMessage(job.message, [there]);
    // A signal may have come while the permissions were computed.
    if (job.signal.aborted) stop();
    if (job.hurry.aborted) hurry();
    const ended = await Promise.race([ending, job.overdue]);
    if ("failure" in ended) throw failureOf(ended.failure);
    return ended.exit;
  } finally {
    job.signal.removeEventListener("abort", stop);
    job.hurry.removeEventListener("abort", hurry);
    worker.terminate();
    await served[Symbol.asyncDispose]();
  }
}

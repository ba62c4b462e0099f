/** Starts a Worker with the exact permissions given. The target repo is not among them: a permission
 * follows symlinks, which the broker does not (docs/decisions/0004-confined-workers.md). */
import { Failure } from "svc/core/failure.ts";
import { type BrokerOffer, type FailureData, failureOf, offer } from "./broker.ts";
import type { Home } from "svc/platform/home.ts";

export interface WorkerGrants {
  /** Exact `host:port` pairs beyond loopback. */
  readonly hosts: readonly string[];
  readonly home: Home;
  /** Real path; may lie outside the home. */
  readonly database?: string;
  /** Where a server has the database; `unix:<path>` for a socket. */
  readonly databaseHost?: string;
  readonly logFile?: string;
  readonly programRoot: string;
}

/** Every kind that is absent here is refused. */
interface WorkerPermissions extends Deno.PermissionOptionsObject {
  readonly net: string[];
  readonly read: string[];
  readonly write: string[];
}

export function permissionsFor(
  { hosts, home, database, databaseHost, logFile, programRoot }: WorkerGrants,
): WorkerPermissions {
  // Work trees hold files of target repos, with symlinks: only the broker reaches them.
  const state = [
    home.config,
    home.db,
    home.traces,
    home.journal,
    home.cache,
    home.models,
    home.sharedDb,
  ];
  const written = state.filter((path) => path !== home.config && path !== home.models);
  // SQLite keeps further files beside a database (sqlite.org/tempfiles.html).
  const files = [
    ...(database === undefined || databaseHost !== undefined
      ? []
      : ["", "-wal", "-shm", "-journal"].map((end) => `${database}${end}`)),
    ...(logFile === undefined ? [] : [logFile]),
  ].filter((file) => !written.some((path) => file.startsWith(`${path}/`)));
  return {
    net: ["127.0.0.1", "[::1]", ...hosts, ...(databaseHost === undefined ? [] : [databaseHost])],
    read: [...state, ...files, programRoot],
    write: [...written, ...files],
    // A program may start any other (`git -c alias.x=!sh`), so only the broker starts some, for host.
    run: false,
    env: false,
    sys: false,
    ffi: false,
    import: false,
  };
}

function enough(has: WorkerPermissions, needed: WorkerPermissions): boolean {
  return (["net", "read", "write"] as const)
    .every((kind) => needed[kind].every((one) => has[kind].includes(one)));
}

interface WorkerPlan {
  readonly module: string;
  readonly permissions: WorkerPermissions;
  readonly ahead?: Readonly<Record<string, unknown>>;
}

type WorkerEnding = { readonly exit: number } | { readonly failure: FailureData };

/** Without work and without a broker; loads the program's modules meanwhile. */
export interface IdleWorker extends Disposable {
  readonly plan: WorkerPlan;
  readonly worker: Worker;
  readonly ending: Promise<WorkerEnding>;
}

export function startWorker(plan: WorkerPlan): IdleWorker {
  const { promise, resolve, reject } = Promise.withResolvers<WorkerEnding>();
  promise.catch(() => {}); // whoever gives the Worker work sees the rejection
  const worker = new Worker(plan.module, {
    type: "module",
    deno: { permissions: plan.permissions },
  });
  worker.onmessage = ({ data }: MessageEvent<WorkerEnding>) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Failure("internal", "The confined Worker died", { cause: event.message }));
  };
  if (plan.ahead !== undefined) worker.postMessage(plan.ahead);
  return { plan, worker, ending: promise, [Symbol.dispose]: () => worker.terminate() };
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

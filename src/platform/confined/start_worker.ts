/** Starts a Worker with the exact permissions given. The target repo is not among them: a permission
 * follows symlinks, which the broker does not (docs/decisions/0004-confined-workers.md). */
import { Failure } from "svc/core/failure.ts";
import type { Home } from "svc/platform/home.ts";
import type { FailureData } from "./broker.ts";

export interface WorkerGrants {
  /** Exact `host:port` pairs beyond loopback. */
  readonly hosts: readonly string[];
  readonly home: Home;
  /** Real path; may lie outside the home. */
  readonly database?: string;
  /** Where a server has the database; `unix:<path>` for a socket. */
  readonly databaseHosts?: readonly string[];
  readonly logFile?: string;
  readonly programRoot: string;
}

/** Every kind that is absent here is refused. */
export interface WorkerPermissions extends Deno.PermissionOptionsObject {
  readonly net: string[];
  readonly read: string[];
  readonly write: string[];
}

export function permissionsFor(
  { hosts, home, database, databaseHosts, logFile, programRoot }: WorkerGrants,
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
    ...(database === undefined || databaseHosts !== undefined
      ? []
      : ["", "-wal", "-shm", "-journal"].map((end) => `${database}${end}`)),
    ...(logFile === undefined ? [] : [logFile]),
  ].filter((file) => !written.some((path) => file.startsWith(`${path}/`)));
  return {
    net: ["127.0.0.1", "[::1]", ...hosts, ...databaseHosts ?? []],
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

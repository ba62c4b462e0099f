/**
 * Starts a Worker that holds exactly the permissions computed for it, enforced by Deno. The target
 * repo is not among them: a permission follows symlinks out of the folder it names, so files of the
 * repo are reached through the broker, which does not (docs/decisions/0004-confined-workers.md).
 */
import { Failure } from "svc/core/failure.ts";
import { type FailureData, failureOf, type Offer, offer } from "./broker.ts";
import type { Home } from "./home.ts";

export interface Grants {
  /** Exact `host:port` pairs beyond loopback. */
  readonly hosts: readonly string[];
  readonly home: Home;
  /** Real path of a database; it may lie outside the home. */
  readonly database?: string;
  /** Path of a command log outside the home. */
  readonly logFile?: string;
  /** Folder of the program: command modules are loaded from it. */
  readonly programRoot: string;
}

/** Deno's own option object; every kind that is not named is refused. */
export function permissionsFor(
  { hosts, home, database, logFile, programRoot }: Grants,
): Deno.PermissionOptionsObject {
  // Worktrees hold files of target repos, symlinks included: they are reached by the broker only.
  const state = [
    home.config,
    home.db,
    home.traces,
    home.journal,
    home.cache,
    home.models,
    home.sharedDb,
  ];
  // With what SQLite keeps beside it (sqlite.org/tempfiles.html).
  const files = [
    ...(database === undefined
      ? []
      : ["", "-wal", "-shm", "-journal"].map((end) => `${database}${end}`)),
    ...(logFile === undefined ? [] : [logFile]),
  ];
  return {
    net: ["127.0.0.1", "[::1]", ...hosts],
    read: [...state, ...files, programRoot],
    write: [...state.filter((path) => path !== home.config && path !== home.models), ...files],
    // Any program may start any other (`git -c alias.x=!sh`) and is confined by nothing: the broker
    // starts them, for the host profile alone.
    run: false,
    env: false,
    sys: false,
    ffi: false,
    import: false,
  };
}

export interface ConfinedJob {
  /** URL of the Worker's module. */
  readonly module: string;
  readonly grants: Grants;
  /** Plain data for the Worker. */
  readonly message: Readonly<Record<string, unknown>>;
  readonly offered: Offer;
  /** Asks the Worker to stop. */
  readonly signal: AbortSignal;
  /** Asks it to be quick about it. */
  readonly hurry: AbortSignal;
  /** Rejects when the Worker has had its time to do so. */
  readonly overdue: Promise<never>;
}

type Ending = { readonly exit: number } | { readonly failure: FailureData };

/**
 * Resolves with the exit status that the Worker posts: `Deno.exit` inside it would end the whole
 * process with 0. When it resolves, the broker's calls have ended, the programs among them.
 * @throws Failure that the Worker posted, `internal` when it died, whatever `overdue` rejects with
 */
export async function runInWorker(job: ConfinedJob): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  const worker = new Worker(job.module, {
    type: "module",
    deno: { permissions: permissionsFor(job.grants) },
  });
  const { port1: here, port2: there } = new MessageChannel();
  const stop = () => worker.postMessage({ stop: true });
  const hurry = () => worker.postMessage({ hurry: true });
  worker.onmessage = ({ data }: MessageEvent<Ending>) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Failure("internal", "The confined Worker died", { cause: event.message }));
  };
  const served = offer(here, job.offered);
  job.signal.addEventListener("abort", stop);
  job.hurry.addEventListener("abort", hurry);
  try {
    worker.postMessage(job.message, [there]);
    // A signal that came while the permissions were worked out.
    if (job.signal.aborted) stop();
    if (job.hurry.aborted) hurry();
    const ending = await Promise.race([promise, job.overdue]);
    if ("failure" in ending) throw failureOf(ending.failure);
    return ending.exit;
  } finally {
    job.signal.removeEventListener("abort", stop);
    job.hurry.removeEventListener("abort", hurry);
    worker.terminate();
    await served[Symbol.asyncDispose]();
  }
}

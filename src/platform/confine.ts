/**
 * Starts a Worker that holds exactly the permissions computed for it, enforced by Deno. The target
 * repo is not among them: a permission follows symlinks out of the folder it names, so files of the
 * repo are reached through the broker, which does not (docs/decisions/0004-confined-workers.md).
 */
import { Failure } from "svc/core/failure.ts";
import { type FailureData, failureOf, type Offer, offer } from "./broker.ts";
import type { Home } from "./home.ts";

export interface Grants {
  readonly profile: "observer" | "host";
  /** Exact `host:port` pairs beyond loopback. */
  readonly hosts: readonly string[];
  readonly home: Home;
  /** Folder of the program: command modules are loaded from it. */
  readonly programRoot: string;
}

/** Deno's own option object; every kind that is not named is refused. */
export function permissionsFor(
  { profile, hosts, home, programRoot }: Grants,
): Deno.PermissionOptionsObject {
  // Worktrees hold files of target repos, symlinks included: they are reached by the broker only.
  const state = [home.config, home.db, home.traces, home.journal, home.models, home.sharedDb];
  return {
    net: ["127.0.0.1", "[::1]", ...hosts],
    read: [...state, programRoot],
    write: state.filter((path) => path !== home.config && path !== home.models),
    // Any program may start any other (`git -c alias.x=!sh`), so an observer starts none: its git
    // calls are made by the broker.
    run: profile === "host",
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
  /** Asks the Worker to stop; it is given time by whoever aborts. */
  readonly signal: AbortSignal;
}

type Ending = { readonly exit: number } | { readonly failure: FailureData };

/**
 * Resolves with the exit status that the Worker posts: `Deno.exit` inside it would end the whole
 * process with 0.
 * @throws Failure that the Worker posted, or `internal` when it died
 */
export async function runInWorker(job: ConfinedJob): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  const worker = new Worker(job.module, {
    type: "module",
    deno: { permissions: permissionsFor(job.grants) },
  });
  const { port1: here, port2: there } = new MessageChannel();
  const stop = () => worker.postMessage({ stop: true });
  worker.onmessage = ({ data }: MessageEvent<Ending>) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Failure("internal", "The confined Worker died", { cause: event.message }));
  };
  offer(here, job.offered);
  job.signal.addEventListener("abort", stop);
  try {
    worker.postMessage(job.message, [there]);
    const ending = await promise;
    if ("failure" in ending) throw failureOf(ending.failure);
    return ending.exit;
  } finally {
    job.signal.removeEventListener("abort", stop);
    here.close();
    worker.terminate();
  }
}

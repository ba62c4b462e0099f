/** What the Worker of a command that runs agents or serves may touch, computed before it starts. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Home } from "svc/platform/home.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

export interface Confinement {
  /** `observer` changes no repo and starts no program. */
  readonly profile: "observer" | "host";
  /** Real paths of the target repos' roots; the Worker reaches them and svc's work trees by broker. */
  readonly repos: readonly string[];
  /** Exact `host:port` pairs beyond loopback. */
  readonly hosts: readonly string[];
  /**
   * Real path of the database that the run opens: the main thread finds it, since the Worker may not
   * look at the folders around it. It exists then with the newest schema; a dry run names only one that
   * was there before, and opens it with `openToRead`.
   */
  readonly database?: string;
  /** From `--log-file`: it lies outside the folders that a Worker may write. */
  readonly logFile?: string;
  /** Names the process that keeps this repo going already. */
  readonly otherStart?: string;
  /** Registered repos that cannot be worked on now. */
  readonly skipped?: readonly { readonly path: string; readonly why: string }[];
  /** Stays with the main thread, and is let go of when the Worker has ended. */
  readonly held?: Disposable;
}

/**
 * Opens folders of the confinement's repos and of svc's work trees. Any other repo of the database was
 * registered after the Worker started: the failure says so, and the broker is not asked.
 */
export function foldersWithin(
  { folder, home }: Pick<RuntimePorts, "folder"> & { readonly home: Pick<Home, "worktrees"> },
  confinement: Pick<Confinement, "repos"> | undefined,
): RuntimePorts["folder"] {
  const repos = new Set(confinement?.repos);
  const worktrees = `${home.worktrees}/`;
  return async (root) => {
    if (repos.has(root) || root.startsWith(worktrees)) return await folder(root);
    throw new Failure("refused", `Cannot work on ${quoted(root)}: it was registered later`, {
      remedy: "Start svc serve again",
    });
  };
}

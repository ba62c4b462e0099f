/** Every path under the user's svc home (spec section 2.1). */
import { Failure } from "svc/core/failure.ts";
import type { Env } from "./entrance.ts";

export interface Home {
  readonly root: string;
  readonly config: string;
  /** What `svc setup` saw of the machine. */
  readonly machine: string;
  /** Who this machine is in a team. */
  readonly node: string;
  readonly models: string;
  readonly bin: string;
  readonly db: string;
  readonly traces: string;
  readonly logs: string;
  readonly journal: string;
  /** Only what can be computed again. */
  readonly cache: string;
  /** Holds files of target repos, so a confined Worker may not open it by path. */
  readonly worktrees: string;
  /** Clones of the repos that are registered by a URL; as `worktrees`, not opened by path. */
  readonly repos: string;
  /** Beside the home; all registered repos share it. */
  readonly sharedDb: string;
}

/** Folders where git works, by their real paths: git tells no others of what lies there. */
export type GitFolders = Pick<Home, "worktrees" | "repos">;

/** If the path does not exist yet, the nearest existing folder above it decides where it will be. */
function realPathOf(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    const cut = path.lastIndexOf("/");
    return cut > 0 ? realPathOf(path.slice(0, cut)) + path.slice(cut) : path;
  }
}

/**
 * `$SVC_HOME`, else `$HOME/.svc`.
 * @param known where the caller may not look for them itself, as in a confined Worker
 * @throws Failure `environment` when that is no absolute path
 */
export function homeOf(env: Pick<Env, "get">, known?: GitFolders): Home {
  const moved = env.get("SVC_HOME") ?? "";
  const user = env.get("HOME") ?? "";
  const root = (moved !== "" ? moved : user === "" ? "" : `${user}/.svc`)
    .replaceAll(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
  if (!root.startsWith("/")) {
    const found = moved !== "" ? `SVC_HOME is "${moved}"` : `HOME is "${user}"`;
    throw new Failure("environment", `Cannot find the svc home: ${found}, not an absolute path`, {
      remedy: "export SVC_HOME=/absolute/folder",
    });
  }
  return {
    root,
    config: `${root}/config.yaml`,
    machine: `${root}/machine.json`,
    node: `${root}/node.json`,
    models: `${root}/models`,
    bin: `${root}/bin`,
    db: `${root}/db`,
    traces: `${root}/traces`,
    logs: `${root}/traces/logs`,
    journal: `${root}/journal`,
    cache: `${root}/cache`,
    worktrees: known?.worktrees ?? realPathOf(`${root}/worktrees`),
    repos: known?.repos ?? realPathOf(`${root}/repos`),
    sharedDb: `${root}-harness/db`,
  };
}

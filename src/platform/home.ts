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

/** `$SVC_HOME`, else `$HOME/.svc`. @throws Failure `environment` when that is no absolute path */
export function homeOf(env: Pick<Env, "get">): Home {
  const moved = env.get("SVC_HOME") ?? "";
  const user = env.get("HOME") ?? "";
  const root = (moved !== "" ? moved : user === "" ? "" : `${user}/.svc`).replace(/(?<=.)\/+$/, "");
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
    worktrees: `${root}/worktrees`,
    repos: `${root}/repos`,
    sharedDb: `${root}-harness/db`,
  };
}

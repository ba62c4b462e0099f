/** What the Worker of a command that runs agents or serves may touch, computed before it starts. */
import { Failure } from "svc/core/failure.ts";
import type { OwnNode } from "svc/features/nodes/own_node.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Home } from "svc/platform/home.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

/** What a service that runs may reach is fixed. Read by whoever shows it: the way out is in it. */
export const REGISTERED_LATER =
  "it was registered after svc serve began, which takes it in when it is started again";

export interface Confinement {
  /** `observer` changes no repo and starts no program. */
  readonly profile: "observer" | "host";
  /** Real paths of the target repos; the Worker reaches them and svc's work trees by broker. */
  readonly repos: readonly string[];
  readonly hosts: readonly string[];
  /**
   * Real path, or the address of a server. The main thread finds the database and migrates it, since the Worker
   * may not look at the folders around it. For a dry run it is set only if the database exists, and is opened
   * with `openToRead`.
   */
  readonly database?: string;
  /** Where the database is a server's: how the Worker logs in to it. */
  readonly serverLogin?: ServerLogin;
  /** Set exactly with `serverLogin`. */
  readonly node?: OwnNode;
  readonly logFile?: string;
  /** Whether a sandbox contains what jobs start. */
  readonly sandboxed?: boolean;
  readonly otherStart?: string;
  readonly skipped?: readonly { readonly path: string; readonly why: string }[];
  /** Held by the main thread until the Worker has ended. */
  readonly held?: Disposable | AsyncDisposable;
}

/**
 * Opens the confinement's repos, svc's work trees and its clones.
 * @throws Failure `conflict` for other repos: they were registered after the Worker started
 */
export function reposWithin(
  { folder, git, home }: Pick<RuntimePorts, "folder" | "git"> & {
    readonly home: Pick<Home, "repos" | "worktrees">;
  },
  confinement: Pick<Confinement, "repos"> | undefined,
): Pick<RuntimePorts, "folder" | "git"> {
  const repos = new Set(confinement?.repos);
  const own = [`${home.worktrees}/`, `${home.repos}/`];
  const isOurs = (root: string) => repos.has(root) || own.some((below) => root.startsWith(below));
  const later = (root: string) =>
    new Failure("conflict", `Cannot work on ${quoted(root)}: ${REGISTERED_LATER}`, {
      remedy: "Start svc serve again",
    });
  return {
    async folder(root) {
      if (isOurs(root)) return await folder(root);
      throw later(root);
    },
    git: {
      version: () => git.version(),
      userSetting: (key) => git.userSetting(key),
      async open(path, options) {
        try {
          return await git.open(path, options);
        } catch (thrown) {
          // The broker's failure only says what it admits, so this one says why more was asked for.
          if (isOurs(path) || Failure.from(thrown).code !== "refused") throw thrown;
          throw later(path);
        }
      },
    },
  };
}

/** Real parts for sessions on a repo, with a home and a database that remove themselves. */
import { Config } from "svc/features/settings/config_file.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { commitsOver } from "svc/platform/git/commit.ts";
import { homeOf } from "svc/platform/home.ts";
import { denoProcesses, type Run } from "svc/platform/process/process.ts";
import { lockRepo } from "svc/platform/git/repo_lock.ts";
import { readTree } from "svc/platform/files/tree_reader.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { type CheckoutPorts, openCheckout } from "svc/platform/git/checkout.ts";
import {
  openSession,
  type Session,
  type SessionPlan,
  type SessionPorts,
} from "svc/runtime/session/session.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

export interface Ports extends SessionPorts, CheckoutPorts, AsyncDisposable {
  /** Ends the sessions and what they open. */
  readonly signal: AbortSignal;
  /** Everything that tools started, git not counted. */
  readonly started: Run[];
}

export async function sessionPorts(): Promise<Ports> {
  const store = await tempStore();
  const vars: Record<string, string> = {
    ...{ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: store.folder },
    ...{ SVC_HOME: `${store.folder}/home`, GIT_CONFIG_NOSYSTEM: "1" },
  };
  const env = {
    get: (name: string) => vars[name],
    all: () => vars,
    forget: (name: string) => void delete vars[name],
  };
  const files = denoFiles();
  const clock = systemClock;
  const real = denoProcesses();
  const started: Run[] = [];
  const processes: SessionPorts["processes"] = {
    run(command) {
      started.push(command);
      return real.run(command);
    },
    sweep: (tag) => real.sweep(tag),
  };
  return {
    ...{ env, files, clock, processes, started, readTree, lockRepo, fetch, db: store.db },
    home: homeOf(env),
    load: (module) => import(`svc/${module.replace("src/", "")}.ts`),
    git: gitOver(real, vars),
    commits: commitsOver({ processes: real, env: vars, files, clock }),
    folder: (root) => openFolder(root),
    log: { write() {}, open() {}, path: () => undefined, close() {} },
    redact: (text) => text.replaceAll("hush-hush", "[redacted]"),
    signal: new AbortController().signal,
    settings: () => Promise.resolve(Config.parse({})),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** A plan that names the checkout, and perhaps a work tree of its own, by path. */
export interface PlanAt extends Omit<SessionPlan, "repo" | "tree"> {
  readonly repo: string;
  readonly root?: string;
}

/** Opens the repo too; disposing the session closes it. */
export async function sessionAt(
  ports: Ports,
  { repo: path, root, ...plan }: PlanAt,
): Promise<Session & Disposable> {
  using opened = new DisposableStack();
  const repo = opened.use(await new RepoOpener(ports).openAt(path, ports));
  const tree = root === undefined ? undefined : opened.use(await openCheckout(ports, root));
  const session = await openSession(ports, { ...plan, repo, ...(tree && { tree }) });
  const parts = opened.move();
  return { ...session, [Symbol.dispose]: () => parts.dispose() };
}

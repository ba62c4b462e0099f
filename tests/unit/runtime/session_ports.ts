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
import type { SessionPorts } from "svc/runtime/session/session.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

export interface Ports extends SessionPorts, AsyncDisposable {
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
    ...{ env, files, clock, processes, started, readTree, lockRepo, db: store.db },
    home: homeOf(env),
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

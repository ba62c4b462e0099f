/** The real parts that a commit of svc needs, over one folder. */
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { commitsOver } from "svc/platform/git/commit.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses, type Processes } from "svc/platform/process/process.ts";

/** Neither the user's nor the machine's configuration. */
export const ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
};

export async function commitPorts(
  path: string,
  { env = ENV, processes = denoProcesses() }: {
    env?: Readonly<Record<string, string>>;
    processes?: Processes;
  } = {},
) {
  const files = denoFiles();
  const folder = await openFolder(path);
  return {
    files,
    folder,
    git: gitOver(processes, env),
    repo: await gitOver(processes, env).open(path),
    commits: commitsOver({ processes, env, files, clock: systemClock }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

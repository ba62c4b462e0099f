/** What reaches remotes, without a login and without ssh. */
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { remotesOver } from "svc/platform/git/remote_repo.ts";
import type { Remotes } from "svc/platform/git/remotes.ts";
import { denoProcesses, type Processes } from "svc/platform/process/process.ts";
import { ENV } from "./commit_ports.ts";

/** @param home holds the clones and what lives as long as one command */
export const remotePorts = (
  home: string,
  processes: Processes = denoProcesses(),
  wholeFiles?: number,
  packAlways = false,
): Remotes =>
  remotesOver({
    ...(wholeFiles !== undefined && { wholeFiles }),
    packAlways,
    ...{ processes, files: denoFiles(), clock: systemClock, env: ENV, path: ENV.PATH },
    scratch: `${home}/traces`,
    runner: { processes, env: ENV },
    ssh: {},
    clones: () => `${home}/repos`,
    login: () => Promise.resolve(undefined),
  });

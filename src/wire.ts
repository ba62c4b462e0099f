/** Builds the App from the real platform. */
import type { App } from "svc/app.ts";
import { progressLine, silent } from "svc/cli/progress.ts";
import { redaction } from "svc/cli/redaction.ts";
import { INTERRUPT_GRACE_MS } from "svc/core/bounds.ts";
import { systemClock } from "svc/platform/clock.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import { denoFiles } from "svc/platform/files.ts";
import { hardenedGit } from "svc/platform/git.ts";
import { homeOf } from "svc/platform/home.ts";
import { type Interrupt, onInterrupt } from "svc/platform/interrupt.ts";
import { commandLog } from "svc/platform/log.ts";
import { denoProcesses } from "svc/platform/process.ts";

export interface Wiring {
  /** Command path; names the log. */
  readonly command: string;
  readonly logFile?: string;
  readonly quiet: boolean;
}

export async function wire(
  entrance: Entrance,
  { command, logFile, quiet }: Wiring,
): Promise<{ app: App; interrupt: Interrupt }> {
  const files = denoFiles();
  const clock = systemClock;
  const processes = denoProcesses();
  const redact = await redaction(entrance.env, files);
  const interrupt = onInterrupt(INTERRUPT_GRACE_MS);
  const watched = entrance.stderr.terminal && !quiet;
  const app: App = {
    ...entrance,
    get home() {
      return homeOf(entrance.env);
    },
    clock,
    files,
    processes,
    git: hardenedGit(processes, entrance.env),
    redact,
    log: commandLog({
      folder: homeOf(entrance.env).logs,
      ...(logFile !== undefined && { file: logFile }),
      command,
      clock,
      redact,
    }),
    progress: watched ? progressLine(entrance.stderr, clock) : silent,
    signal: interrupt.signal,
    async settings() {
      const { readConfig } = await entrance.load<
        typeof import("svc/features/settings/config_file.ts")
      >("src/features/settings/config_file");
      return await readConfig(files, this.home.config);
    },
    close() {
      app.progress.done();
      app.log.close();
      interrupt.close();
    },
  };
  return { app, interrupt };
}

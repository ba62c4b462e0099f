/** Loads what only jobs need: agent, tools, model client. */
import type { Entrance } from "svc/platform/entrance.ts";

type RunJob = typeof import("./run_job.ts");

/** Call it early, while git works; a second call costs nothing. */
export async function loadAgent({ load }: Pick<Entrance, "load">): Promise<RunJob> {
  const [runJob] = await Promise.all([
    load("src/runtime/job/run_job"),
    load("src/features/models/client/client"),
    load("src/features/models/local/preflight"),
  ]);
  return runJob;
}

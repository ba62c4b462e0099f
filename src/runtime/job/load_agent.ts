/** What a job needs of the program and a service that rests does without: agent, tools, model client. */
import type { Entrance } from "svc/platform/entrance.ts";

type RunJob = typeof import("./run_job.ts");

/** Begun early, it is over while git is waited for; again it costs nothing. */
export async function loadAgent({ load }: Pick<Entrance, "load">): Promise<RunJob> {
  const [runJob] = await Promise.all([
    load("src/runtime/job/run_job"),
    load("src/features/models/client/client"),
    load("src/features/models/local/preflight"),
  ]);
  return runJob;
}

/** Ends the work of an engine within a bounded time: jobs may end, are stopped, and are given back. */
import { STOP_AT_ONCE_MS, STOP_GRACE_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { release } from "svc/features/jobs/job_store.ts";
import { within } from "svc/platform/clock.ts";
import type { StopAsked } from "./engine_plan.ts";
import type { Floor } from "./engine_floor.ts";

export interface WindDown extends StopAsked {
  /** All workers and rounds. */
  readonly crew: Promise<unknown>;
  /** Makes the jobs give up. */
  halt(reason: Failure): void;
  /** Aborted by a second stop. */
  readonly hurry: AbortSignal;
}

/** Claims have stopped already. Never throws. */
export async function windDown(floor: Floor, plan: WindDown): Promise<void> {
  const { crew, halt, hurry, graceMs = STOP_GRACE_MS } = plan;
  const { times: { killMs }, ports: { clock } } = floor;
  if (await within(clock, graceMs, crew, hurry)) return;
  halt(new Failure("interrupted", "Stopped: svc ends"));
  // TERM, 5 s, KILL is the platform's; whoever is in a hurry gets KILL at once.
  if (!hurry.aborted && await within(clock, killMs, crew, hurry)) return;
  await sweepAll(floor);
  if (await within(clock, STOP_AT_ONCE_MS, crew)) return;
  for (const { job } of floor.inHand.values()) {
    const { db, log } = floor.ports;
    log.write("error", "a job did not stop in time", { job: job.id });
    // Its result is dropped from now on, whenever it comes.
    await release(db, job, clock.now()).catch((cause) => {
      log.write("error", "a lease could not be given back", { job: job.id, cause });
    });
  }
}

async function sweepAll({ inHand, ports: { log, processes, profile } }: Floor): Promise<void> {
  if (profile !== "host") return;
  await Promise.all([...inHand.keys()].map((id) =>
    processes.sweep(id).catch((cause) => {
      log.write("error", "what a job started could not be ended", { job: id, cause });
    })
  ));
}

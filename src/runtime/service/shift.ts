/** What a warm restart ends and begins anew: the engine, the schedules and the surveys of a service. */
import { STOP_AT_ONCE_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { JobBell } from "svc/features/jobs/job_bell.ts";
import { within } from "svc/platform/clock.ts";
import { type Engine, startEngine } from "svc/runtime/engine/engine.ts";
import type { StopAsked } from "svc/runtime/engine/engine_plan.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { runScheduler } from "./scheduler.ts";
import type { ServiceEvent, ServicePlan } from "./plan.ts";
import { runSurvey } from "./survey.ts";

/** Jobs that wait when a service begins go first; its schedules and surveys look no later than this. */
const LOOPS_LATER_MS = 2_000;

export interface Shift {
  readonly engine: Engine;
  /** Knows the last good manifests since it began. */
  readonly opener: RepoOpener;
  /** As `Engine.stop` when asked for the first time; later the same end. Never throws. */
  end(asked?: StopAsked): Promise<void>;
  /** Whatever runs ends within 2 s. Never throws. */
  hurry(): Promise<void>;
}

/** It works at once; schedules and surveys follow when no job waits any more. */
export function startShift(plan: ServicePlan, tell: (event: ServiceEvent) => void): Shift {
  const { ports, repos } = plan;
  const opener = new RepoOpener(ports);
  const engine = startEngine({ ...plan, on: tell });
  const over = new AbortController();
  // Their look at every repo would slow down what a killed service goes on with.
  const loops = within(ports.clock, LOOPS_LATER_MS, engine.idle(), over.signal)
    .catch(() => {}) // an engine that could not begin says so itself
    .then(() =>
      runLoops({ ...plan, ports: { ...ports, signal: over.signal } }, {
        repos,
        open: (row, options) => opener.open(row, options),
        manifestAt: (root) => opener.manifestAt(root),
        wake: () => engine.wake(),
        tell,
      })
    );
  let ended: Promise<void> | undefined;

  async function end(asked: StopAsked): Promise<void> {
    over.abort(new Failure("interrupted", "Stopped: svc ends"));
    await engine.stop(asked);
    // Git on a disk that does not answer must not keep a stop from ending.
    await within(ports.clock, STOP_AT_ONCE_MS, loops);
  }
  return {
    engine,
    opener,
    end: (asked = {}) => ended ??= end(asked),
    async hurry() {
      ended ??= end({ graceMs: 0 });
      engine.stop();
      await ended;
    },
  };
}

interface Loops {
  readonly repos: ServicePlan["repos"];
  readonly open: RepoOpener["open"];
  readonly manifestAt: RepoOpener["manifestAt"];
  wake(): void;
  tell(event: ServiceEvent): void;
}

type LoopPorts = Parameters<typeof runSurvey>[0] & Parameters<typeof runScheduler>[0];

/** They end with the signal of the ports, and never throw. */
async function runLoops(
  { ports }: { readonly ports: LoopPorts },
  { tell, ...plan }: Loops,
): Promise<void> {
  await Promise.all([
    runScheduler(ports, { ...plan, reload: new JobBell(), on: tell }),
    runSurvey(ports, { ...plan, on: (surveyed) => tell({ kind: "surveyed", surveyed }) }),
  ]);
}

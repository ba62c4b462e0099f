/** The parts of a service that a warm restart ends and begins again: engine, schedules, surveys and reports. */
import { STOP_AT_ONCE_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { WakeUp } from "svc/features/jobs/wake_up.ts";
import { type Repo, RepoOpener } from "svc/features/repos/repo.ts";
import { within } from "svc/platform/clock.ts";
import { whileLeading } from "svc/store/server_adapter.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { type Engine, startEngine } from "svc/runtime/engine/engine.ts";
import type { StopOptions } from "svc/runtime/engine/engine_plan.ts";
import type { SurveyMemory } from "./catch_up.ts";
import type { ServiceEvent, ServicePlan } from "./plan.ts";
import { runReports } from "./report_loop.ts";
import { runScheduler } from "./scheduler.ts";
import { runSurvey } from "./survey.ts";

/** Schedules and surveys start no later than this; the jobs that wait at the start go first. */
const LOOPS_LATER_MS = 2_000;

export interface ServiceLoops {
  readonly engine: Engine;
  /** Remembers the last good manifests since these loops began. */
  readonly opener: RepoOpener;
  /** Does what `Engine.stop` does; later calls await the same end. Never throws. */
  end(options?: StopOptions): Promise<void>;
  hurry(): Promise<void>;
}

async function missed(
  ports: RuntimePorts,
  repo: Repo,
  { wake, ...memory }: SurveyMemory & { wake(): void },
): Promise<void> {
  const { catchUp } = await ports.load("src/runtime/service/catch_up");
  const { requests } = await catchUp(ports, repo, memory);
  if (requests > 0) wake();
}

/** Folders of this machine are looked after here; repos that all nodes have, by one of them. */
function reposByKeeper(repos: ServicePlan["repos"]) {
  const those = (shared: boolean) => async () =>
    (await repos()).filter(({ url }) => (url !== null) === shared);
  return { own: those(false), shared: those(true) };
}

/** The engine works at once; schedules and surveys begin when no job waits any more. */
export function startLoops(plan: ServicePlan, tell: (event: ServiceEvent) => void): ServiceLoops {
  const { ports, repos, intake } = plan;
  const opener = new RepoOpener(ports);
  const own = new Set(intake?.own.map((name) => name.toLowerCase()));
  const memory: SurveyMemory = { own, asked: new Map() };
  let leading = false;
  const engine = startEngine({ ...plan, on: tell, leads: () => leading });
  const over = new AbortController();
  const kept = reposByKeeper(repos);

  async function oversee(repos: ServicePlan["repos"], signal: AbortSignal): Promise<void> {
    const loopPorts = { ...ports, signal };
    const wake = () => engine.wake();
    await Promise.all([
      runScheduler(loopPorts, {
        repos,
        manifestAt: (root) => opener.manifestAt(root),
        reload: new WakeUp(),
        wake,
        on: tell,
      }),
      runSurvey(loopPorts, {
        repos,
        open: (row, options) => opener.open(row, options),
        wake,
        ...(intake && ports.profile === "host" && {
          catchUp: (repo) => missed(loopPorts, repo, { ...memory, wake }),
        }),
        on: (surveyed) => tell({ kind: "surveyed", surveyed }),
      }),
    ]);
  }

  async function lead(signal: AbortSignal): Promise<void> {
    leading = true;
    engine.audit();
    await oversee(kept.shared, signal);
    leading = false;
  }

  async function runLoops(): Promise<void> {
    await Promise.all([
      oversee(kept.own, over.signal),
      whileLeading(ports.db, lead, over.signal),
      plan.reports && runReports({ ...ports, signal: over.signal }, {
        ...plan.reports,
        on: (sent) => tell({ kind: "reported", sent }),
      }),
    ]);
  }
  // Reading every repo would slow down the jobs that a killed service left.
  const loops = within(ports.clock, LOOPS_LATER_MS, engine.idle(), over.signal)
    .catch(() => {}) // an engine that could not begin says so itself
    .then(runLoops);
  let ended: Promise<void> | undefined;

  async function end(options: StopOptions): Promise<void> {
    over.abort(new Failure("interrupted", "Stopped: svc ends"));
    await engine.stop(options);
    // Git may hang on a disk that does not answer; that must not keep the service from stopping.
    await within(ports.clock, STOP_AT_ONCE_MS, loops);
  }
  return {
    engine,
    opener,
    end: (options = {}) => ended ??= end(options),
    async hurry() {
      ended ??= end({ graceMs: 0 });
      engine.stop();
      await ended;
    },
  };
}

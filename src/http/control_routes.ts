/** Controls of the living service; the gate has made sure of who asks. */
import { Failure, type FailureCode } from "svc/core/failure.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import { type Answer, answer, refusal } from "./answer.ts";
import type { Call, Served } from "./route.ts";

/** A restart that has not failed by then is answered as begun: it may wait for jobs to end. */
const RESTART_ANSWER_MS = 2_000;

export interface ControlPorts {
  readonly service: Pick<
    Service,
    | ("pause" | "resume" | "restart" | "stop" | "scan" | "runRole" | "cancelJob" | "emergencyStop")
    | "status"
  >;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Pick<Log, "write">;
}

const BY_HAND = "from the dashboard";

/** Failures that are about what was asked: their text helps, and tells of nothing else. */
const ASKED: readonly FailureCode[] = ["usage", "not_found", "conflict", "refused", "too_busy"];

type Done = Readonly<Record<string, unknown>>;
type Statuses = Readonly<Partial<Record<FailureCode, number>>>;

/** An unknown repo or role is a bad value (spec section 7). */
const BAD_VALUE: Statuses = { not_found: 400 };

/** Of a registered repo the API gives its name, never its path (spec section 2.2). */
async function withoutPaths({ service }: ControlPorts, text: string): Promise<string> {
  const { repos } = await service.status();
  return repos.toSorted((a, b) => b.root.length - a.root.length)
    .reduce((said, { root, basename }) => said.replaceAll(root, () => basename), text);
}

/** @param name of what fails: "scan the repo" */
function control(
  ports: ControlPorts,
  name: string,
  act: (call: Call) => Promise<Done | void>,
  statuses: Statuses = {},
): Served {
  return {
    async handle(call): Promise<Answer> {
      try {
        return answer(200, { ok: true, ...await act(call) });
      } catch (thrown) {
        const failure = Failure.from(thrown);
        if (ASKED.includes(failure.code)) {
          const said = await withoutPaths(ports, failure.message);
          return refusal(statuses[failure.code] ?? failure.http, said);
        }
        ports.log.write("error", `could not ${name}`, { cause: thrown });
        return refusal(500, `Cannot ${name}; the command log says why`);
      }
    },
  };
}

/** It may wait for jobs to end: what fails after the answer is logged. */
function restart(ports: ControlPorts): Served {
  const { service, clock, log } = ports;
  return control(ports, "restart svc", async () => {
    const ended = new AbortController();
    const running = service.restart().then(() => "running" as const);
    const late = clock.sleep(RESTART_ANSWER_MS, ended.signal).then(() => "restarting" as const);
    try {
      const state = await Promise.race([running, late]);
      if (state === "restarting") {
        running.catch((cause) => log.write("error", "the restart failed", { cause }));
      }
      return { state };
    } finally {
      ended.abort();
    }
  });
}

/** What went wrong is for the machine's owner alone (spec section 7). */
function emergencyStop({ service, log }: ControlPorts): Served {
  return {
    async handle() {
      try {
        await service.emergencyStop();
        return answer(200, { ok: true });
      } catch (cause) {
        log.write("error", "the emergency stop failed", { cause });
        const where = "inspect the owner-only command log on the machine that runs svc";
        return refusal(500, `The emergency stop failed; ${where}`);
      }
    },
  };
}

export function controlRoutes(ports: ControlPorts) {
  const { service } = ports;
  return {
    "POST /api/pause": control(ports, "pause", async () => {
      await service.pause(`paused ${BY_HAND}`);
      return { paused: true };
    }),
    "POST /api/resume": control(ports, "resume", async () => {
      await service.resume();
      return { paused: false };
    }),
    "POST /api/restart": restart(ports),
    "POST /api/stop": control(ports, "stop svc", () => {
      service.stop(); // never throws; when it is over nobody is left to answer
      return Promise.resolve({ state: "stopping" });
    }),
    "POST /api/scan": control(ports, "scan the repo", async ({ fields }) => {
      const { findings, created, deduplicated, stale } = await service.scan(fields.repo_id!);
      return { findings, created, deduplicated, stale };
    }, BAD_VALUE),
    "POST /api/run-role": control(ports, "queue the run", async ({ fields }) => {
      const { job, existed } = await service.runRole(fields.repo_id!, fields.role!);
      return { job_id: job, existed };
    }, BAD_VALUE),
    "POST /api/cancel-job": control(ports, "stop the job", async ({ fields }) => {
      await service.cancelJob(fields.job_id!, `stopped ${BY_HAND}`);
    }),
    "POST /api/emergency-stop": emergencyStop(ports),
  } as const satisfies Record<string, Served>;
}

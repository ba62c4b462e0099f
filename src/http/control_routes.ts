/** Controls of the living service; the gate has already checked who calls. */
import { Failure, type FailureCode } from "svc/core/failure.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import { answer, type HttpAnswer, refusal } from "./answer.ts";
import type { RouteCall, RouteHandler } from "./route.ts";

/** After this time a restart is answered as begun: it may wait for jobs to end. */
const RESTART_ANSWER_MS = 2_000;

export interface ControlPorts {
  readonly service: Pick<
    Service,
    | ("pause" | "resume" | "restart" | "stop" | "scan" | "runRole" | "cancelJob" | "emergencyStop")
    | ("answerTicket" | "tellJob" | "status")
  >;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Pick<Log, "write">;
}

const BY_HAND = "from the dashboard";

/** Failures caused by the request: their text helps, and reveals nothing else. */
const CALLER_FAULTS: readonly FailureCode[] = [
  "usage",
  "not_found",
  "conflict",
  "refused",
  "too_busy",
];

type ControlResult = Readonly<Record<string, unknown>>;
type StatusByCode = Readonly<Partial<Record<FailureCode, number>>>;

/** An unknown repo or role is a bad value, not a missing page (spec section 7). */
const BAD_VALUE: StatusByCode = { not_found: 400 };

/** Replaces the paths of registered repos by their names (spec section 2.2). */
async function withoutPaths({ service }: ControlPorts, text: string): Promise<string> {
  const { repos } = await service.status();
  return repos.toSorted((a, b) => b.root.length - a.root.length)
    .reduce((said, { root, basename }) => said.replaceAll(root, () => basename), text);
}

/** @param name as the error says it: "scan the repo" */
function control(
  ports: ControlPorts,
  name: string,
  act: (call: RouteCall) => Promise<ControlResult | void>,
  statuses: StatusByCode = {},
): RouteHandler {
  return {
    async handle(call): Promise<HttpAnswer> {
      try {
        return answer(200, { ok: true, ...await act(call) });
      } catch (thrown) {
        const failure = Failure.from(thrown);
        if (CALLER_FAULTS.includes(failure.code)) {
          const said = await withoutPaths(ports, failure.message);
          return refusal(statuses[failure.code] ?? failure.http, said);
        }
        ports.log.write("error", `could not ${name}`, { cause: thrown });
        return refusal(500, `Cannot ${name}; the command log says why`);
      }
    },
  };
}

function restart(ports: ControlPorts): RouteHandler {
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

/** Only the owner of the machine may see what went wrong (spec section 7). */
function emergencyStop({ service, log }: ControlPorts): RouteHandler {
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
      service.stop(); // never throws; not awaited, since nobody is left to answer afterwards
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
    "POST /api/answer-ticket": control(ports, "answer the ticket", async ({ fields }) => {
      const { repo_id, ticket_id, job_id, answer: text } = fields;
      await service.answerTicket(repo_id!, ticket_id!, { job: job_id!, text: text! });
    }),
    "POST /api/tell-job": control(ports, "tell the job", async ({ fields }) => {
      await service.tellJob(fields.job_id!, fields.note!);
    }),
    "POST /api/emergency-stop": emergencyStop(ports),
  } as const satisfies Record<string, RouteHandler>;
}

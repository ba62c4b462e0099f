/** Controls of the living service; the gate has already checked who calls. */
import type { Clock } from "svc/platform/clock.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import { answer, refusal } from "./answer.ts";
import { type JobRoutePorts, jobRoutes } from "./job_routes.ts";
import { BY_HAND, mutation, type MutationPorts } from "./mutation.ts";
import { type NodeRoutePorts, nodeRoutes } from "./node_routes.ts";
import type { RouteHandler } from "./route.ts";
import { type TicketRoutePorts, ticketRoutes } from "./ticket_routes.ts";

/** After this time a restart is answered as begun: it may wait for jobs to end. */
const RESTART_ANSWER_MS = 2_000;

type Asked =
  | ("pause" | "resume" | "restart" | "stop" | "emergencyStop")
  | ("scan" | "runRole" | "answerTicket");

export interface ControlPorts extends MutationPorts {
  readonly service:
    & JobRoutePorts["service"]
    & NodeRoutePorts["service"]
    & TicketRoutePorts["service"]
    & Pick<Service, Asked>;
  readonly clock: Pick<Clock, "sleep">;
}

/** An unknown repo or role is a bad value, not a missing page (spec section 7). */
const BAD_VALUE = { not_found: 400 } as const;

function restart(ports: ControlPorts): RouteHandler {
  const { service, clock, log } = ports;
  return mutation(ports, "restart svc", async () => {
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
    ...jobRoutes(ports),
    ...nodeRoutes(ports),
    ...ticketRoutes(ports),
    "POST /api/pause": mutation(ports, "pause", async () => {
      await service.pause(`paused ${BY_HAND}`);
      return { paused: true };
    }),
    "POST /api/resume": mutation(ports, "resume", async () => {
      await service.resume();
      return { paused: false };
    }),
    "POST /api/restart": restart(ports),
    "POST /api/stop": mutation(ports, "stop svc", () => {
      service.stop(); // never throws; not awaited, since nobody is left to answer afterwards
      return Promise.resolve({ state: "stopping" });
    }),
    "POST /api/scan": mutation(ports, "scan the repo", async ({ fields }) => {
      const { findings, created, deduplicated, stale } = await service.scan(fields.repo_id!);
      return { findings, created, deduplicated, stale };
    }, BAD_VALUE),
    "POST /api/run-role": mutation(ports, "queue the run", async ({ fields }) => {
      const { job, existed } = await service.runRole(fields.repo_id!, fields.role!);
      return { job_id: job, existed };
    }, BAD_VALUE),
    "POST /api/answer-ticket": mutation(ports, "answer the ticket", async ({ fields }) => {
      const { repo_id, ticket_id, job_id, answer: text } = fields;
      await service.answerTicket(repo_id!, ticket_id!, { job: job_id!, text: text! });
    }),
    "POST /api/emergency-stop": emergencyStop(ports),
  } as const satisfies Record<string, RouteHandler>;
}

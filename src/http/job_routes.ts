/** Controls of single jobs; the gate has already checked who calls. */
import { STOPPED_AT_PAGE } from "svc/features/jobs/ended_by_hand.ts";
import { cancelReason, type JobControls } from "svc/runtime/service/job_asks.ts";
import { mutation, type MutationPorts } from "./mutation.ts";
import type { JOB_OPERATIONS } from "./job_operations.ts";
import type { RouteHandler } from "./route.ts";

export interface JobRoutePorts extends MutationPorts {
  readonly service: MutationPorts["service"] & JobControls;
}

export function jobRoutes(ports: JobRoutePorts) {
  const { service } = ports;
  return {
    "POST /api/cancel-job": mutation(ports, "stop the job", async ({ fields }) => {
      await service.cancelJob(
        fields.job_id!,
        cancelReason(STOPPED_AT_PAGE, fields.reason),
      );
    }),
    "POST /api/retry-job": mutation(ports, "retry the job", async ({ fields }) => {
      const { job, existed } = await service.retryJob(fields.job_id!);
      return { job_id: job, existed };
    }, { conflict: 409 }),
    "POST /api/tell-job": mutation(ports, "tell the job", async ({ fields }) => {
      await service.tellJob(fields.job_id!, fields.note!);
    }),
  } as const satisfies Record<keyof typeof JOB_OPERATIONS, RouteHandler>;
}

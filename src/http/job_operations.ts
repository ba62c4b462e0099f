/** The operations on single jobs, as data. */
import { type ApiOperation, control, fields, fieldsAnd } from "./operation.ts";

const JOB = { missing: "no such job" } as const;

export const JOB_OPERATIONS = {
  "POST /api/cancel-job": {
    ...control(
      "Ends one job: if it runs it is stopped, if it waits it never starts. `reason` is stored with it.",
    ),
    body: fieldsAnd(["job_id"], ["reason"]),
    ...JOB,
  },
  "POST /api/retry-job": {
    ...control(
      "Queues an ended job once more, with the same inputs. `existed`: a retry of it was queued already, " +
        "and no second one is added. Refused (409), with the reason, where its ticket is done or blocked, " +
        "another job does the work, or its role or model is held back.",
      (z) => ({ job_id: z.string(), existed: z.boolean() }),
    ),
    body: fields("job_id"),
    ...JOB,
    conflict: "it cannot be done once more now, for the reason that is told",
  },
  "POST /api/tell-job": {
    ...control("Tells a running job something, which its role reads before its next turn."),
    body: fields("job_id", "note"),
    ...JOB,
  },
} as const satisfies Record<`POST /api/${string}`, ApiOperation>;

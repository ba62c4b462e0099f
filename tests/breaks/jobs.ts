/** Breaks of what people ask of single jobs, at the command line and in the dashboard. */
import type { Break } from "./break.ts";

export const JOBS: readonly Break[] = [
  {
    ids: ["3.2:stop:normal-cancellation"],
    file: "src/runtime/service/service.ts",
    find: `data.includes('"cancel_requested":true')`,
    put: "data === null",
  },
  {
    ids: ["4.3:mutation:success-body"],
    file: "src/runtime/service/retry_job.ts",
    find: "if (twin !== undefined) return { job: twin.id, existed: true };",
    put: "",
  },
  {
    ids: ["4.3:mutation:success-body"],
    file: "src/runtime/service/retry_job.ts",
    find: "trust: job.source_trust,",
    put: 'trust: "contributor",',
  },
  {
    ids: ["4.3:mutation:failure-body"],
    file: "src/runtime/service/retry_job.ts",
    find: 'if (state === "done") throw',
    put: 'if (state === "blocked") throw',
  },
];

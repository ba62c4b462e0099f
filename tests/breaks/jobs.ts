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
  {
    ids: ["4.5:start:json"],
    file: "src/cli/service/event_lines.ts",
    find: "if (this.#early !== undefined) return void this.#early.push(event);",
    put: "",
  },
  {
    ids: ["1:output:json"],
    file: "src/cli/perform.ts",
    find: "{ ok: exit === 0, ...command.result(z).parse(result) }",
    put: "command.result(z).parse(result)",
  },
  {
    ids: ["1:repo-flag:absolute-path"],
    file: "src/cli/page/open_page.ts",
    find: "    nextLine: (command) => nextLine(command, given),\n",
    put: "",
  },
  {
    ids: ["6:runtime-events:jobs"],
    file: "src/cli/jobs/follow.ts",
    find: "if (over || abandoned) return { ...last, job, abandoned };",
    put: "if (abandoned) return { ...last, job, abandoned };",
  },
  {
    ids: ["3.2:stop:normal-cancellation"],
    file: "src/runtime/job/work_end.ts",
    find: "return cancel_requested === 1 && reason ? { ...end, evidence: reason } : end;",
    put: "return end;",
  },
];

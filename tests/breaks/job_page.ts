/** Breaks of the page of a job, of the reads behind it, and of the list of jobs. */
import type { Break } from "./break.ts";

export const JOB_PAGE = [
  {
    ids: ["2.2:registered-repo:path-not-exposed"],
    file: "src/runtime/views/job_trace_view.ts",
    find: `  const whole = discreet(text);`,
    put: `  const whole = text;`,
  },
  {
    ids: ["4.2:debug:page"],
    file: "src/features/agent/trace_index.ts",
    find: "    const index = known?.isOf(facts) ? known : new TraceIndex(facts);",
    put: "    const index = new TraceIndex(facts);",
  },
  {
    ids: ["4.2:debug:page"],
    file: "src/features/agent/trace_index.ts",
    find: "Math.min(TRACE_PIECE_BYTES, size - at)",
    put: "size - at",
  },
  {
    ids: ["4.2:debug:page"],
    file: "src/runtime/views/job_trace_view.ts",
    find: "most: Math.min(asked, TRACE_STEPS_A_PIECE)",
    put: "most: asked + TRACE_STEPS_A_PIECE",
  },
  {
    ids: ["4.2:debug:page"],
    file: "src/features/jobs/job_views.ts",
    find: 'word.toLowerCase().replaceAll(/[\\\\%_]/g, "\\\\$&")',
    put: "word.toLowerCase()",
  },
  {
    ids: ["4.2:debug:page"],
    file: "src/dashboard/parts/step_list.tsx",
    find: "if (scrollY < scrolled.current - 1) follows.value = false;",
    put: "if (scrollY < -1) follows.value = false;",
  },
  {
    ids: ["4.2:debug:page"],
    file: "src/dashboard/state/trace.ts",
    find: "Math.max(0, known - MAY_CHANGE)",
    put: "known",
  },
  {
    ids: ["4.2:debug:page"],
    file: "src/dashboard/parts/job_pages.tsx",
    find: 'if (search !== "") query.set("search", search);',
    put: "",
  },
  {
    ids: ["4.2:debug:page"],
    file: "src/dashboard/parts/decision.tsx",
    find: "<h3>Facts</h3>",
    put: "<h5>Facts</h5>",
  },
  {
    ids: ["4.2:orchestration:page"],
    file: "src/dashboard/pages/orchestration.tsx",
    find: "const BOARDS_OPEN = 2;",
    put: "const BOARDS_OPEN = 20;",
  },
] as const satisfies readonly Break[];

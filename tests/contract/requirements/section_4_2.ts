/** Promises of spec section 4.2: the pages. */
import type { Requirement } from "./requirement.ts";

export const SECTION_4_2 = [
  {
    id: "4.2:root:redirects-to-pipeline",
    section: "4.2",
    promise: "`GET /` redirects to `/pipeline`.",
  },
  {
    id: "4.2:pipeline:page",
    section: "4.2",
    promise: "`GET /pipeline` answers the Pipeline Flow page as HTML.",
  },
  {
    id: "4.2:pipeline:shows-role-routing",
    section: "4.2",
    promise: "The Pipeline Flow page shows how roles route to each other.",
  },
  {
    id: "4.2:pipeline:shows-current-state",
    section: "4.2",
    promise: "The Pipeline Flow page shows the current state.",
  },
  {
    id: "4.2:pipeline:shows-next-trigger",
    section: "4.2",
    promise: "The Pipeline Flow page shows the next trigger.",
  },
  {
    id: "4.2:pipeline:shows-scores-and-trust",
    section: "4.2",
    promise: "The Pipeline Flow page shows scores and trust.",
  },
  {
    id: "4.2:orchestration:page",
    section: "4.2",
    promise: "`GET /orchestration` answers an HTML page with dispatch mode and topology.",
  },
  {
    id: "4.2:orchestration:shows-decisions",
    section: "4.2",
    promise: "The orchestration page shows recent route decisions and stop reasons.",
  },
  {
    id: "4.2:roles:page",
    section: "4.2",
    promise: "`GET /roles` answers the Role Health page as HTML.",
  },
  {
    id: "4.2:throughput:page",
    section: "4.2",
    promise: "`GET /throughput` answers the Throughput page as HTML.",
  },
  {
    id: "4.2:debug:page",
    section: "4.2",
    promise: "`GET /debug` answers an HTML page with timeline, trace, webhook and error views.",
  },
  {
    id: "4.2:evolution:page",
    section: "4.2",
    promise: "`GET /evolution` answers the Evolution History page as HTML.",
  },
] as const satisfies readonly Requirement[];

/** All breaks, in the order of the specification. */
import type { Break } from "./break.ts";
import { SECTION_3 } from "./section_3.ts";
import { SECTION_4_5_RUN } from "./section_4_5_run.ts";

export const BREAKS: readonly Break[] = [...SECTION_3, ...SECTION_4_5_RUN];

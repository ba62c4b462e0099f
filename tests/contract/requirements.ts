/** Every promise of the specification by id; a test cites the ids that it proves. */
import { SECTION_1 } from "./requirements/section_1.ts";
import { SECTION_2 } from "./requirements/section_2.ts";
import { SECTION_3 } from "./requirements/section_3.ts";
import { SECTION_4_1 } from "./requirements/section_4_1.ts";
import { SECTION_4_2 } from "./requirements/section_4_2.ts";
import { SECTION_4_3 } from "./requirements/section_4_3.ts";
import { SECTION_4_4 } from "./requirements/section_4_4.ts";
import { SECTION_4_5_ACCESS } from "./requirements/section_4_5_access.ts";
import { SECTION_4_5_EVIDENCE } from "./requirements/section_4_5_evidence.ts";
import { SECTION_4_5_MACHINE } from "./requirements/section_4_5_machine.ts";
import { SECTION_4_5_MODELS } from "./requirements/section_4_5_models.ts";
import { SECTION_4_5_OPERATE } from "./requirements/section_4_5_operate.ts";
import { SECTION_4_5_RELEASE } from "./requirements/section_4_5_release.ts";
import { SECTION_4_5_RUN } from "./requirements/section_4_5_run.ts";
import { SECTION_4_5_TARGET } from "./requirements/section_4_5_target.ts";
import { SECTION_5 } from "./requirements/section_5.ts";
import { SECTION_6 } from "./requirements/section_6.ts";
import { SECTION_7 } from "./requirements/section_7.ts";
import { SECTION_8 } from "./requirements/section_8.ts";
import { SECTION_9 } from "./requirements/section_9.ts";

export type { Requirement } from "./requirements/requirement.ts";

/** In the order of the specification; a promise that it repeats stands where it is told in full. */
export const REQUIREMENTS = [
  ...SECTION_1,
  ...SECTION_2,
  ...SECTION_3,
  ...SECTION_4_1,
  ...SECTION_4_2,
  ...SECTION_4_3,
  ...SECTION_4_4,
  ...SECTION_4_5_MACHINE,
  ...SECTION_4_5_ACCESS,
  ...SECTION_4_5_TARGET,
  ...SECTION_4_5_OPERATE,
  ...SECTION_4_5_RUN,
  ...SECTION_4_5_MODELS,
  ...SECTION_4_5_EVIDENCE,
  ...SECTION_4_5_RELEASE,
  ...SECTION_5,
  ...SECTION_6,
  ...SECTION_7,
  ...SECTION_8,
  ...SECTION_9,
] as const;

export type RequirementId = (typeof REQUIREMENTS)[number]["id"];

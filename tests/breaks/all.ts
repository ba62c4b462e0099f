/** All breaks, in the order of the specification. */
import type { Break } from "./break.ts";
import { CODE_HOSTS } from "./code_hosts.ts";
import { FLEET } from "./fleet.ts";
import { MONEY } from "./money.ts";
import { INBOX } from "./inbox.ts";
import { JOBS } from "./jobs.ts";
import { JOB_PAGE } from "./job_page.ts";
import { POSTGRES_BREAKS } from "./postgres.ts";
import { SCANS } from "./scans.ts";
import { SECTION_1_2 } from "./section_1_2.ts";
import { SECTION_3 } from "./section_3.ts";
import { SECTION_4_1_2_4 } from "./section_4_1_2_4.ts";
import { SECTION_4_3_ANSWERS } from "./section_4_3_answers.ts";
import { SECTION_4_3_GATE } from "./section_4_3_gate.ts";
import { SECTION_4_5_ACCESS } from "./section_4_5_access.ts";
import { SECTION_4_5_DOWNLOAD } from "./section_4_5_download.ts";
import { SECTION_4_5_EVIDENCE } from "./section_4_5_evidence.ts";
import { SECTION_4_5_MACHINE } from "./section_4_5_machine.ts";
import { SECTION_4_5_MODELS } from "./section_4_5_models.ts";
import { SECTION_4_5_RELEASE } from "./section_4_5_release.ts";
import { SECTION_4_5_RUN } from "./section_4_5_run.ts";
import { SECTION_4_5_SETUP } from "./section_4_5_setup.ts";
import { SECTION_4_5_TARGET } from "./section_4_5_target.ts";
import { SECTION_4_5_VALIDATION } from "./section_4_5_validation.ts";
import { SECTION_4_5_TELEMETRY } from "./section_4_5_telemetry.ts";
import { SECTION_5_6 } from "./section_5_6.ts";
import { SECTION_7_8 } from "./section_7_8.ts";
import { SERVICES } from "./services.ts";
import { TICKETS } from "./tickets.ts";
import { TEAM_BREAKS } from "./team.ts";
import { TEAM_WORK } from "./team_work.ts";
import { TICKET_PAGE } from "./ticket_page.ts";

export const BREAKS: readonly Break[] = [
  ...SECTION_1_2,
  ...SECTION_3,
  ...SECTION_4_1_2_4,
  ...SECTION_4_3_GATE,
  ...SECTION_4_3_ANSWERS,
  ...SECTION_4_5_MACHINE,
  ...SECTION_4_5_SETUP,
  ...SECTION_4_5_ACCESS,
  ...SECTION_4_5_DOWNLOAD,
  ...SECTION_4_5_TARGET,
  ...SECTION_4_5_EVIDENCE,
  ...SECTION_4_5_RUN,
  ...SECTION_4_5_MODELS,
  ...SECTION_4_5_RELEASE,
  ...SECTION_4_5_VALIDATION,
  ...SECTION_4_5_TELEMETRY,
  ...SECTION_5_6,
  ...CODE_HOSTS,
  ...SECTION_7_8,
  ...SERVICES,
  ...MONEY,
  ...JOBS,
  ...INBOX,
  ...JOB_PAGE,
  ...TICKET_PAGE,
  ...POSTGRES_BREAKS,
  ...FLEET,
  ...TEAM_BREAKS,
  ...TEAM_WORK,
  ...TICKETS,
  ...SCANS,
];

/** Whether a person ended a job: then nobody but a person has its ticket worked on again. */
import type { Job } from "./job_table.ts";

/** How the reason of such a job begins; the author's name follows the first. */
export const CANCELLED_BY = "cancelled by";
export const STOPPED_AT_PAGE = "stopped from the dashboard";

export const endedByHand = ({ disposition, reason }: Pick<Job, "disposition" | "reason">) =>
  disposition === "cancelled" && reason !== null &&
  (reason.startsWith(`${CANCELLED_BY} `) || reason.startsWith(STOPPED_AT_PAGE));

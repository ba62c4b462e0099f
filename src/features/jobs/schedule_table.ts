/** Cron schedules, each with the time up to which its ticks have been handled. */
import { integer, type Row, text } from "svc/store/columns.ts";

export const table = {
  name: "schedules",
  columns: {
    repo_id: text(),
    role: text(),
    /** Cron fields and, where the manifest names one, the time zone: "0 6 * * 1 Europe/Berlin". */
    schedule: text(),
    /** Epoch ms: ticks up to here have queued their job, or never will. */
    counted_to: integer(),
  },
};
export type ScheduleRow = Row<typeof table>;

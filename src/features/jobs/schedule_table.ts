/** Schedules (domain: triggers): how far the ticks of each are dealt with. */
import type { Table } from "svc/store/columns.ts";

export interface ScheduleTable {
  repo_id: string;
  role: string;
  /** Cron fields and, where the manifest names one, the time zone: "0 6 * * 1 Europe/Berlin". */
  schedule: string;
  /** Epoch ms: ticks up to here gave their job, or never will. */
  counted_to: number;
}
export type ScheduleRow = ScheduleTable;

export const table: Table<ScheduleTable> = {
  name: "schedules",
  columns: {
    repo_id: "TEXT NOT NULL",
    role: "TEXT NOT NULL",
    schedule: "TEXT NOT NULL",
    counted_to: "INTEGER NOT NULL",
  },
};

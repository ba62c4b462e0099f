/** How far anonymous reports have come; one row. */
import { integer, integerOrNull, type Row, text } from "svc/store/columns.ts";

export const table = {
  name: "telemetry_state",
  columns: {
    id: integer(),
    /** Random; it goes into the ids of reports and never leaves the machine. */
    key: text(),
    /** Epoch ms, as all times here: jobs that ended until then have been reported. */
    reported_until: integerOrNull(),
    /** When a service last looked for something to report. */
    looked_at: integerOrNull(),
    /** Tries to send in a row that failed, and the time of the next one. */
    failures: integer(),
    retry_at: integerOrNull(),
  },
};
export type ReportState = Row<typeof table>;

/** What a person says to a job: read before its next turn, or by the ticket's next job. */
import { integer, integerOrNull, type Row, text, textOrNull } from "svc/store/columns.ts";

export const table = {
  name: "job_notes",
  columns: {
    id: text(),
    job_id: text(),
    author: text(),
    /** Redacted. */
    text: text(),
    /** Epoch ms. */
    told_at: integer(),
    /** The job whose role read it; another one's where its own had ended before. */
    read_by: textOrNull(),
    /** Set with `read_by`. */
    read_at: integerOrNull(),
  },
};
export type JobNote = Row<typeof table>;

/** Which times retention believes, and when it last ran; one row. */
import { integer, integerOrNull, type Row } from "svc/store/columns.ts";

export const table = {
  name: "retention_state",
  columns: {
    id: integer(),
    /** Epoch ms: the newest time of a clock that did not jump. */
    believed_at: integerOrNull(),
    /** Epoch ms: what the clock said when it had jumped ahead. */
    doubted_at: integerOrNull(),
    /** Epoch ms: when a run began that came to its end; of one that did not, a time that makes another due soon. */
    ran_at: integerOrNull(),
  },
};
export type RetentionState = Row<typeof table>;

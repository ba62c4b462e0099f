/** Paused lanes: each holds back the jobs of one model, or of one role on one repo. */
import type { FailureCategory } from "svc/core/disposition.ts";
import { integer, integerOrNull, type Row, text, textOrNull } from "svc/store/columns.ts";

export type LaneKind = "model" | "role";

export const table = {
  name: "lanes",
  columns: {
    kind: text<LaneKind>(),
    /** A job's `lane`, or `<repo id>/<role>`. */
    key: text(),
    reason: text(),
    category: textOrNull<FailureCategory>(),
    paused_at: integer(),
    /** Epoch ms; null: until a person resumes the lane. */
    until: integerOrNull(),
  },
};
export type Lane = Row<typeof table>;

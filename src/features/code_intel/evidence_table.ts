/** Evidence about code-graph assistance: one row for each ended job, assisted or not. */
import { integer, integerOrNull, type Row, text } from "svc/store/columns.ts";

export const table = {
  name: "code_evidence",
  columns: {
    job_id: text(),
    assisted: integer<0 | 1>(),
    /** JSON list of paths, best first; empty without assistance. */
    offered: text(),
    /** In ms; set exactly with assistance. */
    offered_ms: integerOrNull(),
    /** JSON list of paths, at most `CODE_EVIDENCE_PATHS`. */
    changed: text(),
    changed_files: integer(),
    hits: integer(),
    /** From 1; null when no file tool changed a file. */
    first_edit_turn: integerOrNull(),
    /** Calls of read-only tools before that turn, or in the whole run when there was none. */
    reads_before_edit: integer(),
  },
};
export type CodeEvidence = Row<typeof table>;

/** Evidence about code-graph assistance: one row for each ended job, assisted or not. */
import { integer, integerOrNull, type Row, text } from "svc/store/columns.ts";

export const table = {
  name: "code_evidence",
  columns: {
    job_id: text(),
    /** 1: its prompt named the files in `offered`. */
    assisted: integer<0 | 1>(),
    /** JSON list of paths, best first; empty without assistance. */
    offered: text(),
    /** Time that finding them took, in ms; set exactly with assistance. */
    offered_ms: integerOrNull(),
    /** JSON list of paths that its commits changed, at most `CODE_EVIDENCE_PATHS`. */
    changed: text(),
    changed_files: integer(),
    /** How many of the changed files were offered. */
    hits: integer(),
    /** Turn, from 1, in which a file tool first changed a file; null when none did. */
    first_edit_turn: integerOrNull(),
    /** Calls of read-only tools before that turn, or in the whole run when there was none. */
    reads_before_edit: integer(),
  },
};
export type CodeEvidence = Row<typeof table>;

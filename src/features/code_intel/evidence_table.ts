/** What code-graph assistance came to in a job that has ended, with it or without. */
import type { Table } from "svc/store/columns.ts";

export interface EvidenceTable {
  job_id: string;
  /** 1: its prompt named the files in `offered`. */
  assisted: 0 | 1;
  /** JSON list of paths, best first; empty without assistance. */
  offered: string;
  /** What finding them took, in ms; exactly with assistance. */
  offered_ms: number | null;
  /** JSON list of the paths that its commits changed, the first `CODE_EVIDENCE_PATHS` of them. */
  changed: string;
  changed_files: number;
  /** How many of the changed files were offered. */
  hits: number;
  /** From 1: the turn in which a file tool first changed a file; null where none did. */
  first_edit_turn: number | null;
  /** Calls of tools that only read, before that turn; of the whole run where there was none. */
  reads_before_edit: number;
}
export type Evidence = EvidenceTable;

export const table: Table<EvidenceTable> = {
  name: "code_evidence",
  columns: {
    job_id: "TEXT NOT NULL",
    assisted: "INTEGER NOT NULL",
    offered: "TEXT NOT NULL",
    offered_ms: "INTEGER",
    changed: "TEXT NOT NULL",
    changed_files: "INTEGER NOT NULL",
    hits: "INTEGER NOT NULL",
    first_edit_turn: "INTEGER",
    reads_before_edit: "INTEGER NOT NULL",
  },
};

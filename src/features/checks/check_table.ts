/** Recorded checks (spec section 2.2): one row for each finished run of a command in a repo. */
import type { Table } from "svc/store/columns.ts";

export const OUTCOMES = ["passed", "checks_failed"] as const;
export type Outcome = typeof OUTCOMES[number];

/** How the command came to its end. */
export const ENDINGS = ["exited", "signalled", "timed_out", "crowded", "not_started"] as const;
export type Ending = typeof ENDINGS[number];

export interface CheckTable {
  /** UUIDv7. */
  id: string;
  repo_id: string;
  name: string;
  role: string;
  /** The words of the command as a JSON array, redacted. */
  command: string;
  outcome: Outcome;
  ending: Ending;
  /** Exactly when `ending` is `exited`. */
  exit_code: number | null;
  /** Such as "SIGKILL"; exactly when `ending` is `signalled`. */
  signal: string | null;
  /** Why it failed, in words; null when it passed. */
  reason: string | null;
  /** Epoch ms. */
  started_at: number;
  duration_ms: number;
  log_path: string;
}
export type Check = CheckTable;

export const table: Table<CheckTable> = {
  name: "checks",
  columns: {
    id: "TEXT NOT NULL",
    repo_id: "TEXT NOT NULL",
    name: "TEXT NOT NULL",
    role: "TEXT NOT NULL",
    command: "TEXT NOT NULL",
    outcome: "TEXT NOT NULL",
    ending: "TEXT NOT NULL",
    exit_code: "INTEGER",
    signal: "TEXT",
    reason: "TEXT",
    started_at: "INTEGER NOT NULL",
    duration_ms: "INTEGER NOT NULL",
    log_path: "TEXT NOT NULL",
  },
};

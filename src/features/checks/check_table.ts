/** Recorded checks (spec section 2.2): one row for each finished run of a command in a repo. */
import { integer, integerOrNull, type Row, text, textOrNull } from "svc/store/columns.ts";

export const OUTCOMES = ["passed", "checks_failed"] as const;
type CheckOutcome = typeof OUTCOMES[number];

export const ENDINGS = ["exited", "signalled", "timed_out", "crowded", "not_started"] as const;
type CheckEnding = typeof ENDINGS[number];

export const table = {
  name: "checks",
  columns: {
    id: text(),
    repo_id: text(),
    name: text(),
    role: text(),
    /** The words of the command as a JSON array, redacted. */
    command: text(),
    outcome: text<CheckOutcome>(),
    ending: text<CheckEnding>(),
    exit_code: integerOrNull(),
    /** Such as "SIGKILL"; set exactly when `ending` is `signalled`. */
    signal: textOrNull(),
    reason: textOrNull(),
    /** Epoch ms. */
    started_at: integer(),
    duration_ms: integer(),
    log_path: text(),
  },
};
export type Check = Row<typeof table>;

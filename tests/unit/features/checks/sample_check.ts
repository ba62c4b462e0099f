/** A check that passed, with what a test wants otherwise. */
import { uuidV7 } from "svc/core/ids.ts";
import type { Check } from "svc/features/checks/check_table.ts";

export function check(other: Partial<Check> = {}): Check {
  return {
    id: uuidV7(Date.now()),
    repo_id: "0123456789ab",
    name: "test",
    role: "engineer",
    command: '["make","test"]',
    outcome: "passed",
    ending: "exited",
    exit_code: 0,
    signal: null,
    reason: null,
    started_at: 1000,
    duration_ms: 20,
    log_path: "/logs/a.log",
    ...other,
  };
}

/** Sample checks, and those of a repo as they are stored. */
import { uuidV7 } from "svc/core/ids.ts";
import { checksWithin } from "svc/features/checks/check_store.ts";
import type { Check } from "svc/features/checks/check_table.ts";
import type { Db } from "svc/store/schema.ts";

/** A check that passed, but for `other`. */
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

/** Checks of the engineer, oldest first. */
export function checksOf(db: Db, repoId: string, limit = 10): Promise<Check[]> {
  return checksWithin(db, {
    repoId,
    role: "engineer",
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    limit,
  });
}

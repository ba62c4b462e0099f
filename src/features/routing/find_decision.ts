/** Finds decisions by what a person has at hand: the id of one, of its job, or the end of either. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Db } from "svc/store/schema.ts";
import { decisionsNamed } from "./decision_store.ts";
import type { Decision } from "./decision_table.ts";

/** Short ends are what lists show. */
const SHORTEST = 6;

/**
 * Oldest first; all of one job.
 * @throws Failure `not_found`; `usage` for a text that is no id; `conflict` when several jobs fit
 */
export async function findDecisions(db: Db, named: string): Promise<Decision[]> {
  if (!new RegExp(`^[0-9a-f-]{${SHORTEST},36}$`).test(named)) {
    throw new Failure(
      "usage",
      `Cannot explain ${quoted(named)}: it is no id of a job or decision`,
      {
        remedy: `Give the id, or at least its last ${SHORTEST} characters`,
      },
    );
  }
  const found = await decisionsNamed(db, named);
  const jobs = new Set(found.map(({ job_id }) => job_id));
  if (jobs.size > 1) {
    throw new Failure(
      "conflict",
      `Cannot tell which job ${quoted(named)} means: ${jobs.size} fit`,
      {
        remedy: `Give more of it: ${[...jobs].slice(0, 3).join(", ")}`,
      },
    );
  }
  if (found.length > 0) return found;
  throw new Failure("not_found", `Cannot find a decision or job ${quoted(named)}`, {
    remedy: "Pass --db when it ran under another database",
  });
}

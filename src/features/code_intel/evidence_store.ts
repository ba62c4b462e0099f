/** The only module that writes the `code_evidence` table. */
import type { Db } from "svc/store/schema.ts";
import type { CodeEvidence } from "./evidence_table.ts";

export async function recordEvidence(db: Db, evidence: CodeEvidence): Promise<void> {
  await db.insertInto("code_evidence").values(evidence)
    .onConflict((conflict) => conflict.doNothing()).execute();
}

/** @param since epoch ms */
export async function evidenceSince(
  db: Db,
  { repoId, since }: { readonly repoId: string; readonly since: number },
): Promise<readonly (CodeEvidence & { readonly turns: number })[]> {
  return await db.selectFrom("code_evidence").innerJoin("jobs", "jobs.id", "code_evidence.job_id")
    .selectAll("code_evidence").select("jobs.turns")
    .where("jobs.repo_id", "=", repoId).where("jobs.finished_at", ">=", since).execute();
}

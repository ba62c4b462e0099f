/** The only module that writes the `merge_checks` table. */
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { MergeCheck } from "./merge_check_table.ts";
import type { Settlement } from "./settlement_table.ts";

export function mergeCheckOf(db: Db, settlementId: string): Promise<MergeCheck | undefined> {
  return db.selectFrom("merge_checks").selectAll().where("settlement_id", "=", settlementId)
    .executeTakeFirst();
}

type WantedCheck = Pick<MergeCheck, "settlement_id" | "repo_id" | "into_commit" | "files" | "at">;

/** What was found out of other files counts no more; of the same files it stays. */
export async function wantMergeCheck(db: Db, wanted: WantedCheck): Promise<void> {
  const { into_commit, files, at } = wanted;
  await db.insertInto("merge_checks").values({ ...wanted, owner: null, outcome: null, said: null })
    .onConflict((conflict) =>
      conflict.column("settlement_id")
        .doUpdateSet({ into_commit, files, at, outcome: null, said: null })
        .where("merge_checks.files", "<>", files)
    ).execute();
}

type OwedCheck = MergeCheck & Pick<Settlement, "job_id">;

/** Oldest settlement first. */
export function wantedMergeChecks(db: Db, repoId: string): Promise<OwedCheck[]> {
  return db.selectFrom("merge_checks")
    .innerJoin("settlements", "settlements.id", "merge_checks.settlement_id")
    .selectAll("merge_checks").select("settlements.job_id")
    .where("merge_checks.repo_id", "=", repoId).where("merge_checks.outcome", "is", null)
    .where("settlements.state", "=", "pending").orderBy("settlement_id").execute();
}

export function runningMergeCheck(db: Db, repoId: string): Promise<MergeCheck | undefined> {
  return db.selectFrom("merge_checks").selectAll().where("repo_id", "=", repoId)
    .where("owner", "is not", null).executeTakeFirst();
}

/** In one statement. False while another check of the repo runs, or when this one is not wanted any more. */
export async function claimMergeCheck(
  db: Db,
  { settlement_id, repo_id, files }: Pick<MergeCheck, "settlement_id" | "repo_id" | "files">,
  owner: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE merge_checks SET owner = ${owner}
    WHERE settlement_id = ${settlement_id} AND files = ${files} AND outcome IS NULL
    AND NOT EXISTS (SELECT 1 FROM merge_checks AS other
      WHERE other.repo_id = ${repo_id} AND other.owner IS NOT NULL)`.execute(db);
  return numAffectedRows === 1n;
}

/** Not told where other files are wanted by now: the merge has to be checked again. */
export async function endMergeCheck(
  db: Db,
  { settlement_id, files }: Pick<MergeCheck, "settlement_id" | "files">,
  owner: string,
  { outcome, said }: {
    readonly outcome: NonNullable<MergeCheck["outcome"]>;
    readonly said: string;
  },
): Promise<void> {
  await db.updateTable("merge_checks").set({ owner: null, outcome, said })
    .where("settlement_id", "=", settlement_id).where("owner", "=", owner)
    .where("files", "=", files).execute();
}

/** Lets another process have it; after `endMergeCheck` it changes nothing. */
export async function releaseMergeCheck(db: Db, repoId: string, owner: string): Promise<void> {
  await db.updateTable("merge_checks").set({ owner: null })
    .where("repo_id", "=", repoId).where("owner", "=", owner).execute();
}

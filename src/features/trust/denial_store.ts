/** The only module that writes the `denials` table. */
import type { Db } from "svc/store/schema.ts";
import type { Denial } from "./denial_table.ts";
import type { PolicyPart } from "./policy_question.ts";

export interface NewDenial {
  readonly repoId: string;
  readonly job: string;
  readonly role: string;
  readonly tool: string;
  readonly by: PolicyPart;
  /** Redacted. */
  readonly reason: string;
  readonly at: number;
}

export async function recordDenial(db: Db, refused: NewDenial): Promise<void> {
  const { repoId, job, role, tool, by, reason, at } = refused;
  await db.insertInto("denials")
    .values({ at, repo_id: repoId, job_id: job, role, tool, part: by, reason }).execute();
}

/** @param since epoch ms */
export function denialsSince(
  db: Db,
  repoId: string,
  since: number,
  limit: number,
): Promise<Denial[]> {
  return db.selectFrom("denials").selectAll().where("repo_id", "=", repoId)
    .where("at", ">=", since).orderBy("id", "desc").limit(limit).execute();
}

export function denialsOf(db: Db, jobId: string, limit: number): Promise<Denial[]> {
  return db.selectFrom("denials").selectAll().where("job_id", "=", jobId)
    .orderBy("id").limit(limit).execute();
}

export async function forgetDenialsOf(db: Db, jobs: readonly string[]): Promise<void> {
  await db.deleteFrom("denials").where("job_id", "in", [...jobs]).execute();
}

/** Those of sessions, which are no jobs. @param before epoch ms @returns how many */
export async function forgetJoblessDenials(
  db: Db,
  repoId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<number> {
  const some = db.selectFrom("denials").select("id").where("repo_id", "=", repoId)
    .where("at", "<", before).where("job_id", "not in", db.selectFrom("jobs").select("id"))
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom("denials").where("id", "in", some)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

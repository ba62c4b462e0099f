/** The only module that writes the `checks` table. */
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { Check } from "./check_table.ts";

export async function recordCheck(db: Db, check: Check): Promise<void> {
  await db.insertInto("checks").values(check).execute();
}

/** A job is found by its role and time. */
export function checksWithin(
  db: Db,
  { repoId, role, from, to, limit }: {
    readonly repoId: string;
    readonly role: string;
    /** Epoch ms, both included. */
    readonly from: number;
    readonly to: number;
    readonly limit: number;
  },
): Promise<Check[]> {
  return db.selectFrom("checks").selectAll().where("repo_id", "=", repoId)
    .where("started_at", ">=", from).where("started_at", "<=", to).where("role", "=", role)
    .orderBy("started_at").orderBy("id").limit(limit).execute();
}

/** A job lasts no longer, from its last claim on. */
const LONGEST_JOB_MS = 24 * 60 * 60 * 1000;

/**
 * Removes the checks of a removed job, unless they may belong to another job too. `from` and `to` in epoch ms,
 * both included.
 */
export async function forgetChecksWithin(
  db: Db,
  { repoId, role, from, to }: {
    readonly repoId: string;
    readonly role: string;
    readonly from: number;
    readonly to: number;
  },
): Promise<void> {
  await db.deleteFrom("checks").where("repo_id", "=", repoId)
    .where("started_at", ">=", from).where("started_at", "<=", to).where("role", "=", role)
    .where(sql<boolean>`NOT EXISTS (SELECT 1 FROM jobs AS other INDEXED BY jobs_ended
      WHERE other.repo_id = checks.repo_id AND other.role = checks.role
        AND other.finished_at BETWEEN checks.started_at AND checks.started_at + ${LONGEST_JOB_MS}
        AND other.started_at <= checks.started_at)`)
    .execute();
}

/**
 * Removes checks from before that time that are also older than every job of the repo. @param before epoch ms
 * @returns how many
 */
export async function forgetJoblessChecks(
  db: Db,
  repoId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<number> {
  const jobs = db.selectFrom("jobs").select((is) => is.fn.min("started_at").as("at"))
    .where("repo_id", "=", repoId);
  const some = db.selectFrom("checks").select("id").where("repo_id", "=", repoId)
    .where("started_at", "<", before)
    .where("started_at", "<", (is) => is.fn.coalesce(jobs, is.val(before))).limit(limit);
  const { numDeletedRows } = await db.deleteFrom("checks").where("id", "in", some)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

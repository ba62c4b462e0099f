/** The only module that writes the `decisions` table. */
import { DEMOTION_DENIED_JOBS } from "svc/core/bounds.ts";
import type { Db } from "svc/store/schema.ts";
import type { Decision } from "./decision_table.ts";

export async function recordDecision(db: Db, decision: Decision): Promise<void> {
  await db.insertInto("decisions").values(decision).execute();
}

/** By the end of a decision's or a job's id, oldest first. @param named of `[0-9a-f-]` */
export function decisionsNamed(db: Db, named: string): Promise<Decision[]> {
  const like = `%${named}`;
  return db.selectFrom("decisions").selectAll()
    .where((or) => or.or([or("id", "like", like), or("job_id", "like", like)]))
    .orderBy("at").orderBy("id").limit(100).execute();
}

/** Oldest first: a job that was tried again has several. */
export function decisionsOfJob(db: Db, jobId: string): Promise<Decision[]> {
  return db.selectFrom("decisions").selectAll().where("job_id", "=", jobId)
    .orderBy("at").orderBy("id").execute();
}

/** Newest first. */
export function recentDecisions(
  db: Db,
  { repoId, limit }: { readonly repoId?: string; readonly limit: number },
): Promise<Decision[]> {
  const all = db.selectFrom("decisions").selectAll();
  return (repoId === undefined ? all : all.where("repo_id", "=", repoId))
    .orderBy("at", "desc").orderBy("id", "desc").limit(limit).execute();
}

/** Decisions about tickets that were not applied. */
export async function rehearsals(
  db: Db,
  repoId: string,
): Promise<{ readonly role: string; readonly ticket_id: string; readonly at: number }[]> {
  const rows = await db.selectFrom("decisions").select(["role", "ticket_id", "at"])
    .where("repo_id", "=", repoId).where("applied", "=", 0).where("ticket_id", "is not", null)
    .execute();
  return rows.flatMap(({ role, ticket_id, at }) =>
    ticket_id === null ? [] : { role, ticket_id, at }
  );
}

/**
 * When jobs of the role ended with `policy_denied`, epoch ms, newest first; no more than matter. A
 * rehearsal, in which every change is denied, says nothing about the role.
 */
export async function policyDeniedAt(
  db: Db,
  { repoId, role, since }: {
    readonly repoId: string;
    readonly role: string;
    /** Epoch ms; later ones count. */
    readonly since: number;
  },
): Promise<number[]> {
  const rows = await db.selectFrom("decisions").select("at")
    .where("repo_id", "=", repoId).where("at", ">", since).where("role", "=", role)
    .where("disposition", "=", "policy_denied").where("applied", "=", 1)
    .orderBy("at", "desc").limit(DEMOTION_DENIED_JOBS).execute();
  return rows.map(({ at }) => at);
}

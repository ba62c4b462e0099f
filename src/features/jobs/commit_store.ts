/** The only module that writes the `job_commits` table. */
import type { Db } from "svc/store/schema.ts";
import type { JobCommit } from "./commit_table.ts";

type Branch = Pick<JobCommit, "repo_id" | "branch">;

/** Bound of one statement's variables (sqlite.org/limits.html, 32,766) over six columns. */
const ROWS_AT_ONCE = 1_000;

/** What is stored about a commit is never changed: the first entry counts. */
export async function recordCommits(
  db: Db,
  { commits, ...made }: Omit<JobCommit, "commit_id"> & { readonly commits: readonly string[] },
): Promise<void> {
  for (let from = 0; from < commits.length; from += ROWS_AT_ONCE) {
    const rows = commits.slice(from, from + ROWS_AT_ONCE)
      .map((commit_id) => ({ ...made, commit_id }));
    await db.insertInto("job_commits").values(rows).onConflict((on) => on.doNothing()).execute();
  }
}

/** By the commit's id. */
export async function commitMakers(
  db: Db,
  { repo_id, branch }: Branch,
): Promise<ReadonlyMap<string, { readonly job: string; readonly role: string }>> {
  const rows = await db.selectFrom("job_commits").select(["commit_id", "job_id", "role"])
    .where("repo_id", "=", repo_id).where("branch", "=", branch).execute();
  return new Map(rows.map(({ commit_id, job_id, role }) => [commit_id, { job: job_id, role }]));
}

/** What svc knows that a branch ended with last. */
export async function newestCommit(
  db: Db,
  { repo_id, branch }: Branch,
): Promise<JobCommit | undefined> {
  return await db.selectFrom("job_commits").selectAll()
    .where("repo_id", "=", repo_id).where("branch", "=", branch)
    .orderBy("at", "desc").limit(1).executeTakeFirst();
}

/** Those of jobs that are forgotten, or of no job. @returns how many */
export async function forgetJoblessCommits(
  db: Db,
  repoId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<number> {
  const known = db.selectFrom("jobs").select("id").where("repo_id", "=", repoId);
  const some = db.selectFrom("job_commits").select(["branch", "commit_id"])
    .where("repo_id", "=", repoId).where("at", "<", before).where("job_id", "not in", known)
    .limit(limit);
  const rows = await some.execute();
  for (const { branch, commit_id } of rows) {
    await db.deleteFrom("job_commits").where("repo_id", "=", repoId).where("branch", "=", branch)
      .where("commit_id", "=", commit_id).execute();
  }
  return rows.length;
}

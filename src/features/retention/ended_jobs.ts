/** Which ended jobs nothing needs any more, as far as the database says. */
import type { Disposition } from "svc/core/disposition.ts";
import { type RawBuilder, sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";

/** What of a repo must stay, beyond what the database tells. */
export interface RepoNeeds {
  readonly repoId: string;
  /** Tickets that are not done; undefined where the repo cannot be read: then each may be open. */
  readonly open: ReadonlySet<string> | undefined;
  /** Jobs that hold a work tree. */
  readonly holders: ReadonlySet<string>;
}

export interface EndedJob {
  readonly id: string;
  readonly repo_id: string;
  readonly role: string;
  readonly ticket_id: string | null;
  readonly disposition: Disposition;
  readonly started_at: number | null;
  readonly finished_at: number;
}

const inList = (ids: Iterable<string>) =>
  sql`(SELECT value FROM json_each(${JSON.stringify([...ids])}))`;

/** No job that waits or runs, and nothing owed to git, leads back to it or to its ticket. */
function unneeded({ open, holders }: RepoNeeds): RawBuilder<boolean> {
  const ofOpen = open === undefined
    ? sql`job.ticket_id IS NULL`
    : sql`(job.ticket_id IS NULL OR job.ticket_id NOT IN ${inList(open)})`;
  return sql<boolean>`${ofOpen} AND job.id NOT IN ${inList(holders)}
    AND NOT EXISTS (SELECT 1 FROM settlements AS owed INDEXED BY settlements_pending
      WHERE owed.state = 'pending' AND owed.repo_id = job.repo_id
        AND (owed.job_id = job.id OR owed.ticket_id = job.ticket_id))
    AND NOT EXISTS (SELECT 1 FROM jobs AS live INDEXED BY jobs_by_status
      LEFT JOIN decisions AS cause ON cause.id = live.caused_by
      WHERE live.repo_id = job.repo_id AND live.status IN ('pending', 'running')
        AND (live.ticket_id = job.ticket_id OR cause.job_id = job.id
          OR instr(live.payload ->> '$.earlier', job.id) > 0))`;
}

const COLUMNS = sql`job.id, job.repo_id, job.role, job.ticket_id, job.disposition, job.started_at,
  job.finished_at`;

/** Those of these jobs whose files nothing needs; oldest first. */
export async function endedAmong(
  db: Db,
  needs: RepoNeeds,
  ids: readonly string[],
): Promise<EndedJob[]> {
  const { rows } = await sql<EndedJob>`SELECT ${COLUMNS} FROM jobs AS job
    WHERE job.id IN ${inList(ids)} AND job.repo_id = ${needs.repoId}
      AND job.finished_at IS NOT NULL AND ${unneeded(needs)}
    ORDER BY job.id`.execute(db);
  return rows;
}

export interface EndedRange {
  /** Epoch ms. */
  readonly before: number;
  /** The newest jobs of the repo, which stay at any age. */
  readonly left: number;
  readonly limit: number;
}

/** Jobs whose records may go, oldest first. */
export async function endedBefore(
  db: Db,
  needs: RepoNeeds,
  { before, left, limit }: EndedRange,
): Promise<EndedJob[]> {
  const { rows } = await sql<EndedJob>`SELECT ${COLUMNS}
    FROM jobs AS job INDEXED BY jobs_ended
    WHERE job.repo_id = ${needs.repoId} AND job.finished_at < ${before}
      AND job.id <= (SELECT id FROM jobs WHERE repo_id = ${needs.repoId}
        ORDER BY id DESC LIMIT 1 OFFSET ${left})
      AND ${unneeded(needs)}
    ORDER BY job.finished_at, job.id LIMIT ${limit}`.execute(db);
  return rows;
}

/** Those of these jobs that the database knows; epoch ms of their end, null while they live. */
export async function knownAmong(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, number | null>> {
  const { rows } = await sql<{ id: string; finished_at: number | null }>`SELECT id, finished_at
    FROM jobs WHERE id IN ${inList(ids)}`.execute(db);
  return new Map(rows.map(({ id, finished_at }) => [id, finished_at]));
}

/** Those of these files that a recorded check names as its output. */
export async function logsOfChecks(db: Db, paths: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ log_path: string }>`SELECT log_path FROM checks
    WHERE log_path IN ${inList(paths)}`.execute(db);
  return rows.map(({ log_path }) => log_path);
}

/** Repos that jobs are of, registered or not. */
export async function reposOfJobs(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("jobs").select("repo_id").distinct().orderBy("repo_id")
    .execute();
  return rows.map(({ repo_id }) => repo_id);
}

/** Epoch ms of the newest end; undefined when no job has ended. */
export async function newestEnd(db: Db): Promise<number | undefined> {
  const row = await db.selectFrom("jobs").select(sql<number | null>`max(finished_at)`.as("at"))
    .executeTakeFirst();
  return row?.at ?? undefined;
}

/** What a board of tickets and roles asks about jobs; nothing here changes one. */
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { Job } from "./job_table.ts";

/** The newest job of each of these tickets that has one. */
export async function newestOfTickets(
  db: Db,
  repoId: string,
  tickets: readonly string[],
): Promise<Job[]> {
  const { rows } = await sql<Job>`SELECT job.* FROM json_each(${JSON.stringify(tickets)}) AS asked
    CROSS JOIN jobs AS job ON job.id = (SELECT one.id
      FROM jobs AS one INDEXED BY jobs_by_ticket
      WHERE one.repo_id = ${repoId} AND one.ticket_id = asked.value
      ORDER BY one.created_at DESC, one.id DESC LIMIT 1)`.execute(db);
  return rows;
}

/** The newest job without a ticket of each of these roles: ids sort by the time of creation. */
export async function newestWithoutTicket(
  db: Db,
  repoId: string,
  roles: readonly string[],
): Promise<Job[]> {
  const { rows } = await sql<Job>`SELECT job.* FROM json_each(${JSON.stringify(roles)}) AS asked
    CROSS JOIN jobs AS job ON job.id = (SELECT max(one.id) FROM jobs AS one
      INDEXED BY jobs_without_ticket
      WHERE one.repo_id = ${repoId} AND one.role = asked.value AND one.ticket_id IS NULL)`
    .execute(db);
  return rows;
}

/** Newest first, at most `limit`. */
export function newestJobsOf(
  db: Db,
  repoId: string,
  ticketId: string,
  limit: number,
): Promise<Job[]> {
  return db.selectFrom("jobs").selectAll()
    .where("repo_id", "=", repoId).where("ticket_id", "=", ticketId)
    .orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute();
}

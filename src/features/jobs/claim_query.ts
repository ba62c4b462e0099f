/** The statements that claim jobs: on a file one job, on a server as many as its workers ask for at once. */
import { type RawBuilder, skipLocked, sql } from "svc/store/query.ts";
import { type Claim, claimRules, isWaiting, laneRules, ownRules } from "./claim_rules.ts";
import type { Job } from "./job_table.ts";

type Part = RawBuilder<unknown>;

export interface ClaimQuery {
  readonly claim: Claim;
  /** Epoch ms, as the database tells it. */
  readonly now: Part;
  readonly leaseMs: number;
}

const taken = ({ claim, now, leaseMs }: ClaimQuery, owner: Part): Part =>
  sql`status = 'running', attempt = attempt + 1,
    generation = generation + 1, lease_owner = ${owner}, lease_until = ${now} + ${leaseMs},
    heartbeat_at = ${now}, started_at = ${now}, reason = NULL, node_id = ${claim.node ?? null}`;

export const claimOne = (query: ClaimQuery): RawBuilder<Job> =>
  sql<Job>`UPDATE jobs SET ${taken(query, sql`${query.claim.owner}`)}
    WHERE id = (
      SELECT due.id FROM jobs AS due INDEXED BY jobs_pending
      WHERE ${claimRules(query.claim, query.now)}
      ORDER BY due.priority, due.run_after, due.id LIMIT 1 ${skipLocked})
    RETURNING *`;

const COLUMNS = sql`due.id, due.repo_id, due.role, due.ticket_id, due.parallel`;

/** The queue from its head: what it passes over costs some microseconds each. */
const inOrder = ({ claim, now }: ClaimQuery, most: Part): Part =>
  sql`SELECT ${COLUMNS} FROM jobs AS due WHERE ${claimRules(claim, now)}
    ORDER BY due.priority, due.run_after, due.id LIMIT ${most} ${skipLocked}`;

/** Heads of a lane that are looked at, for those that another claim takes just now. */
const HEADS = sql.raw("16");

/**
 * The same jobs in the same order, asked for by repo and role: those of a role that is busy are passed over
 * at once. In jumps from one pair to the next (wiki.postgresql.org/wiki/Loose_indexscan).
 */
const byLane = ({ claim, now }: ClaimQuery, most: Part): Part =>
  sql`SELECT ${COLUMNS} FROM (
      WITH RECURSIVE pair AS (
        (SELECT repo_id, role, parallel FROM jobs WHERE status = 'pending'
          ORDER BY repo_id, role, parallel LIMIT 1)
        UNION ALL
        SELECT following.repo_id, following.role, following.parallel FROM pair CROSS JOIN LATERAL (
          SELECT next.repo_id, next.role, next.parallel FROM jobs AS next
          WHERE next.status = 'pending'
            AND (next.repo_id, next.role, next.parallel) > (pair.repo_id, pair.role, pair.parallel)
          ORDER BY next.repo_id, next.role, next.parallel LIMIT 1) AS following)
      SELECT head.id, head.priority, head.run_after FROM (SELECT * FROM pair AS due WHERE ${
    laneRules(claim, now)
  } OFFSET 0) AS open
      CROSS JOIN LATERAL (SELECT due.id, due.priority, due.run_after FROM jobs AS due
        WHERE due.repo_id = open.repo_id AND due.role = open.role AND due.parallel = open.parallel
          AND ${ownRules(claim, now)}
        ORDER BY due.priority, due.run_after, due.id LIMIT ${HEADS}) AS head
      ORDER BY head.priority, head.run_after, head.id LIMIT ${HEADS}) AS head
    JOIN jobs AS due ON due.id = head.id WHERE ${isWaiting(now)}
    ORDER BY head.priority, head.run_after, head.id LIMIT ${most} ${ofDue}`;

const ofDue = sql.raw("FOR UPDATE OF due SKIP LOCKED");

/**
 * Claims for several workers what they would get one after the other: the first jobs of the queue, up to the
 * one that would have to wait for one of them. @param owners the first gets the first job
 */
export function claimSome(
  query: ClaimQuery,
  owners: readonly string[],
  lanes: boolean,
): RawBuilder<Job> {
  // As a number in the text: the plan must not be one for many.
  const most = sql.raw(String(owners.length));
  return sql<Job>`UPDATE jobs SET ${taken(query, sql`mine.owner`)} FROM (
      WITH found AS MATERIALIZED (${(lanes ? byLane : inOrder)(query, most)}),
      queued AS MATERIALIZED (SELECT *, row_number() OVER () AS nth FROM found),
      worker AS MATERIALIZED (SELECT value AS owner, row_number() OVER () AS nth
        FROM json_each(${JSON.stringify(owners)}))
      SELECT queued.id, worker.owner FROM queued JOIN worker ON worker.nth = queued.nth
      WHERE NOT EXISTS (SELECT 1 FROM queued AS one JOIN queued AS other
        ON one.nth < other.nth AND other.nth <= queued.nth AND other.repo_id = one.repo_id
          AND (other.ticket_id = one.ticket_id
            OR (other.parallel = 0 AND one.parallel = 0 AND other.role = one.role)))
    ) AS mine WHERE jobs.id = mine.id RETURNING jobs.*`;
}

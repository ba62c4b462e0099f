/** Reads the ended jobs of one repo, with their decisions and settlements. */
import { SCORE_JOBS } from "svc/core/bounds.ts";
import type { Cost } from "svc/core/cost.ts";
import type { SettlementState } from "svc/features/routing/settlement_table.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { EndedJob } from "./outcome.ts";

interface EndedJobsQuery {
  readonly repoId: string;
  /** Epoch ms. */
  readonly since: number;
  readonly limit?: number;
}

type EndedJobRow =
  & Omit<EndedJob, "decision" | "settlement" | "cost">
  & Cost
  & {
    readonly applied: 0 | 1 | null;
    readonly reported: string | null;
    readonly same_commit: 0 | 1 | null;
    readonly next_job: string | null;
    readonly began: number | null;
    readonly stop: string | null;
    readonly state: SettlementState | null;
    readonly to_state: string | null;
    readonly merge_from: string | null;
    readonly settled_reason: string | null;
  };

function rowsOf(db: Db, { repoId, since, limit = SCORE_JOBS }: EndedJobsQuery) {
  return sql<
    EndedJobRow
  >`SELECT job.id, job.role, job.ticket_id AS ticket, job.disposition, job.category,
    job.reason, job.evidence, job.started_at AS "startedAt", job.finished_at AS "finishedAt",
    job.tokens_in + job.tokens_out AS tokens, job.cost_basis, job.cost_usd,
    decision.applied, json_extract(decision.inputs, '$.reported') AS reported,
    CAST(json_extract(decision.inputs, '$.same_commit') AS INTEGER) AS same_commit, decision.next_job,
    (SELECT next.started_at FROM jobs AS next WHERE next.id = decision.next_job) AS began,
    decision.stop, owed.state, owed.to_state, owed.merge_from, owed.reason AS settled_reason
    FROM jobs AS job INDEXED BY jobs_ended
    LEFT JOIN decisions AS decision ON decision.id = (SELECT max(one.id) FROM decisions AS one
      WHERE one.job_id = job.id)
    LEFT JOIN settlements AS owed ON owed.id = (SELECT max(one.id) FROM settlements AS one
      WHERE one.job_id = job.id)
    WHERE job.repo_id = ${repoId} AND job.finished_at >= ${since}
    ORDER BY job.finished_at DESC, job.id DESC LIMIT ${limit}`.execute(db);
}

function endedJob(row: EndedJobRow): EndedJob {
  const { id, role, ticket, disposition, category, reason, evidence } = row;
  return {
    id,
    role,
    ticket,
    disposition,
    category,
    reason,
    evidence,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    tokens: row.tokens,
    cost: { cost_basis: row.cost_basis, cost_usd: row.cost_usd },
    decision: row.applied === null ? undefined : {
      applied: row.applied === 1,
      reported: row.reported ?? disposition,
      sameCommit: row.same_commit === 1,
      nextJob: row.next_job,
      nextBegan: row.began !== null,
      stop: row.stop,
    },
    settlement: row.state === null ? undefined : {
      state: row.state,
      to: row.to_state,
      merges: row.merge_from !== null,
      reason: row.settled_reason ?? "",
    },
  };
}

export async function endedJobs(db: Db, asked: EndedJobsQuery): Promise<EndedJob[]> {
  const { rows } = await rowsOf(db, asked);
  return rows.map(endedJob);
}

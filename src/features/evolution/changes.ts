/** What changed about the agents themselves, each record as one line of history. */
import { EVOLUTIONS_LISTED } from "svc/core/bounds.ts";
import { pausedLanes } from "svc/features/jobs/lane_store.ts";
import type { Lane } from "svc/features/jobs/lane_table.ts";
import { type ScoreUpdate, scoreUpdates } from "svc/features/scores/score_events.ts";
import { newestApprovals } from "svc/features/tools/custom/approval_store.ts";
import type { ToolApproval } from "svc/features/tools/custom/approval_table.ts";
import { trustChanges } from "svc/features/trust/trust_store.ts";
import type { TrustChange } from "svc/features/trust/trust_audit_table.ts";
import type { Db } from "svc/store/schema.ts";

/** A smaller change of a score can come from a single job. */
const SCORE_MOVE_POINTS = 5;

const SCORE_UPDATES = 2_000;

export interface AgentChange {
  /** Epoch ms. */
  readonly at: number;
  readonly kind: "trust" | "tool" | "harness" | "lane" | "score";
  readonly repoId: string;
  readonly role: string | null;
  readonly what: string;
  readonly who: string;
  readonly reason: string | null;
  readonly evidence: string | null;
}

export function trustEvolution(rows: readonly TrustChange[]): AgentChange[] {
  return rows.map(({ at, repo_id, role, from_level, to_level, reason, who, automatic }) => ({
    at,
    kind: "trust",
    repoId: repo_id,
    role,
    reason,
    evidence: null,
    what: automatic === 1
      ? `${role} was taken from ${from_level} to ${to_level}`
      : `${role} was set from ${from_level} to ${to_level}`,
    who: automatic === 1 ? "svc" : who,
  }));
}

export function toolEvolution(rows: readonly ToolApproval[]): AgentChange[] {
  return rows.map(({ repo_id, name, sha256, approved_by, approved_at }) => ({
    at: approved_at,
    kind: "tool",
    repoId: repo_id,
    reason: null,
    role: approved_by.startsWith("agent:") ? approved_by.slice(6) : null,
    what: `The tool "${name}" may run as it is`,
    who: approved_by,
    evidence: `sha256 ${sha256.slice(0, 12)}`,
  }));
}

/** Leaves out lanes of models, which belong to no repo. */
export function laneEvolution(lanes: readonly Lane[]): AgentChange[] {
  return lanes.flatMap(({ kind, key, reason, paused_at }) => {
    const cut = key.indexOf("/");
    if (kind !== "role" || cut === -1) return [];
    const role = key.slice(cut + 1);
    const what = `${role} is paused until a person resumes it`;
    const of = { at: paused_at, kind: "lane", repoId: key.slice(0, cut), role } as const;
    return { ...of, what, who: "svc", reason, evidence: null };
  });
}

export function harnessEvolution(
  repoId: string,
  commits: readonly {
    readonly id: string;
    readonly author: string;
    readonly authored_at: number;
    readonly subject: string;
  }[],
): AgentChange[] {
  return commits.map(({ id, author, authored_at, subject }) => ({
    at: authored_at,
    kind: "harness",
    repoId,
    role: null,
    who: author,
    what: `The harness was changed: ${subject}`,
    reason: null,
    evidence: id,
  }));
}

/** @param updates oldest first */
export function scoreEvolution(updates: readonly ScoreUpdate[]): AgentChange[] {
  const told = new Map<string, number>();
  const changes: AgentChange[] = [];
  for (const { at, repo_id: repoId, job_id, role, score, samples } of updates) {
    if (score === null) continue;
    const key = `${repoId}/${role}`;
    const before = told.get(key);
    if (before !== undefined && Math.abs(score - before) < SCORE_MOVE_POINTS) continue;
    told.set(key, score);
    const what = before === undefined
      ? `${role} has a score: ${score}`
      : `${role} went from ${before} to ${score}`;
    const of = { at, kind: "score", repoId, role, who: "svc" } as const;
    changes.push({ ...of, what, reason: `${samples} outcomes`, evidence: job_id });
  }
  return changes;
}

/** @param now epoch ms */
export async function storedChanges(
  db: Db,
  repoIds: readonly string[],
  now: number,
): Promise<AgentChange[]> {
  const [trust, tools, lanes, scores] = await Promise.all([
    Promise.all(repoIds.map((id) => trustChanges(db, id))),
    Promise.all(repoIds.map((id) => newestApprovals(db, id, EVOLUTIONS_LISTED))),
    pausedLanes(db, now),
    scoreUpdates(db, SCORE_UPDATES),
  ]);
  const known = new Set(repoIds);
  return [
    ...trustEvolution(trust.flat()),
    ...toolEvolution(tools.flat()),
    ...laneEvolution(lanes),
    ...scoreEvolution(scores.reverse()),
  ].filter(({ repoId }) => known.has(repoId));
}

/** What changed about the agents themselves, each record as one line of history. Pure. */
import type { Lane } from "svc/features/jobs/lane_table.ts";
import type { ToolApproval } from "svc/features/tools/custom/approval_table.ts";
import type { TrustChange } from "svc/features/trust/trust_audit_table.ts";

/** A score that moved by less, in points, is noise of one job. */
const SCORE_MOVE_POINTS = 5;

export interface Change {
  /** Epoch ms. */
  readonly at: number;
  readonly kind: "trust" | "tool" | "harness" | "lane" | "score";
  readonly repoId: string;
  readonly role: string | null;
  /** In a sentence. */
  readonly what: string;
  readonly who: string;
  readonly reason: string | null;
  /** Commit, job or path that shows it. */
  readonly evidence: string | null;
}

export function trustEvolution(rows: readonly TrustChange[]): Change[] {
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

export function toolEvolution(rows: readonly ToolApproval[]): Change[] {
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

/** Lanes of roles: those of models are of no repo. Only the ones that are held back now are known. */
export function laneEvolution(lanes: readonly Lane[]): Change[] {
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
): Change[] {
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

/** As `score_update` events hold it. */
export interface ScoreSeen {
  /** Epoch ms. */
  readonly at: number;
  readonly repoId: string;
  readonly jobId: string | null;
  readonly role: string;
  readonly score: number | null;
  readonly samples: number;
}

/** Moves of `SCORE_MOVE_POINTS` or more since the last one that was told. @param seen oldest first */
export function scoreEvolution(seen: readonly ScoreSeen[]): Change[] {
  const told = new Map<string, number>();
  const changes: Change[] = [];
  for (const { at, repoId, jobId, role, score, samples } of seen) {
    if (score === null) continue;
    const key = `${repoId}/${role}`;
    const before = told.get(key);
    if (before !== undefined && Math.abs(score - before) < SCORE_MOVE_POINTS) continue;
    told.set(key, score);
    const what = before === undefined
      ? `${role} has a score: ${score}`
      : `${role} went from ${before} to ${score}`;
    const of = { at, kind: "score", repoId, role, who: "svc" } as const;
    changes.push({ ...of, what, reason: `${samples} outcomes`, evidence: jobId });
  }
  return changes;
}

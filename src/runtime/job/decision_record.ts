/**
 * Stores what the end of a job leads to: its decision, and the moves and merges that still have to be made in
 * git.
 */
import type { Disposition, FailureCategory } from "svc/core/disposition.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Cost } from "svc/core/cost.ts";
import type { Tally } from "svc/features/agent/agent.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { ModelFault } from "svc/features/models/client/model.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { RouteDecision } from "svc/features/routing/decide.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { AskedQuestion } from "svc/core/question.ts";
import type { Proof } from "./prove.ts";
import { Failure } from "svc/core/failure.ts";
import { redactedJson } from "svc/core/redact.ts";
import { shortened } from "svc/core/shortened.ts";
import { newSettlement, recordSettlement } from "svc/features/routing/settlement_store.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Db } from "svc/store/schema.ts";
import { isMachines } from "./work_end.ts";

/** Characters of evidence in a decision or ticket; the trace has all. */
const EVIDENCE_CHARS = 600;

export const clip = (text: string) => shortened(text, EVIDENCE_CHARS);

/** As `reviewPull` of the webhooks queues it. */
export function pullOf({ payload }: Pick<Job, "payload">): { readonly pull?: number } {
  const { pull } = JSON.parse(payload) as { readonly pull?: { readonly number: number } };
  return pull === undefined ? {} : { pull: pull.number };
}

export interface Worked {
  readonly job: Job;
  readonly repo: Repo;
  readonly manifest: Manifest;
  readonly disposition: Disposition;
  readonly evidence: string;
  /** The cause is the machine, not the work. */
  readonly environment?: boolean;
  /** Its ticket, as the work began. */
  readonly taken?: Ticket;
  readonly chosen?: string;
  /** Redacted. */
  readonly question?: AskedQuestion;
  readonly category?: FailureCategory;
  readonly fault?: ModelFault;
  /** What to do when a shared budget is used up. */
  readonly raise?: string;
  readonly tally: Tally;
  readonly cost: Cost;
  readonly proof: Proof;
  readonly branch: string | undefined;
  /** Queue key of its model, also of one that did not open. */
  readonly lane?: string;
  readonly model?: {
    readonly id: string;
    readonly evidence: "live" | "fixture";
  };
  readonly tracePath: string | null;
}

export interface DecisionWrite {
  readonly id: string;
  readonly decision: RouteDecision;
  readonly tickets: readonly Ticket[];
  readonly follow: boolean;
}

export function decisionRow(
  ports: RuntimePorts,
  worked: Worked,
  { id, decision }: DecisionWrite,
  { now, nextJob }: { readonly now: number; readonly nextJob: string | undefined },
) {
  const { job, proof, branch } = worked;
  const inputs = {
    reported: worked.disposition,
    evidence: clip(worked.evidence),
    ...(worked.chosen !== undefined && { chosen: worked.chosen }),
    ...(worked.question !== undefined && { question: worked.question }),
    ...(worked.category !== undefined && { category: worked.category }),
    trigger: job.trigger,
    attempt: job.attempt,
    profile: ports.profile,
    branch: branch ?? null,
    head: proof.head ?? null,
    committed: proof.committed,
    checks: proof.checks,
    failed_checks: proof.failedChecks,
    ...(proof.checkOutput !== "" && { check_output: proof.checkOutput }),
    ...(proof.redBefore.length > 0 && {
      red_before: proof.redBefore,
      red_before_output: proof.redBeforeOutput,
    }),
    ...(proof.flaky.length > 0 && { flaky_checks: proof.flaky }),
    same_commit: proof.sameCommit,
    uncommitted: proof.uncommitted.slice(0, 20),
  };
  const { move } = decision;
  return {
    id,
    repo_id: job.repo_id,
    job_id: job.id,
    at: now,
    role: job.role,
    ticket_id: job.ticket_id,
    disposition: decision.disposition,
    rule: decision.rule,
    inputs: redactedJson(inputs, ports.redact),
    refused: JSON.stringify(decision.refused),
    move: move === undefined ? null : `${move.from} → ${move.to}`,
    next_role: decision.next?.role ?? null,
    next_job: nextJob ?? null,
    stop: decision.stop ?? null,
    applied: ports.profile === "host" ? 1 : 0,
  };
}

/** Stores the move or merge that has to be made in git. It is made afterwards, and tried again after a crash. */
export async function owe(
  db: Db,
  worked: Worked,
  { id, decision }: DecisionWrite,
  now: number,
): Promise<void> {
  const { job, repo, proof } = worked;
  const { move, merge, attempt } = decision;
  if (move === undefined && merge === undefined && attempt === undefined) return;
  const asked = move?.question && { ...move.question, role: job.role, job: job.id };
  if (merge !== undefined && proof.head === undefined) {
    throw new Failure("internal", `Cannot merge "${merge}": no commit of it was seen`);
  }
  await recordSettlement(
    db,
    newSettlement({
      repoId: repo.id,
      ticket: job.ticket_id ?? undefined,
      move,
      unblock: move?.unblock && { ...move.unblock, ...(asked && { question: asked }) },
      fault: move?.to === "blocked" && isMachines(worked) ? "environment" : null,
      reason: move?.reason ?? attempt ?? clip(worked.evidence),
      actor: `agent:${job.role}`,
      by: { decision: id, job: job.id },
      attempt: attempt !== undefined,
      merge: merge === undefined
        ? undefined
        : { from: merge, into: repo.baseBranch, commit: proof.head! },
    }, now),
  );
}

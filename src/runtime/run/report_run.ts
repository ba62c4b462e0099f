/** Runs a role once and reports the outcome, as plain data for a page or a script. */
import { diffStat, type FileStat } from "svc/core/diff_stat.ts";
import { settlementOfJob } from "svc/features/routing/settlement_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import {
  type ManualOptions,
  type ManualPlan,
  type ManualRequest,
  type ManualRun,
  manualRun,
} from "./manual_run.ts";
import { earlierRun } from "./earlier_run.ts";
import { takeBackDead } from "svc/runtime/engine/take_back.ts";
import type { RunReport } from "./report_shape.ts";
import type { OwnerPorts } from "svc/runtime/ports.ts";
import type { JobReport } from "svc/runtime/job/job_plan.ts";

/** What the branch changes against the branch into which it is merged; nothing once it is merged. */
async function changesOf(
  ports: OwnerPorts,
  plan: ManualPlan,
  report: JobReport,
): Promise<FileStat[]> {
  const { repo } = plan;
  const { head, committed } = report.proof;
  if (head === undefined || !committed) return [];
  return diffStat(await ports.worktrees.patch(repo.git, head, repo.baseBranch));
}

/** A merge may have ended in another way than the decision asked for. */
function insteadOf(
  owed: Settlement | undefined,
  move: { readonly to: string } | undefined,
): string | undefined {
  if (owed === undefined || owed.state === "pending") return undefined;
  const { state, outcome, to_state, reason } = owed;
  if (state === "superseded") return outcome ?? undefined;
  return to_state === null || to_state === move?.to ? undefined : `${outcome}: ${reason}`;
}

async function decisionOf(
  ports: OwnerPorts,
  { job, report: { concluded } }: ManualRun,
): Promise<RunReport["decision"]> {
  if (concluded.kind !== "decided") return null;
  const { move, next, rule, stop, refused } = concluded.decision;
  const owed = await settlementOfJob(ports.db, job.id);
  return {
    id: concluded.id,
    rule,
    stop: stop ?? null,
    next_role: next?.role ?? null,
    move: move === undefined ? null : `${move.ticket}: ${move.from} → ${move.to}`,
    instead: insteadOf(owed, move) ?? null,
    applied: ports.profile === "host",
    waits_for: owed?.state === "pending" && owed.waits_for !== null ? [owed.waits_for] : [],
    refused: refused,
  };
}

/** Continues what `resume` names with its ticket or task. @throws Failure as `earlierRun` */
async function resumed(
  ports: OwnerPorts,
  { repo }: ManualPlan,
  asked: RunReportRequest,
): Promise<ManualRequest> {
  if (asked.resume === undefined) return asked;
  const earlier = await earlierRun(ports, repo, asked.role, asked.resume);
  const { ticket = asked.ticket, task = asked.task } = earlier;
  return { role: asked.role, ticket, task, earlier };
}

export interface RunReportRequest extends ManualRequest {
  /** Id of an earlier job, or its end: goes on where its trace ends. */
  readonly resume?: string | undefined;
}

export async function reportRun(
  ports: OwnerPorts,
  plan: ManualPlan,
  asked: RunReportRequest & ManualOptions,
): Promise<RunReport> {
  const started = ports.clock.monotonic();
  // A killed run still counts as running until its process is looked for.
  await takeBackDead(ports);
  const run = await manualRun(ports, plan, await resumed(ports, plan, asked), asked);
  const { job, ticket, report } = run;
  const { concluded, proof, tally, model } = report;
  const [decision, changed] = await Promise.all([
    decisionOf(ports, run),
    changesOf(ports, plan, report),
  ]);
  const counted = concluded.kind === "decided" ? concluded.decision.disposition : undefined;
  return {
    dry_run: false,
    job: job.id,
    role: job.role,
    repo: plan.repo.root,
    profile: ports.profile === "host" ? "host" : "observer",
    ticket: ticket?.id ?? null,
    disposition: counted ?? report.disposition,
    reported: report.disposition,
    evidence: ports.redact(report.evidence),
    question: report.question ?? null,
    model: model === undefined ? null : {
      provider: model.provider,
      model: model.model,
      because: model.because,
      evidence: report.live ? "live" : "fixture",
    },
    decision,
    branch: report.branch ?? null,
    commit: proof.committed ? proof.head ?? null : null,
    changed,
    uncommitted: proof.uncommitted,
    checks: proof.checks,
    failed_checks: proof.failedChecks,
    red_before: proof.redBefore,
    turns: tally.turns,
    tokens_in: tally.tokensIn,
    tokens_out: tally.tokensOut,
    tokens_cached: tally.cachedIn,
    tokens_estimated: tally.estimated,
    tool_calls: tally.toolCalls,
    denials: tally.denials,
    ...report.cost,
    duration_ms: Math.round(ports.clock.monotonic() - started),
    trace: report.trace ?? null,
  };
}

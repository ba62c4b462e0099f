/** Whether a job was a success; the role itself never says so (decision record 0019). Pure. */
import { compareText } from "svc/core/order.ts";
import type { Cost } from "svc/core/cost.ts";
import type { Disposition, FailureCategory } from "svc/core/disposition.ts";
import type { SettlementState } from "svc/features/routing/settlement_table.ts";

export interface EndedJob {
  readonly id: string;
  readonly role: string;
  readonly ticket: string | null;
  readonly disposition: Disposition;
  readonly category: FailureCategory | null;
  readonly reason: string | null;
  readonly evidence: "live" | "fixture" | null;
  readonly startedAt: number | null;
  readonly finishedAt: number;
  readonly tokens: number;
  readonly cost: Cost;
  /** Undefined for a cancelled job. */
  readonly decision: JobDecision | undefined;
  readonly settlement: JobSettlement | undefined;
}

export interface JobDecision {
  readonly applied: boolean;
  /** The job has the disposition that counted. */
  readonly reported: string;
  readonly sameCommit: boolean;
  readonly nextJob: string | null;
  readonly nextBegan: boolean;
  readonly stop: string | null;
}

export interface JobSettlement {
  readonly state: SettlementState;
  readonly to: string | null;
  readonly merges: boolean;
  readonly reason: string;
}

export const VERDICTS = ["rework", "rejected", "overturned", "unproven"] as const;
export type Cause = FailureCategory | typeof VERDICTS[number];

export type JobOutcome =
  | { readonly kind: "success"; readonly by: string }
  | {
    readonly kind: "failure";
    readonly cause: Cause;
    readonly why: string;
  }
  | { readonly kind: "open" }
  | { readonly kind: "none" };

const OPEN: JobOutcome = { kind: "open" };
const NONE: JobOutcome = { kind: "none" };

/** Faults of model servers, machines and svc; a conflict belongs to two changes, not to one role. */
const NO_FAULT: ReadonlySet<FailureCategory> = new Set([
  "model_unreachable",
  "rate_limited",
  "lease_expired",
  "internal",
  "tool_error",
  "git_conflict",
]);

const OWN_FAILURE: Partial<Record<Disposition, Cause>> = {
  checks_failed: "checks_failed",
  budget_exhausted: "budget",
  turns_exhausted: "turns",
  stuck: "stuck",
  timed_out: "timeout",
  policy_denied: "policy_denied",
};

const isVerdict = ({ disposition }: EndedJob) =>
  disposition === "approved" || disposition === "changes_requested";

interface Course {
  /** Later ones on the same ticket; without a ticket, the job that its decision asked for. */
  after(job: EndedJob): IteratorObject<EndedJob>;
}

/** `superseded`: the ticket or its branch moved on without it. */
function afterApproval(
  { settlement }: EndedJob,
): "stands" | "open" | "rejected" | "superseded" | "unknown" {
  if (settlement === undefined) return "unknown";
  if (settlement.state === "pending") return "open";
  if (settlement.state === "superseded") return "superseded";
  if (settlement.to === "done" || (settlement.to === null && settlement.merges)) return "stands";
  return settlement.reason.startsWith("pr_closed") ? "rejected" : "unknown";
}

const failure = (cause: Cause, why: string | null): JobOutcome => ({
  kind: "failure",
  cause,
  why: why ?? cause,
});

function judgeOf(job: EndedJob, course: Course): EndedJob | "newer" | undefined {
  for (const later of course.after(job)) {
    if (later.role === job.role) {
      if (later.disposition === "submitted") return "newer";
    } else if (isVerdict(later)) return later;
  }
  return undefined;
}

function workOutcome(job: EndedJob, course: Course, claims: boolean): JobOutcome {
  const judge = judgeOf(job, course);
  if (judge === "newer") return NONE;
  if (judge === undefined) return claims ? NONE : OPEN;
  if (judge.disposition === "changes_requested") {
    const moved = judge.decision?.reported === "approved" && !judge.decision.sameCommit;
    return moved ? NONE : failure("rework", judge.reason);
  }
  const then = afterApproval(judge);
  if (then === "rejected") return failure("rejected", judge.settlement!.reason);
  const sentBack = then === "superseded" || then === "open";
  if (sentBack && submittedAfter(judge, course, job.role)) {
    return failure("rework", "it was approved, and sent back before it went in");
  }
  if (then === "open") return OPEN;
  const unsettled = then !== "stands" && judge.settlement !== undefined;
  return unsettled ? NONE : { kind: "success", by: judge.role };
}

function submittedAfter(judge: EndedJob, course: Course, role: string): boolean {
  return judge.ticket !== null &&
    course.after(judge).some((later) => later.role === role && later.disposition === "submitted");
}

/** An approval was right when its change went in and was not worked on again. */
function approvalOutcome(job: EndedJob, course: Course): JobOutcome {
  const then = afterApproval(job);
  if (then === "rejected") return failure("rejected", job.settlement!.reason);
  if (then === "unknown") return NONE;
  const again = job.ticket === null
    ? undefined
    : course.after(job).find(({ role, disposition }) =>
      role !== job.role && disposition === "submitted"
    );
  if (again !== undefined) return failure("overturned", "what it approved was worked on again");
  if (then === "open") return OPEN;
  return then === "stands" ? { kind: "success", by: "svc" } : NONE;
}

/** A request for changes was right when the other role found something to change. */
function requestOutcome(job: EndedJob, course: Course): JobOutcome {
  const { decision, reason } = job;
  if (decision?.reported === "approved") {
    return decision.sameCommit ? failure("checks_failed", reason) : NONE;
  }
  const answer = course.after(job).find(({ role, disposition }) =>
    role !== job.role && (disposition === "submitted" || disposition === "no_work")
  );
  if (answer === undefined) return OPEN;
  return answer.disposition === "submitted" ? { kind: "success", by: answer.role } : NONE;
}

/** In the words of `routing/decide.ts`. */
const NOTHING_STARTABLE = "no ticket can be started";

/** A plan was right when the job that it led to began. */
function planOutcome({ decision }: EndedJob): JobOutcome {
  if (decision === undefined) return NONE;
  if (decision.nextJob !== null) {
    return decision.nextBegan ? { kind: "success", by: "svc" } : OPEN;
  }
  // There is nothing to measure by where the route ends or a person starts each job.
  return decision.stop === NOTHING_STARTABLE ? failure("unproven", decision.stop) : NONE;
}

function outcomeOf(job: EndedJob, course: Course): JobOutcome {
  const { disposition, category, decision, reason } = job;
  if (disposition === "cancelled" || decision?.applied === false) return NONE;
  if (category !== null && NO_FAULT.has(category)) return NONE;
  const own = OWN_FAILURE[disposition];
  if (own !== undefined) return failure(category ?? own, reason);
  switch (disposition) {
    case "submitted":
      return workOutcome(job, course, false);
    case "approved":
      return approvalOutcome(job, course);
    case "changes_requested":
      return requestOutcome(job, course);
    case "routed":
      return job.evidence === null ? NONE : planOutcome(job); // without a model: svc chose
    case "planned":
    case "reported":
      return planOutcome(job);
    case "no_work": {
      const said = decision?.reported ?? "no_work";
      return said === "no_work"
        ? workOutcome(job, course, true)
        : failure("unproven", `it reported ${said}, and svc saw none of it`);
    }
    case "model_error":
    case "internal_error":
      return category === null ? NONE : failure(category, reason);
    default:
      return NONE; // blocked: asking a person is neither good nor bad
  }
}

function courseOf(jobs: readonly EndedJob[]): Course {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const places = new Map<string, number>();
  const byTicket = new Map<string, EndedJob[]>();
  for (const job of jobs) {
    if (job.ticket === null) continue;
    const line = byTicket.get(job.ticket) ?? [];
    places.set(job.id, line.length);
    line.push(job);
    byTicket.set(job.ticket, line);
  }
  return {
    *after(job) {
      if (job.ticket !== null) {
        const line = byTicket.get(job.ticket)!;
        for (let at = places.get(job.id)! + 1; at < line.length; at++) yield line[at]!;
        return;
      }
      const next = byId.get(job.decision?.nextJob ?? "");
      if (next !== undefined) yield next;
    },
  };
}

export function outcomesOf(jobs: readonly EndedJob[]): ReadonlyMap<string, JobOutcome> {
  const ordered = jobs.toSorted((a, b) => a.finishedAt - b.finishedAt || compareText(a.id, b.id));
  const course = courseOf(ordered);
  return new Map(ordered.map((job) => [job.id, outcomeOf(job, course)]));
}

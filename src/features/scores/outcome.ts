/**
 * Whether a job was a success, and who says so: never the role itself. A pure table over stored rows
 * (decision record 0019).
 */
import type { Disposition, FailureCategory } from "svc/core/disposition.ts";
import type { SettlementState } from "svc/features/routing/settlement_table.ts";

/** A job that has ended, with what svc decided and did about it. */
export interface EndedJob {
  readonly id: string;
  readonly role: string;
  readonly ticket: string | null;
  readonly disposition: Disposition;
  readonly category: FailureCategory | null;
  readonly reason: string | null;
  readonly evidence: "live" | "fixture" | null;
  /** Epoch ms. */
  readonly startedAt: number | null;
  readonly finishedAt: number;
  readonly tokens: number;
  /** Undefined where nothing was decided, such as for one that was cancelled. */
  readonly decision: Decided | undefined;
  /** What its decision owed to the repo, when it owed anything. */
  readonly settlement: Settled | undefined;
}

export interface Decided {
  /** False: a rehearsal. */
  readonly applied: boolean;
  /** What the role said; the job has what counted. */
  readonly reported: string;
  /** The branch was still at the commit that it judged. */
  readonly sameCommit: boolean;
  readonly nextJob: string | null;
  /** Whether that job ran. */
  readonly nextBegan: boolean;
  /** Why nothing followed. */
  readonly stop: string | null;
}

export interface Settled {
  readonly state: SettlementState;
  readonly to: string | null;
  readonly merges: boolean;
  readonly reason: string;
}

/** Causes that are no category of a job: another role, a person or svc found the work wanting. */
export const VERDICTS = ["rework", "rejected", "overturned", "unproven"] as const;
export type Cause = FailureCategory | typeof VERDICTS[number];

export type Outcome =
  | { readonly kind: "success"; readonly by: string }
  | {
    readonly kind: "failure";
    readonly cause: Cause;
    /** In words, from whoever judged. */
    readonly why: string;
  }
  /** Nobody has judged it yet. */
  | { readonly kind: "open" }
  /** Says nothing about the role. */
  | { readonly kind: "none" };

const OPEN: Outcome = { kind: "open" };
const NONE: Outcome = { kind: "none" };

/** Faults of models' servers, of machines and of svc; a conflict is of two changes, not of one. */
const NO_FAULT: ReadonlySet<FailureCategory> = new Set([
  "model_unreachable",
  "rate_limited",
  "lease_expired",
  "internal",
  "tool_error",
  "git_conflict",
]);

/** Ends that are failures by themselves, where no category says it. */
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

/** Jobs of one repo in the order they ended, to look ahead in. */
interface Course {
  /** Those that ended after it on the same ticket, or the one that its decision asked for. */
  after(job: EndedJob): IteratorObject<EndedJob>;
}

/** What became of an approval in git. `superseded`: the ticket or its branch went on without it. */
function afterApproval(
  { settlement }: EndedJob,
): "stands" | "open" | "rejected" | "superseded" | "unknown" {
  if (settlement === undefined) return "unknown";
  if (settlement.state === "pending") return "open";
  if (settlement.state === "superseded") return "superseded";
  if (settlement.to === "done" || (settlement.to === null && settlement.merges)) return "stands";
  return settlement.reason.startsWith("pr_closed") ? "rejected" : "unknown";
}

const failure = (cause: Cause, why: string | null): Outcome => ({
  kind: "failure",
  cause,
  why: why ?? cause,
});

/** The first verdict of another role, before the same role handed in something newer. */
function judgeOf(job: EndedJob, course: Course): EndedJob | "newer" | undefined {
  for (const later of course.after(job)) {
    if (later.role === job.role) {
      if (later.disposition === "submitted") return "newer";
    } else if (isVerdict(later)) return later;
  }
  return undefined;
}

/** Work that another role looks at; `claims` where it says that there was nothing to do. */
function workOutcome(job: EndedJob, course: Course, claims: boolean): Outcome {
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

/** Failed checks of a pull request, or a person, sent it back. */
function submittedAfter(judge: EndedJob, course: Course, role: string): boolean {
  return judge.ticket !== null &&
    course.after(judge).some((later) => later.role === role && later.disposition === "submitted");
}

/** An approval stands when its change went in and was not worked on again. */
function approvalOutcome(job: EndedJob, course: Course): Outcome {
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

/** A request for changes stands when the other role found something to change. */
function requestOutcome(job: EndedJob, course: Course): Outcome {
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

/** As `routing/decide.ts` says it of a choice that no ticket stands behind. */
const NOTHING_STARTABLE = "no ticket can be started";

/** Planning is right when what it led to began. */
function planOutcome({ decision }: EndedJob): Outcome {
  if (decision === undefined) return NONE;
  if (decision.nextJob !== null) {
    return decision.nextBegan ? { kind: "success", by: "svc" } : OPEN;
  }
  // A route that ends there, or a person who starts each job, leaves nothing to measure by.
  return decision.stop === NOTHING_STARTABLE ? failure("unproven", decision.stop) : NONE;
}

function outcomeOf(job: EndedJob, course: Course): Outcome {
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
    case "planned":
    case "routed":
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
      return NONE; // blocked: a person is asked, which is neither good nor bad
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

/** By job. @param jobs of one repo, in any order */
export function outcomesOf(jobs: readonly EndedJob[]): ReadonlyMap<string, Outcome> {
  const ordered = jobs.toSorted((a, b) =>
    a.finishedAt - b.finishedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  );
  const course = courseOf(ordered);
  return new Map(ordered.map((job) => [job.id, outcomeOf(job, course)]));
}

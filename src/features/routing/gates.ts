/** A role's word is not evidence: what it reported counts only as far as svc has seen it proven. */
import type { Disposition } from "svc/core/disposition.ts";
import type { Profile } from "svc/core/permission.ts";

/** A rule that was looked at and did not match. */
export interface UnmatchedRule {
  readonly rule: string;
  readonly why: string;
}

/** How a job ended, and what svc itself saw of it. */
export interface JobEnd {
  readonly role: string;
  readonly disposition: Disposition;
  /** In the role's own words, or why it was ended. */
  readonly evidence: string;
  /** Ticket that an orchestrator chose. */
  readonly chosen?: string;
  readonly profile: Profile;
  /** The branch holds commits that the default branch lacks. */
  readonly committed: boolean;
  /** The manifest's checks on the branch's last commit, run by svc after the role had ended. */
  readonly checks: "passed" | "failed" | "none" | "not_run";
  /** Names of checks that failed. */
  readonly failedChecks: readonly string[];
  /** The branch ends at the commit that this job was given to judge. */
  readonly sameCommit: boolean;
  /** It ends at a commit that is in the default branch already, and whose checks svc saw pass. */
  readonly merged: boolean;
  /** Paths that were changed and not committed. */
  readonly uncommitted: readonly string[];
  /** Why the branch must not go on as it is; a role can put that right. */
  readonly objections: readonly string[];
  /** The same, where only a person can. */
  readonly foreign: readonly string[];
  /** Tickets can be started now. */
  readonly planned: boolean;
}

interface GateResult {
  readonly disposition: Disposition;
  readonly refused?: UnmatchedRule;
}

/** In observer profile nothing can be proven or applied: the decision is a rehearsal. */
export function gate(ended: JobEnd): GateResult {
  const { disposition, profile } = ended;
  if (profile === "observer") return { disposition };
  if (disposition === "submitted") return submitted(ended);
  if (disposition === "approved") return approved(ended);
  if (disposition === "planned" && !ended.planned) {
    return refuse(ended, "no_work", "no ticket can be started");
  }
  return { disposition };
}

function refuse(ended: JobEnd, to: Disposition, why: string): GateResult {
  return {
    disposition: to,
    refused: { rule: `roles.${ended.role}.routes.${ended.disposition}`, why },
  };
}

/** Files that one refusal names. */
const SHOWN = 5;

function submitted(ended: JobEnd): GateResult {
  const { foreign, objections, uncommitted } = ended;
  if (!ended.committed) return refuse(ended, "no_work", "no commit was made");
  if (foreign.length > 0) return refuse(ended, "blocked", foreign.join(". "));
  if (objections.length > 0) return refuse(ended, "checks_failed", objections.join(". "));
  if (uncommitted.length > 0) {
    const rest = uncommitted.length > SHOWN ? ` and ${uncommitted.length - SHOWN} more` : "";
    const files = `${uncommitted.slice(0, SHOWN).join(", ")}${rest}`;
    return refuse(
      ended,
      "checks_failed",
      `not committed, so that no check says anything: ${files}`,
    );
  }
  const red = unproven(ended);
  return red === undefined ? { disposition: "submitted" } : refuse(ended, "checks_failed", red);
}

/** Nothing to merge is nothing to approve, unless it was merged meanwhile. */
function approved(ended: JobEnd): GateResult {
  const { foreign, objections } = ended;
  const sendBack = (why: string) => refuse(ended, "changes_requested", why);
  if (!ended.sameCommit) return sendBack("the branch moved on while it was judged");
  if (!ended.committed && !ended.merged) return sendBack("the branch holds no commit to approve");
  if (foreign.length > 0) return refuse(ended, "blocked", foreign.join(". "));
  if (objections.length > 0) return sendBack(objections.join(". "));
  const red = unproven(ended);
  return red === undefined ? { disposition: "approved" } : sendBack(red);
}

function unproven({ checks, failedChecks }: JobEnd): string | undefined {
  if (checks === "failed") return `checks failed: ${failedChecks.join(", ")}`;
  return checks === "not_run" ? "the checks were not run" : undefined;
}

/** A role's word is not evidence: what it reported counts only as far as svc has seen it proven. */
import type { Disposition } from "svc/core/disposition.ts";
import type { Profile } from "svc/core/permission.ts";

/** A rule that was looked at and did not match. */
export interface Refused {
  readonly rule: string;
  readonly why: string;
}

/** How a job ended, and what svc itself saw of it. */
export interface Ended {
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
  /** Tickets can be started now. */
  readonly planned: boolean;
}

export interface Gated {
  readonly disposition: Disposition;
  readonly refused?: Refused;
}

/** In observer profile nothing can be proven or applied: the decision is a rehearsal. */
export function gate(ended: Ended): Gated {
  const { disposition, profile } = ended;
  if (profile === "observer") return { disposition };
  if (disposition === "submitted") return submitted(ended);
  if (disposition === "approved") return approved(ended);
  if (disposition === "planned" && !ended.planned) {
    return refuse(ended, "no_work", "no ticket can be started");
  }
  return { disposition };
}

function refuse(ended: Ended, to: Disposition, why: string): Gated {
  return {
    disposition: to,
    refused: { rule: `roles.${ended.role}.routes.${ended.disposition}`, why },
  };
}

function submitted(ended: Ended): Gated {
  if (!ended.committed) return refuse(ended, "no_work", "no commit was made");
  if (ended.checks === "failed") {
    return refuse(ended, "checks_failed", `checks failed: ${ended.failedChecks.join(", ")}`);
  }
  if (ended.checks === "not_run") return refuse(ended, "checks_failed", "the checks were not run");
  return { disposition: "submitted" };
}

function approved(ended: Ended): Gated {
  if (!ended.sameCommit) {
    return refuse(ended, "changes_requested", "the branch moved on while it was judged");
  }
  if (ended.checks === "failed") {
    return refuse(ended, "changes_requested", `checks failed: ${ended.failedChecks.join(", ")}`);
  }
  return { disposition: "approved" };
}

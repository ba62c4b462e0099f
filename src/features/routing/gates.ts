/** Gates: what a role reports counts only as far as svc itself has seen it proven. */
import type { Disposition } from "svc/core/disposition.ts";
import type { AskedQuestion } from "svc/core/question.ts";
import type { Profile } from "svc/core/permission.ts";

export interface UnmatchedRule {
  readonly rule: string;
  readonly why: string;
}

export interface JobEnd {
  readonly role: string;
  readonly disposition: Disposition;
  readonly evidence: string;
  readonly chosen?: string;
  /** With `blocked`: what a person is asked. */
  readonly question?: AskedQuestion;
  readonly profile: Profile;
  readonly committed: boolean;
  /** From svc's own run after the role had ended. */
  readonly checks: "passed" | "red_before" | "unjudged" | "failed" | "none" | "not_run";
  readonly failedChecks: readonly string[];
  /** How each failed check ended, with the end of its output. */
  readonly checkOutput?: string;
  /** They fail without the work too, and no acceptance line names them. */
  readonly redBefore?: readonly string[];
  /** Whether the branch still ends at the commit that this job was given to judge. */
  readonly sameCommit: boolean;
  /** Merged at a commit whose checks svc saw pass. */
  readonly merged: boolean;
  readonly uncommitted: readonly string[];
  /** A role can correct these; `foreign` takes a person. */
  readonly objections: readonly string[];
  readonly foreign: readonly string[];
  readonly planned: boolean;
  /** Number of the pull request of others that it was to look at, which is no branch of svc. */
  readonly pull?: number;
}

interface GateResult {
  readonly disposition: Disposition;
  readonly refused?: UnmatchedRule;
  /** What svc saw and the next role should know. */
  readonly note?: string;
}

/** In observer profile all pass: the decision is only a rehearsal. */
export function gate(ended: JobEnd): GateResult {
  const { disposition, profile, pull } = ended;
  if (profile === "observer") return { disposition };
  if (disposition === "submitted") return submitted(ended);
  if (disposition === "approved") return pull === undefined ? approved(ended) : { disposition };
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
  return red === undefined ? passed(ended) : refuse(ended, "checks_failed", red);
}

/** A check that was red may hide a new fault: whoever judges the work is told. */
function passed({ disposition, checks, redBefore = [] }: JobEnd): GateResult {
  if (redBefore.length === 0) return { disposition };
  const seen = `svc saw red before and after: ${redBefore.join(", ")}`;
  const all = checks === "unjudged" ? "; no green check has judged the work" : "";
  return { disposition, note: `${seen}${all}` };
}

function approved(ended: JobEnd): GateResult {
  const { foreign, objections } = ended;
  const sendBack = (why: string) => refuse(ended, "changes_requested", why);
  if (!ended.sameCommit) return sendBack("the branch moved on while it was judged");
  if (!ended.committed && !ended.merged) return sendBack("the branch holds no commit to approve");
  if (foreign.length > 0) return refuse(ended, "blocked", foreign.join(". "));
  if (objections.length > 0) return sendBack(objections.join(". "));
  const red = unproven(ended);
  return red === undefined ? passed(ended) : sendBack(red);
}

function unproven({ checks, failedChecks, checkOutput }: JobEnd): string | undefined {
  const output = checkOutput ? `. ${checkOutput}` : "";
  if (checks === "failed") return `checks failed: ${failedChecks.join(", ")}${output}`;
  return checks === "not_run" ? "the checks were not run" : undefined;
}

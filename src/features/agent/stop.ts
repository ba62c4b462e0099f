/** The ways a run ends: by its role's own word, by a fault of its model, or by a person. */
import {
  type Disposition,
  type FailureCategory,
  REPORTED_DISPOSITIONS,
} from "svc/core/disposition.ts";
import { duration } from "svc/core/time.ts";
import type { ModelFault } from "svc/features/models/client/model.ts";
import type { AskedQuestion } from "svc/core/question.ts";
import type { CallResult } from "./call_result.ts";

export interface Stop {
  readonly disposition: Disposition;
  readonly evidence: string;
  readonly ticket?: string;
  readonly question?: AskedQuestion;
  /** svc judged this very end in the run. */
  readonly judged?: true;
  /** Set exactly when something other than the role or a cancellation ended the run. */
  readonly category?: FailureCategory;
  readonly fault?: ModelFault;
  /** The way out where a budget is used up that other jobs share: the job goes on once there is more. */
  readonly raise?: string;
}

export const CANCELLED: Stop = { disposition: "cancelled", evidence: "The run was cancelled" };

export function faultStop(fault: ModelFault): Stop {
  const { remedy, retryAfterMs, category } = fault.detail;
  const wait = retryAfterMs === undefined ? "" : ` (it asks to wait ${duration(retryAfterMs)})`;
  const evidence = `${fault.message}${wait}. ${remedy}`;
  return { disposition: "model_error", evidence, category, fault };
}

/** The end that a role reported. @throws Error when the toolbox let something else through */
export function reportedStop({ outcome }: CallResult): Stop {
  const { disposition, evidence, ticket, question, judged } = outcome.facts;
  const reported = REPORTED_DISPOSITIONS.find((known) => known === disposition);
  if (reported === undefined || typeof evidence !== "string") {
    throw new Error("The outcome of finish has no disposition and evidence");
  }
  return {
    disposition: reported,
    evidence,
    ...(typeof ticket === "string" && { ticket }),
    ...(question !== undefined && { question: question as AskedQuestion }),
    ...(judged === true && { judged }),
  };
}

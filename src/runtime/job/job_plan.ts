/** What a job is given, and what is reported of it. */
import type { Cost } from "svc/core/cost.ts";
import type { Disposition } from "svc/core/disposition.ts";
import type { Doing, Tally, Turn } from "svc/features/agent/agent.ts";
import type { AskedQuestion } from "svc/core/question.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Concluded } from "./conclude.ts";
import type { HarnessText } from "./harness_source.ts";
import type { LeaseTimes } from "./heartbeat.ts";
import type { LimitFlags } from "./limits.ts";
import type { Proof } from "./prove.ts";

/** Called after the facts are stored. */
export interface Watch {
  readonly onTurn?: (turn: Turn) => void;
  readonly onText?: (delta: string) => void;
  readonly onDoing?: (doing: Doing) => void;
  readonly onStep?: (text: string) => void;
  /** What a person should know of the model, such as an assumed window; a step where nobody listens. */
  readonly onNote?: (text: string) => void;
}

export interface JobOptions extends LimitFlags, LeaseTimes, Watch {
  readonly modelEndpoint?: string | undefined;
  /** False for a manual run: the next role is named and not queued. */
  readonly follow: boolean;
  readonly codeIntel?: boolean | undefined;
}

export interface JobPlan {
  readonly job: Job;
  readonly repo: Repo;
  readonly manifest: Manifest;
  readonly harness: HarnessText;
}

export interface JobReport {
  readonly concluded: Concluded;
  readonly disposition: Disposition;
  readonly evidence: string;
  /** It waits in the ticket where the decision says so. */
  readonly question: AskedQuestion | undefined;
  readonly tally: Tally;
  readonly cost: Cost;
  readonly model:
    | { readonly provider: string; readonly model: string; readonly because: string }
    | undefined;
  readonly live: boolean;
  readonly trace: string | undefined;
  readonly branch: string | undefined;
  readonly proof: Proof;
}

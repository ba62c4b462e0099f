/** Metrics of code-graph assistance from stored evidence: counts, and medians with their samples. */
import { compareText } from "svc/core/order.ts";
import type { z } from "zod";
import type { Immutable } from "svc/core/immutable.ts";
import { CODE_EVIDENCE_SAMPLES } from "svc/core/bounds.ts";
import { median } from "svc/features/scores/role_scores.ts";
import { type EndedJob, type JobOutcome, outcomesOf } from "svc/features/scores/outcome.ts";
import { endedJobs } from "svc/features/scores/outcome_rows.ts";
import type { Db } from "svc/store/schema.ts";
import { evidenceSince } from "./evidence_store.ts";
import { wilson } from "svc/features/scores/wilson.ts";
import type { CodeEvidence } from "./evidence_table.ts";

export interface MeasuredJob extends CodeEvidence {
  readonly role: string;
  readonly turns: number;
  /** Input and output. */
  readonly tokens: number;
  /** As in the scores, judged by another role or person; undefined: not judged. */
  readonly success: boolean | undefined;
  /** Whether the model only played back a recording. */
  readonly fixture: boolean;
}

export function metricsShape(zod: typeof z) {
  const count = zod.int().min(0);
  const share = zod.number().min(0).max(1).nullable();
  const sampled = zod.strictObject({
    samples: count,
    /** Null with fewer than `CODE_EVIDENCE_SAMPLES`. */
    median: zod.number().nullable(),
  });
  const side = zod.strictObject({
    jobs: count,
    judged: count,
    successes: count,
    /** Wilson 95 % interval of the share of successes, times 100; null with too few. */
    success: zod.strictObject({ lower: zod.number(), upper: zod.number() }).nullable(),
    turns_to_first_edit: sampled,
    reads_to_first_edit: sampled,
    turns: sampled,
    tokens: sampled,
  });
  const sides = { assisted: side, unassisted: side };
  return zod.strictObject({
    /** Jobs by a model that plays back; they count nowhere else here. */
    fixture: count,
    ...sides,
    offered: zod.strictObject({
      jobs: count,
      offered: count,
      changed: count,
      hits: count,
      precision: share,
      recall: share,
      ms: sampled,
    }),
    roles: zod.array(zod.strictObject({ role: zod.string(), ...sides })),
  });
}

type CodeMetrics = Immutable<z.infer<ReturnType<typeof metricsShape>>>;
export type SideMetrics = CodeMetrics["assisted"];
export type Sampled = SideMetrics["turns"];

const enough = (samples: number) => samples >= CODE_EVIDENCE_SAMPLES;

const sampled = (values: readonly number[]): Sampled => ({
  samples: values.length,
  median: enough(values.length) ? median(values) : null,
});

const share = (part: number, whole: number) =>
  whole === 0 ? null : Math.round(part / whole * 1000) / 1000;

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);

function sideOf(jobs: readonly MeasuredJob[]): SideMetrics {
  const judged = jobs.filter(({ success }) => success !== undefined);
  const successes = judged.filter(({ success }) => success).length;
  const edited = jobs.filter(({ first_edit_turn }) => first_edit_turn !== null);
  return {
    jobs: jobs.length,
    judged: judged.length,
    successes,
    success: enough(judged.length) ? wilson(successes, judged.length) : null,
    turns_to_first_edit: sampled(edited.map(({ first_edit_turn }) => first_edit_turn!)),
    reads_to_first_edit: sampled(edited.map(({ reads_before_edit }) => reads_before_edit)),
    turns: sampled(jobs.map(({ turns }) => turns)),
    tokens: sampled(jobs.map(({ tokens }) => tokens)),
  };
}

function compared(jobs: readonly MeasuredJob[]): Pick<CodeMetrics, "assisted" | "unassisted"> {
  return {
    assisted: sideOf(jobs.filter(({ assisted }) => assisted === 1)),
    unassisted: sideOf(jobs.filter(({ assisted }) => assisted === 0)),
  };
}

function offeredOf(assisted: readonly MeasuredJob[]): CodeMetrics["offered"] {
  const changing = assisted.filter(({ changed_files }) => changed_files > 0);
  const offered = sum(changing.map((one) => (JSON.parse(one.offered) as unknown[]).length));
  const changed = sum(changing.map(({ changed_files }) => changed_files));
  const hits = sum(changing.map((one) => one.hits));
  const counts = enough(changing.length);
  return {
    jobs: changing.length,
    offered,
    changed,
    hits,
    precision: counts ? share(hits, offered) : null,
    recall: counts ? share(hits, changed) : null,
    ms: sampled(assisted.flatMap(({ offered_ms }) => offered_ms ?? [])),
  };
}

export function codeMetrics(all: readonly MeasuredJob[]): CodeMetrics {
  const jobs = all.filter(({ fixture }) => !fixture);
  const roles = [...Map.groupBy(jobs, ({ role }) => role)].sort(([a], [b]) => compareText(a, b));
  return {
    fixture: all.length - jobs.length,
    ...compared(jobs),
    offered: offeredOf(jobs.filter(({ assisted }) => assisted === 1)),
    roles: roles.map(([role, some]) => ({ role, ...compared(some) })),
  };
}

const DAY_MS = 86_400_000;

const judged = (outcome: JobOutcome | undefined) =>
  outcome?.kind === "success" ? true : outcome?.kind === "failure" ? false : undefined;

/** The window's newest `SCORE_JOBS`, as in scores. @param asked.now epoch ms */
export async function readMetrics(
  db: Db,
  asked: { readonly repoId: string; readonly now: number; readonly days: number },
): Promise<CodeMetrics> {
  const { repoId, now, days } = asked;
  const of = { repoId, since: now - days * DAY_MS };
  const [evidence, jobs] = await Promise.all([evidenceSince(db, of), endedJobs(db, of)]);
  const ended = new Map<string, EndedJob>(jobs.map((job) => [job.id, job]));
  const outcomes = outcomesOf(jobs);
  return codeMetrics(evidence.flatMap((one): MeasuredJob[] => {
    const job = ended.get(one.job_id);
    if (job === undefined) return [];
    return [{
      ...one,
      role: job.role,
      tokens: job.tokens,
      fixture: job.evidence === "fixture",
      success: judged(outcomes.get(job.id)),
    }];
  }));
}

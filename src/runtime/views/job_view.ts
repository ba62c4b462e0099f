/** `GET /api/job`: everything that is known about one job, and what could not be read. */
import { VIEW_TURNS } from "svc/core/bounds.ts";
import { counted } from "svc/core/counted.ts";
import { Failure } from "svc/core/failure.ts";
import { rfc3339 } from "svc/core/time.ts";
import { checksWithin } from "svc/features/checks/check_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { usesOf } from "svc/features/jobs/use_store.ts";
import { removalOf, removedOn } from "svc/features/retention/removal_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { PERSON_RULE } from "svc/features/routing/decision_table.ts";
import { decisionsOfJob } from "svc/features/routing/decision_store.ts";
import type { Decision } from "svc/features/routing/decision_table.ts";
import { denialsOf } from "svc/features/trust/denial_store.ts";
import { decisionItem, decisionShape } from "./decision_item.ts";
import { type Diff, jobDiff } from "./job_diff.ts";
import { type JobItem, jobItem, jobShape, taskOf } from "./job_item.ts";
import { type FoundTrace, traceOf } from "./job_trace.ts";
import { isJobId } from "./outside_ids.ts";
import { dashboardRead, NoLongerThere, type ReadSources } from "./read.ts";
import { count, type ShapeOf, time, type Z } from "./shape.ts";
import { type TracedRun, tracedRun, turnShape } from "./trace_turns.ts";
import type { Scope, ViewPorts } from "./view_ports.ts";

/** Bytes of a trace of which the newest turns are shown. */
const VIEW_TRACE_BYTES = 32 * 1024 * 1024;

const VIEW_JOB_LISTED = 200;

export const jobPageShape = (z: Z) =>
  z.strictObject({
    job: jobShape(z),
    task: z.string().nullable(),
    branch: z.string().nullable(),
    decisions: z.array(decisionShape(z)),
    denials: z.array(
      z.strictObject({ at: time(z), tool: z.string(), part: z.string(), reason: z.string() }),
    ),
    checks: z.array(z.strictObject({
      name: z.string(),
      outcome: z.string(),
      at: time(z),
      duration_secs: count(z),
      reason: z.string().nullable(),
    })),
    turns: z.array(turnShape(z)),
    /** Unified diff of its commit against where its branch left, cut at a bound; null when there is none. */
    diff: z.string().nullable(),
    diff_cut: z.boolean(),
    missing: z.array(z.string()),
  });
export type JobPage = ShapeOf<typeof jobPageShape>;

const UNTRACED: TracedRun = { turns: [], branch: undefined };

class MissingParts {
  readonly reasons: string[] = [];
  constructor(readonly log: ViewPorts["log"], readonly job: string) {}

  async otherwise<T, U>(nothing: U, read: () => Promise<T>): Promise<T | U> {
    try {
      return await read();
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (failure.code === "internal") {
        this.log.write("error", failure.message, { job: this.job, cause: thrown });
      }
      this.reasons.push(failure.message);
      return nothing;
    }
  }
}

/** Newest first until enough are there: only those are read. */
async function tracedTurns(trace: FoundTrace, missing: string[]): Promise<TracedRun> {
  const lines: string[] = [];
  let bytes = 0;
  const replies = trace.steps.filter(({ kind }) => kind === "reply");
  const newest = replies.slice(-VIEW_TURNS);
  for (const { results, ...reply } of newest.toReversed()) {
    bytes += reply.bytes + (results?.bytes ?? 0);
    if (bytes > VIEW_TRACE_BYTES) break;
    lines.unshift(await trace.text(reply), results === undefined ? "" : await trace.text(results));
  }
  const { turns } = tracedRun(lines.join("\n"));
  const more = replies.length - turns.length;
  if (more > 0) missing.push(`Only its trace has the first ${counted(more, "turn")}`);
  return { turns, branch: undefined };
}

/** @param wanted with the turns, or with no more than the branch */
async function runOf(
  sources: ReadSources,
  repo: RegisteredRepo,
  job: Job,
  { missing, wanted }: { readonly missing: MissingParts; readonly wanted: boolean },
): Promise<TracedRun> {
  return await missing.otherwise(UNTRACED, () =>
    traceOf(sources, repo, job, async (trace) => {
      if (wanted) missing.reasons.push(...trace.missing);
      const { turns } = wanted ? await tracedTurns(trace, missing.reasons) : UNTRACED;
      const { branch } = tracedRun(trace.job === undefined ? "" : await trace.text(trace.job));
      return { turns, branch };
    }));
}

/** @throws NoLongerThere for a job whose records retention removed */
async function sayRemoved(db: ViewPorts["db"], { repos }: Scope, id: string): Promise<void> {
  const removal = await removalOf(db, id, "job");
  if (removal === undefined || !repos.some((repo) => repo.id === removal.repo_id)) return;
  const { role, ticket_id, disposition, ended_at } = removal;
  const about = ticket_id === null ? "" : ` for ${ticket_id}`;
  const end = rfc3339(ended_at).slice(0, 10);
  throw new NoLongerThere(
    `${removedOn(removal)}: ${role}${about}, which ended ${disposition} on ${end}`,
  );
}

interface JobWork {
  readonly branch: string | null;
  readonly committed: boolean;
}

/** As its newest decision says; while it runs, as its trace says. */
function workOf(decisions: readonly Decision[], { branch }: TracedRun): JobWork {
  const last = decisions.findLast(({ rule }) => rule !== PERSON_RULE);
  if (last === undefined) return { branch: branch ?? null, committed: false };
  const said = JSON.parse(last.inputs) as {
    readonly branch?: unknown;
    readonly committed?: unknown;
  };
  return {
    branch: typeof said.branch === "string" ? said.branch : null,
    committed: said.committed === true,
  };
}

async function diffOf(
  ports: Pick<ViewPorts, "git" | "worktrees">,
  repo: RegisteredRepo,
  job: Job,
  { work: { branch, committed }, missing }: {
    readonly work: JobWork;
    readonly missing: MissingParts;
  },
): Promise<Diff | undefined> {
  if (branch === null) return undefined;
  return await missing.otherwise(undefined, async () => {
    const diff = await jobDiff(ports, repo, { head: job.head_commit, branch });
    if (diff === undefined && committed) {
      missing.reasons.push("Its work is merged, and the merge was not found");
    }
    return diff;
  });
}

/** The job's row tells it when an attempt ends. */
async function withUsage(db: ViewPorts["db"], item: JobItem, job: Job): Promise<JobItem> {
  const used = job.status === "running" ? await usesOf(db, job.id) : undefined;
  return used === undefined ? item : { ...item, ...used };
}

async function checksOf(
  { db, clock }: Pick<ViewPorts, "clock" | "db">,
  job: Job,
): Promise<JobPage["checks"]> {
  const { repo_id: repoId, role, started_at: from, finished_at } = job;
  if (from === null) return [];
  const to = finished_at ?? clock.now();
  const checks = await checksWithin(db, { repoId, role, from, to, limit: VIEW_JOB_LISTED });
  return checks.map(({ name, outcome, started_at, duration_ms, reason }) => ({
    name,
    outcome,
    at: rfc3339(started_at),
    reason,
    duration_secs: Math.round(duration_ms / 1000),
  }));
}

export const jobRead = dashboardRead({
  name: "job",
  about: "One job, with its turns, checks and diff.",
  query: {
    id: "needed",
    /** `/api/job-trace` has them all. */
    turns: ["none"],
  },
  shape: jobPageShape,
  missing: { status: 404, error: "no such job" },
  async read(sources, { id, turns }): Promise<JobPage | undefined> {
    const { ports, scope } = sources;
    const job = isJobId(id) ? await jobById(ports.db, id) : undefined;
    if (job === undefined && isJobId(id)) await sayRemoved(ports.db, scope, id);
    const repo = scope.repos.find((one) => one.id === job?.repo_id);
    if (job === undefined || repo === undefined) return undefined;
    const missing = new MissingParts(ports.log, id);
    const decisions = await decisionsOfJob(ports.db, id);
    const run = await runOf(sources, repo, job, { missing, wanted: turns === undefined });
    const work = workOf(decisions, run);
    const diff = await diffOf(ports, repo, job, { work, missing });
    const denials = await denialsOf(ports.db, id, VIEW_JOB_LISTED);
    return {
      job: await withUsage(ports.db, jobItem(job, scope, ports.clock.now()), job),
      task: taskOf(job),
      branch: work.branch,
      decisions: decisions.map((decision) => decisionItem(decision, scope)),
      denials: denials.map(({ at, tool, part, reason }) => ({
        at: rfc3339(at),
        tool,
        part,
        reason,
      })),
      checks: await checksOf(ports, job),
      turns: [...run.turns],
      diff: diff?.text ?? null,
      diff_cut: diff?.cut ?? false,
      missing: missing.reasons,
    };
  },
});

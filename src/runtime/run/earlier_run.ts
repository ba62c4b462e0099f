/** Finds a run that was cut off, so that another can continue where its trace ends. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Resumed } from "svc/features/agent/agent.ts";
import { resumeFrom } from "svc/features/agent/resume.ts";
import { readTrace, type TraceRecord } from "svc/features/agent/trace.ts";
import { removalOf, removedOn } from "svc/features/retention/removal_store.ts";
import { jobsNamed, resumesOf } from "svc/features/jobs/job_views.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { tracePath } from "svc/runtime/job/trace_path.ts";
import type { Db } from "svc/store/schema.ts";

/** A trace that is read to go on from it; a run of two hundred calls has some 10 MiB. */
const TRACE_FILE_BYTES = 256 * 1024 * 1024;

/** What the payload of the new job says of the earlier one. */
export interface Earlier {
  /** Path of its trace. */
  readonly earlier: string;
  /** Where it worked, for work without a ticket. */
  readonly branch?: string;
}

export interface EarlierRun {
  readonly ticket: string | undefined;
  readonly task: string | undefined;
  readonly payload: Earlier;
  /** Jobs that may hold its work tree: the run itself, and those that were meant to continue it but did not. */
  readonly jobs: readonly string[];
}

async function recordsOf(
  { files }: Pick<RuntimePorts, "files">,
  path: string,
): Promise<readonly TraceRecord[]> {
  if (await files.stat(path) === undefined) return [];
  return readTrace(await files.readText(path, { maxBytes: TRACE_FILE_BYTES, lossy: true }));
}

function cannot(named: string, why: string, remedy: string): Failure {
  return new Failure("conflict", `Cannot resume ${quoted(named)}: ${why}`, { remedy });
}

async function whyNot(db: Db, job: string, traced: boolean): Promise<string> {
  if (traced) return "it came to its own end";
  const removal = await removalOf(db, job, "files");
  return removal === undefined ? "it left no trace" : `its trace was ${removedOn(removal)}`;
}

type EarlierRunPorts = Pick<RuntimePorts, "db" | "files" | "home">;

/**
 * If work was done after the end of the trace at `path`, it would be repeated.
 * @returns the jobs that were to go on with it and came to nothing
 */
async function refuseGoneOn(
  ports: EarlierRunPorts,
  repo: Pick<Repo, "id" | "root">,
  { path, named }: { readonly path: string; readonly named: string },
): Promise<readonly string[]> {
  const resumes = await resumesOf(ports.db, repo.id, path);
  for (const { id, role } of resumes) {
    const records = await recordsOf(ports, tracePath(ports.home, repo, id));
    if (!records.some(({ kind }) => kind === "resumed")) continue;
    const ended = resumeFrom(records) === undefined;
    const remedy = ended ? `svc explain ${id}` : `svc run ${role} --resume ${id}`;
    throw cannot(named, `the role went on with it as ${id}`, remedy);
  }
  return resumes.map(({ id }) => id);
}

/**
 * @throws Failure `usage`, `not_found`; `conflict` for one that ended, still runs, left no trace or was
 *   gone on with before
 */
export async function earlierRun(
  ports: EarlierRunPorts,
  repo: Pick<Repo, "id" | "root">,
  role: string,
  named: string,
): Promise<EarlierRun> {
  if (!/^[0-9a-f-]{6,36}$/.test(named)) {
    throw new Failure("usage", `Cannot resume ${quoted(named)}: it is no id of a job`, {
      remedy: "Give the id that svc run printed, or at least its last 6 characters",
    });
  }
  const [job, ...others] = await jobsNamed(ports.db, named);
  if (job === undefined || job.repo_id !== repo.id) {
    throw new Failure("not_found", `Cannot find a job ${quoted(named)} of this repo`, {
      remedy: "Pass --db when it ran under another database",
    });
  }
  if (others.length > 0) throw cannot(named, "several jobs end so", "Give more of its id");
  if (job.role !== role) {
    throw cannot(named, `it ran as ${job.role}`, `svc run ${job.role} --resume ${named}`);
  }
  if (job.status === "running" || job.status === "pending") {
    throw cannot(named, `it is ${job.status}`, "Wait for it, or stop it");
  }
  const path = tracePath(ports.home, repo, job.id);
  const records = await recordsOf(ports, path);
  if (resumeFrom(records) === undefined) {
    throw cannot(named, await whyNot(ports.db, job.id, records.length > 0), `svc run ${role}`);
  }
  const failed = await refuseGoneOn(ports, repo, { path, named });
  const branch = records.find(({ kind }) => kind === "job")?.branch;
  const { task } = JSON.parse(job.payload) as { task?: string };
  return {
    ticket: job.ticket_id ?? undefined,
    task,
    jobs: [job.id, ...failed],
    payload: {
      earlier: path,
      ...(job.ticket_id === null && typeof branch === "string" && { branch }),
    },
  };
}

/** Whether the trace at `path` holds something to go on from. */
export async function canResume(
  ports: Pick<RuntimePorts, "files">,
  path: string,
): Promise<boolean> {
  return resumeFrom(await recordsOf(ports, path)) !== undefined;
}

/** The conversation so far. @throws Failure `conflict` when the trace is gone */
export async function resumedFrom(
  ports: Pick<RuntimePorts, "files">,
  path: string,
): Promise<Resumed> {
  const resumed = resumeFrom(await recordsOf(ports, path));
  if (resumed !== undefined) return resumed;
  throw cannot(path, "its trace holds nothing to go on from", "Run the role anew");
}

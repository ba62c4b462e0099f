/** Finds the trace of a job, and says what is wrong with it: gone, packed, cut short, or still being written. */
import { type OpenTrace, TRACE_STEPS } from "svc/features/agent/trace_index.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { removalOf, removedOn } from "svc/features/retention/removal_store.ts";
import { tracePath } from "svc/runtime/job/trace_path.ts";
import { isJobId } from "./outside_ids.ts";
import type { ReadSources } from "./read.ts";
import type { ViewPorts } from "./view_ports.ts";

export interface FoundTrace extends Pick<OpenTrace, "bytes" | "job" | "steps" | "text"> {
  readonly live: boolean;
  /** What a reader should know about the trace, as sentences without a full stop. */
  readonly missing: readonly string[];
}

type TracePorts = Pick<ViewPorts, "db" | "files" | "home">;

/** File name endings that compressors add. */
const PACKED = [".gz", ".zst", ".xz", ".bz2"];

/** How the files of gzip, zstd, xz and bzip2 begin, read as UTF-8; a trace begins with a brace. */
const PACKED_BEGIN = ["\x1f\ufffd", "(\ufffd/\ufffd", "\ufffd7zXZ", "BZh"];

const lives = ({ status }: Pick<Job, "status">) => status === "running" || status === "pending";

function none(job: Job, ...missing: string[]): FoundTrace {
  const nothing = { steps: [], job: undefined, bytes: 0, text: () => Promise.resolve("") };
  return { ...nothing, live: lives(job), missing };
}

/** @returns why a job has no trace; nothing for one that waits */
async function whyUntraced({ db, files }: TracePorts, job: Job, path: string): Promise<string[]> {
  const removal = await removalOf(db, job.id, "files");
  if (removal !== undefined) return [`Its trace and its outputs were ${removedOn(removal)}`];
  for (const ending of PACKED) {
    if (await files.stat(path + ending) === undefined) continue;
    return [`Its trace was compressed, and is shown once it is unpacked: ${path}${ending}`];
  }
  if (job.status === "pending") return [];
  if (job.status === "running") return ["It has not come to its first turn yet"];
  return [
    job.trace_path === null
      ? "There is no trace: the job never reached its first turn"
      : "The trace no longer exists: its file is gone",
  ];
}

const plural = (count: number, one: string, many: string) =>
  count === 1 ? `One ${one}` : `${count} ${many}`;

async function faultsOf(trace: OpenTrace, job: Job, path: string): Promise<string[]> {
  const { broken, unfinished, more, bytes, steps } = trace;
  if (steps.length === 0 && bytes > 0) {
    const begin = await trace.text({ from: 0, bytes: Math.min(bytes, 6) });
    if (PACKED_BEGIN.some((packed) => begin.startsWith(packed))) {
      return [`Its trace was compressed, and is shown once it is unpacked: ${path}`];
    }
  }
  return [
    ...broken === 0
      ? []
      : [`${plural(broken, "line of its trace is", "lines of its trace are")} broken off`],
    ...unfinished === 0 || job.status === "running"
      ? []
      : ["Its trace ends in the middle of a line: its writer was killed, or the disk was full"],
    ...more === 0 ? [] : [`Its trace goes on: the first ${TRACE_STEPS} steps are shown`],
  ];
}

export async function traceOf<T>(
  { ports, traces }: Pick<ReadSources, "traces"> & { readonly ports: TracePorts },
  repo: Pick<RegisteredRepo, "id" | "path">,
  job: Job,
  use: (trace: FoundTrace) => Promise<T>,
): Promise<T> {
  const path = job.trace_path ?? tracePath(ports.home, { id: repo.id, root: repo.path }, job.id);
  if (await ports.files.stat(path) === undefined) {
    return await use(none(job, ...await whyUntraced(ports, job, path)));
  }
  return await traces.open(path, async (trace) =>
    await use({
      ...{ steps: trace.steps, job: trace.job, bytes: trace.bytes, text: trace.text },
      ...{ live: lives(job), missing: await faultsOf(trace, job, path) },
    }));
}

/** Undefined when the job is unknown, or of a repo that may not be shown. */
export async function foundTrace<T>(
  sources: Pick<ReadSources, "ports" | "scope" | "traces">,
  id: string,
  use: (trace: FoundTrace) => Promise<T>,
): Promise<T | undefined> {
  const job = isJobId(id) ? await jobById(sources.ports.db, id) : undefined;
  const repo = sources.scope.repos.find((one) => one.id === job?.repo_id);
  if (job === undefined || repo === undefined) return undefined;
  return await traceOf(sources, repo, job, use);
}

/** Reads the steps of a job's trace, and goes on while it runs: by its file and the database, in any process. */
import { TraceIndexes } from "svc/features/agent/trace_index.ts";
import { isAbandoned } from "svc/features/jobs/owner.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import type { App } from "svc/app.ts";
import { traceOf } from "svc/runtime/views/job_trace.ts";
import type { StoredJob } from "svc/runtime/session/stored_job.ts";
import { type ShownStep, stepOf } from "./shown_step.ts";

/** Time between two looks for what is new. */
const LOOK_MS = 500;

interface Read {
  /** Steps of the whole trace. */
  readonly total: number;
  readonly missing: readonly string[];
}

interface Following {
  /** The newest of what is there already; undefined takes all. */
  readonly tail: number | undefined;
  on(step: ShownStep): void;
}

/** Undefined: it was removed meanwhile. */
export interface Followed extends Read {
  readonly job: Job | undefined;
  /** The process that ran it died, and no other has it. */
  readonly abandoned: boolean;
}

export class JobReader {
  readonly #traces: TraceIndexes;
  /** Number of the first step that was not told. */
  #next: number | undefined;

  constructor(
    readonly ports: Pick<App, "clock" | "files" | "home" | "identities" | "signal">,
    readonly stored: Pick<StoredJob, "repo" | "store">,
    readonly following: Following,
  ) {
    this.#traces = new TraceIndexes(ports.files);
  }

  /** Tells what is new. A turn whose calls are not answered waits, unless `all`. */
  async read(job: Job, all: boolean): Promise<Read> {
    const { files, home } = this.ports;
    const { repo, store: { db } } = this.stored;
    const sources = { ports: { db, files, home }, traces: this.#traces };
    return await traceOf(sources, repo, job, async (trace) => {
      const { steps, missing } = trace;
      const { tail, on } = this.following;
      this.#next ??= tail === undefined ? 0 : Math.max(0, steps.length - tail);
      for (; this.#next < steps.length; this.#next++) {
        const place = steps[this.#next]!;
        const open = place.kind === "reply" && place.results === undefined;
        if (open && !all && this.#next === steps.length - 1) break;
        on(await stepOf(trace, this.#next, place));
        this.ports.signal.throwIfAborted();
      }
      return { total: steps.length, missing };
    });
  }

  /** Until the job has ended, was given up by a process that died, or was removed. */
  async follow(id: string): Promise<Followed> {
    const { clock, signal, identities } = this.ports;
    const { db } = this.stored.store;
    let last: Read = { total: 0, missing: [] };
    for (;;) {
      // Its row is read first: what is written before it ends is in the trace by then.
      const job = await jobById(db, id);
      if (job === undefined) return { ...last, job, abandoned: false };
      const over = job.status === "completed" || job.status === "failed";
      const abandoned = await isAbandoned(job, identities);
      last = await this.read(job, over || abandoned);
      if (over || abandoned) return { ...last, job, abandoned };
      await clock.sleep(LOOK_MS, signal);
      signal.throwIfAborted();
    }
  }
}

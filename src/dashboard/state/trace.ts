/** The steps of a job's run: pieces around what is seen, and the newest as they happen. */
import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { JobTrace, JobTraceText, StepItem } from "svc/runtime/views/job_trace_view.ts";
import { GivenUp, read } from "./api.ts";
import { onEvent, onReturn } from "./events.ts";
import { farFrom } from "./step_heights.ts";

/** Steps that are kept; those farthest from what is seen are forgotten, and asked for again. */
const KEPT_STEPS = 400;
/** Texts that were asked for whole. */
const KEPT_TEXTS = 20;
/** A reply is in the trace before its calls end, and no event tells of it. */
const LOOK_MS = 2_000;
/** Steps that may still change: a reply gets its results, and svc's word may stand between. */
const MAY_CHANGE = 3;

export class JobRun {
  readonly total: Signal<number | undefined> = signal(undefined);
  readonly live = signal(false);
  readonly missing = signal<readonly string[]>([]);
  readonly fault = signal<string | undefined>(undefined);
  /** Parts that the reader has opened: rows out of sight do not exist. */
  readonly opened = new Set<string>();
  /** Counts what came. */
  readonly came = signal(0);
  readonly #steps = new Map<number, StepItem>();
  readonly #texts = new Map<string, Signal<string>>();
  #seen = { first: 0, last: 0 };
  #asking = false;
  #newestAgain = false;
  #faultAt = 0;

  constructor(readonly id: string) {}

  step(nth: number): StepItem | undefined {
    return this.#steps.get(nth);
  }

  /** Asks for what of these is not there. */
  need(first: number, last: number): void {
    this.#seen = { first, last };
    if (Date.now() - this.#faultAt > LOOK_MS) void this.#fill();
  }

  /** Asks for what is new. */
  async newest(): Promise<void> {
    if (this.#asking) {
      this.#newestAgain = true;
      return;
    }
    const known = this.total.peek() ?? 0;
    await this.#ask(Math.max(0, known - MAY_CHANGE));
    await this.#fill();
  }

  /** What of a text has come, of which the step holds only the beginning. */
  text(step: number, part: string): Signal<string> | undefined {
    return this.#texts.get(`${step} ${part}`);
  }

  /** Fetches the next piece of a text. @throws {import("./api.ts").ServiceRefusal | import("./api.ts").Unreached} */
  async readOn(step: number, { part, text }: { part: string; text: string }): Promise<void> {
    const key = `${step} ${part}`;
    const known = this.#texts.get(key) ?? signal(text);
    const query = new URLSearchParams({
      ...{ id: this.id, step: String(step), part, from: String(known.peek().length) },
    });
    const piece = await read<JobTraceText>(`/api/job-trace-text?${query}`);
    known.value += piece.text;
    this.#texts.delete(key);
    this.#texts.set(key, known);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > KEPT_TEXTS) this.#texts.delete(oldest!);
    this.came.value++;
  }

  async #fill(): Promise<void> {
    while (!this.#asking) {
      const { first, last } = this.#seen;
      const total = this.total.peek() ?? 0;
      let from = first;
      while (from <= last && this.#steps.has(from)) from++;
      if (from > last || from >= total) return;
      if (!await this.#ask(from)) return;
    }
  }

  /** @returns whether anything came */
  async #ask(from: number): Promise<boolean> {
    this.#asking = true;
    try {
      const query = new URLSearchParams({ id: this.id, from: String(from) });
      const { steps, total, live, missing } = await read<JobTrace>(`/api/job-trace?${query}`);
      for (const step of steps) this.#steps.set(step.step, step);
      this.#forget();
      this.total.value = total;
      this.live.value = live;
      this.missing.value = missing;
      this.fault.value = undefined;
      this.came.value++;
      return steps.length > 0;
    } catch (thrown) {
      if (!(thrown instanceof GivenUp)) this.fault.value = (thrown as Error).message;
      this.#faultAt = Date.now();
      return false;
    } finally {
      this.#asking = false;
      if (this.#newestAgain) {
        this.#newestAgain = false;
        void this.newest();
      }
    }
  }

  #forget(): void {
    for (const nth of farFrom(this.#seen, [...this.#steps.keys()], KEPT_STEPS)) {
      this.#steps.delete(nth);
    }
  }
}

/** The run of this job, followed while the page is open. */
export function useRun(id: string): JobRun {
  const run = useMemo(() => new JobRun(id), [id]);
  useEffect(() => {
    const look = () => void run.newest();
    look();
    const leave = [
      onEvent(({ data }) => data.id === id && look()),
      onReturn(look),
    ];
    const every = setInterval(() => {
      if (document.visibilityState === "visible" && run.live.peek()) look();
    }, LOOK_MS);
    return () => {
      clearInterval(every);
      for (const end of leave) end();
    };
  }, [run]);
  return run;
}

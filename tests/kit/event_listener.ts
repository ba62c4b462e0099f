/** Whoever listens to the dashboard's events: all that came so far, and a way to wait for more. */
import type { Dashboard } from "demo/dashboard.ts";
import { within } from "./within.ts";

export interface Heard {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export class EventListener {
  readonly heard: Heard[] = [];
  /** Rejects when the stream breaks off. */
  readonly ended: Promise<void>;
  readonly #waiting = new Set<() => void>();
  #over = false;

  /** @param dashboard that somebody has logged in to */
  constructor(dashboard: Dashboard) {
    this.ended = this.#listen(dashboard);
    this.ended.catch(() => {}); // whoever awaits it sees it
  }

  /** The first one, past or to come, that fits. @param what for the error when there is none */
  async first(what: string, fits: (type: string, data: Heard["data"]) => boolean): Promise<Heard> {
    for (;;) {
      const found = this.heard.find(({ type, data }) => fits(type, data));
      if (found !== undefined) return found;
      if (this.#over) throw new Error(`the stream ended without ${what}`);
      const news = new Promise<void>((wake) => this.#waiting.add(wake));
      await within(news, () => `no ${what}, and ${this.heard.length} events before it`);
    }
  }

  /** The job's first event of that status. */
  job(id: unknown, status: "running" | "completed" | "failed"): Promise<Heard> {
    return this.first(
      `${status} of job ${id}`,
      (type, data) => type === "job_update" && data.id === id && data.status === status,
    );
  }

  async #listen(dashboard: Dashboard): Promise<void> {
    try {
      for await (const event of dashboard.events(new AbortController().signal)) {
        this.heard.push(event as Heard);
        this.#wake();
      }
    } finally {
      this.#over = true;
      this.#wake();
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

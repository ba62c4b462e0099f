/** A dashboard over a feed that is filled by hand, and a service that writes down what it is asked. */
import type { Event } from "svc/features/telemetry/event_store.ts";
import { dashboardListener, type DashboardPlan } from "svc/http/dashboard.ts";
import { type Clock, systemClock } from "svc/platform/clock.ts";
import type { Listener } from "svc/platform/net/listen.ts";
import type { EventFeed, ServiceStatus } from "svc/runtime/service/plan.ts";
import type { Reads } from "svc/runtime/views/all.ts";
import { notedTickets } from "tests/kit/noted_tickets.ts";
import { READS } from "./sample_reads.ts";

export const SECRET = "a control secret of 32 bytes: 0123456789";

/** Events in memory, told as they are added. */
export class HandFeed implements EventFeed {
  readonly events: Event[] = [];
  readonly #listeners = new Set<(event: Event) => void>();

  get last(): number {
    return this.events.at(-1)?.id ?? 0;
  }

  #quiet = Promise.withResolvers<void>();

  /** How many listen. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** Resolves when nobody listens any more. */
  get quiet(): Promise<void> {
    return this.#quiet.promise;
  }

  subscribe(listener: (event: Event) => void): () => void {
    if (this.#listeners.size === 0) this.#quiet = Promise.withResolvers<void>();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#quiet.resolve();
    };
  }

  after(id: number, limit: number): Promise<Event[]> {
    return Promise.resolve(this.events.filter((event) => event.id > id).slice(-limit));
  }

  add(data: Readonly<Record<string, unknown>>, type: Event["type"] = "job_update"): Event {
    const event = {
      ...{ id: this.last + 1, at: 1_700_000_000_000, type, repo_id: null, job_id: null },
      data: JSON.stringify(data),
    };
    this.events.push(event);
    for (const listener of this.#listeners) listener(event);
    return event;
  }
}

/** A clock that goes on when it is told to: sleepers wake when their time has come. */
export class SteppedClock implements Clock {
  #ahead = 0;
  readonly #asleep = new Set<{ until: number; wake: () => void }>();

  now(): number {
    return 1_700_000_000_000 + this.#ahead;
  }

  monotonic(): number {
    return this.#ahead;
  }

  processor(): number {
    return this.#ahead;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sleeper = { until: this.#ahead + ms, wake: resolve };
    this.#asleep.add(sleeper);
    signal?.addEventListener("abort", () => {
      this.#asleep.delete(sleeper);
      resolve();
    });
    return promise;
  }

  advance(ms: number): void {
    this.#ahead += ms;
    for (const sleeper of this.#asleep) {
      if (sleeper.until > this.#ahead) continue;
      this.#asleep.delete(sleeper);
      sleeper.wake();
    }
  }
}

type Asked = DashboardPlan["service"];

function statusNow(): ServiceStatus {
  return {
    ...{ asOf: 1_700_000_000_000, shape: "serve", profile: "host", condition: "running" },
    ...{ healthy: true, startedAt: 1_700_000_000_000, concurrency: 2, watchedAt: undefined },
    ...{
      claims: "claiming",
      reason: undefined,
      running: [],
      waits: [],
      checking: [],
      holds: [],
      overBudget: [],
      heldBack: [],
      decisions: [],
    },
    jobs: { pending: 0, running: 0, completed: 3, failed: 1 },
    repos: [{
      ...{ id: "r1", basename: "shop", root: "/home/ada/shop", branch: "main", next: [] },
      problem: undefined,
      tickets: { backlog: 1, "in-progress": 0, review: 0, blocked: 0, done: 2 },
    }],
  } as unknown as ServiceStatus;
}

export interface DashboardPlace extends AsyncDisposable {
  readonly listener: Listener;
  readonly url: string;
  readonly port: number;
  readonly host: string;
  readonly feed: HandFeed;
  /** Controls that were reached, with their arguments. */
  readonly asked: string[];
  /** Lines of the log, with what was thrown. */
  readonly logged: string[];
  login(secret?: string, headers?: Readonly<Record<string, string>>): Promise<Login>;
}

export interface Login {
  readonly status: number;
  readonly cookie: string;
  readonly csrf: string;
  readonly response: Response;
}

export interface DashboardWish extends Partial<Omit<DashboardPlan, "service" | "reads">> {
  readonly service?: Partial<Asked>;
  readonly reads?: Partial<Reads>;
}

export function dashboardPlace(wish: DashboardWish = {}): DashboardPlace {
  const feed = new HandFeed();
  const asked: string[] = [];
  const logged: string[] = [];
  const noted = (name: string) => (...args: unknown[]) => {
    asked.push([name, ...args].join(" "));
    return Promise.resolve();
  };
  const service: Asked = {
    feed,
    status: () => Promise.resolve(statusNow()),
    glance: () => statusNow(),
    pause: noted("pause"),
    resume: noted("resume"),
    restart: noted("restart"),
    stop: noted("stop"),
    async scan(repoId) {
      await noted("scan")(repoId);
      return { repo_id: repoId, findings: 4, created: 1, deduplicated: 3, stale: 0 };
    },
    async runRole(repoId, role) {
      await noted("run")(repoId, role);
      return { job: "j1", existed: false };
    },
    cancelJob: noted("cancel"),
    askNode: ({ act, node, reason }) => noted(`${act} node`)(node, reason),
    async retryJob(id) {
      await noted("retry")(id);
      return { job: "j2", existed: false };
    },
    answerTicket: (repo, ticket, { job, text }) => noted("answer")(repo, ticket, job, text),
    tellJob: noted("tell"),
    tickets: notedTickets(noted),
    emergencyStop: noted("emergency"),
    async decide({ act, ...of }) {
      await noted(act)(...Object.values(of).filter((value) => value !== undefined));
      return { decision: "d1", existed: false, said: "done", undo: "within 15 minutes" };
    },
    ...wish.service,
  };
  const listener = dashboardListener({
    ...{ addr: "127.0.0.1:0", secret: SECRET, clock: systemClock, assets: () => undefined },
    log: {
      write: (level, text, { cause } = {}) => void logged.push(`${level} ${text}: ${cause ?? ""}`),
    },
    ...wish,
    ...{ service, reads: wish.reads ?? READS },
  });
  const { port } = listener.address;
  const host = `127.0.0.1:${port}`;
  const url = `http://${host}`;
  return {
    ...{ listener, url, port, host, feed, asked, logged },
    async login(secret = SECRET, headers: Readonly<Record<string, string>> = {}) {
      const response = await fetch(`${url}/api/login`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: url, ...headers },
        body: JSON.stringify({ secret }),
      });
      const body = await response.json();
      const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      return { status: response.status, cookie, csrf: body.csrf_token ?? "", response };
    },
    [Symbol.asyncDispose]: () => listener.stop(1_000),
  };
}

/** The dashboard's own listener over facts that a test holds in its hand, and a service that does as told. */
import { notedTickets } from "./noted_tickets.ts";
import { Failure } from "svc/core/failure.ts";
import type { Event } from "svc/features/telemetry/event_store.ts";
import { dashboardListener, type DashboardPlan } from "svc/http/dashboard.ts";
import type { PageAsset } from "svc/http/page_asset.ts";
import { systemClock } from "svc/platform/clock.ts";
import type { EventFeed, ServiceStatus } from "svc/runtime/service/plan.ts";
import type { Reads } from "svc/runtime/views/all.ts";
import type { TicketShelf } from "tests/kit/browser_tickets.ts";
import { busyReads } from "tests/kit/browser_reads.ts";
import { compressed } from "tools/precompress.ts";

export const SECRET = "a control secret of 32 bytes: 0123456789";

const root = decodeURIComponent(new URL("../../assets/dashboard/", import.meta.url).pathname);
const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

function asset(path: string): PageAsset | undefined {
  const type = TYPES[path.slice(path.lastIndexOf(".") + 1)];
  try {
    if (type === undefined) return undefined;
    const bytes = Deno.readFileSync(root + path);
    return { bytes, type, coded: { gzip: compressed("gzip", bytes) } };
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}

function later(path: string): PageAsset | undefined {
  const known = asset(path);
  if (known === undefined || !path.endsWith(".js")) return known;
  const text = new TextDecoder().decode(Deno.readFileSync(root + path));
  return { bytes: new TextEncoder().encode(`${text}\n// a later one\n`), type: known.type };
}

/** Events in memory, told as they are added. */
class Feed implements EventFeed {
  readonly #events: Event[] = [];
  readonly #listeners = new Set<(event: Event) => void>();

  get last(): number {
    return this.#events.at(-1)?.id ?? 0;
  }

  subscribe(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  after(id: number, limit: number): Promise<Event[]> {
    return Promise.resolve(this.#events.filter((event) => event.id > id).slice(-limit));
  }

  add(type: Event["type"], data: Readonly<Record<string, unknown>>): void {
    const event = {
      ...{ id: this.last + 1, at: Date.now(), type, repo_id: null, job_id: null },
      data: JSON.stringify(data),
    };
    this.#events.push(event);
    for (const listener of this.#listeners) listener(event);
  }
}

export interface BrowserSite extends AsyncDisposable {
  readonly url: string;
  /** Controls that were reached, with their arguments. */
  readonly asked: string[];
  /** Tells every page that something happened. */
  happen(type: Event["type"], data: Readonly<Record<string, unknown>>): void;
  paused(): boolean;
  stop(): Promise<void>;
}

type Decide = DashboardPlan["service"]["decide"];

/** As a service that has done what it was asked under the same name before. */
function decides(asked: string[], decide: Decide | undefined): Decide {
  const done = new Map<string | undefined, Awaited<ReturnType<Decide>>>();
  return async (act) => {
    const known = act.request === undefined ? undefined : done.get(act.request);
    if (known !== undefined) return { ...known, existed: true };
    const { request, ...what } = act;
    asked.push(Object.values(what).filter((value) => value !== undefined).join(" "));
    const undo = act.act === "undo" || act.act === "recheck" ? undefined : "within 15 minutes";
    const acted = await decide?.(act) ??
      { decision: "d-1", existed: false, said: `${act.act}: done`, undo };
    done.set(request, acted);
    return acted;
  };
}

export interface SiteWish {
  /** In place of one that is done at once. */
  readonly decide?: Decide;
  readonly reads?: Partial<Reads>;
  /** What its pages write comes here. */
  readonly shelf?: TicketShelf;
  readonly secret?: string | undefined;
  readonly retryJob?: DashboardPlan["service"]["retryJob"];
  /** That was run. */
  readonly command?: string;
  /** As a later svc, whose program for the pages is another one. */
  readonly upgraded?: boolean;
  /** From `freePort`, for a site that will return there. */
  readonly port?: number;
}

export function browserSite(
  { reads = {}, port = 0, shelf, ...wish }: SiteWish = {},
): BrowserSite {
  const feed = new Feed();
  const asked: string[] = [];
  const startedAt = Date.now() - 193 * 60_000;
  let paused = false;
  const noted = (name: string, then = () => {}) => (...args: unknown[]) => {
    asked.push([name, ...args].join(" "));
    then();
    return Promise.resolve();
  };
  const claims = (value: boolean) => () => {
    paused = value;
    feed.add("status_change", { state: value ? "paused" : "running" });
  };
  const status = () => ({
    ...{ healthy: true, startedAt, claims: paused ? "paused" : "claiming" },
    ...{ running: [{}, {}], holds: [] },
    repos: ["harbor", "ledger"].map((basename) => ({ basename, root: `/srv/${basename}` })),
  } as unknown as ServiceStatus);
  const service: DashboardPlan["service"] = {
    feed,
    status: () => Promise.resolve(status()),
    glance: status,
    pause: noted("pause", claims(true)),
    resume: noted("resume", claims(false)),
    restart: noted("restart"),
    stop: noted("stop"),
    async scan(repoId) {
      await noted("scan")(repoId);
      return { repo_id: repoId, findings: 4, created: 1, deduplicated: 3, stale: 0 };
    },
    async runRole(repoId, role) {
      await noted("run-role")(repoId, role);
      if (role !== "gardener") {
        return { job: "0199d2a4-9e00-7c01-8c33-aa0000000001", existed: false };
      }
      throw new Failure("refused", 'Cannot run "gardener": its lane is held back after 3 failures');
    },
    cancelJob: noted("cancel-job"),
    async askNode({ act, node, reason }) {
      await noted(`${act}-node`)(node, reason ?? "");
      if (node === "south") throw new Failure("conflict", 'Cannot stop node "south": it stops');
    },
    async retryJob(id) {
      await noted("retry-job")(id);
      if (wish.retryJob !== undefined) return await wish.retryJob(id);
      return { job: "0199d2a4-9e00-7c01-8c33-aa0000000002", existed: false };
    },
    answerTicket: (repo, ticket, { job, text }) => noted("answer-ticket")(repo, ticket, job, text),
    tellJob: noted("tell-job"),
    tickets: shelf?.asks ?? notedTickets(noted),
    emergencyStop: noted("emergency-stop", claims(true)),
    decide: decides(asked, wish.decide),
  };
  const held = busyReads(Date.now, { ...shelf?.reads, ...reads });
  const listener = dashboardListener({
    ...{ addr: `127.0.0.1:${port}`, clock: systemClock, service },
    assets: wish.upgraded === true ? later : asset,
    secret: "secret" in wish ? wish.secret : SECRET,
    command: wish.command,
    reads: {
      ...held,
      pipeline: async () => ({ ...await held.pipeline(), claims: paused ? "paused" : "claiming" }),
    },
    log: { write: () => {} },
  });
  let over: Promise<void> | undefined;
  const stop = () => over ??= listener.stop(0);
  return {
    url: `http://127.0.0.1:${listener.address.port}`,
    asked,
    happen: (type, data) => feed.add(type, data),
    paused: () => paused,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Repos with a harness, a ticket and a scripted team, and the real parts of an engine for them. */
import { defaultFiles } from "svc/features/harness/defaults.ts";
import { routingText } from "svc/features/harness/model_routing.ts";
import { enqueue } from "svc/features/jobs/job_store.ts";
import { register } from "svc/features/repos/register.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import type { TicketDraft } from "svc/features/tickets/ticket_draft.ts";
import { listTickets, type Ticket } from "svc/features/tickets/ticket_list.ts";
import { createTickets } from "svc/features/tickets/tickets.ts";
import { type Clock, systemClock } from "svc/platform/clock.ts";
import { denoEntrance } from "svc/platform/entrance.ts";
import { denoFiles, type Files } from "svc/platform/files/files.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { removeOwn } from "svc/platform/files/remove_below.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { commitsOver } from "svc/platform/git/commit.ts";
import { worktreesOver } from "svc/platform/git/worktree.ts";
import { homeOf } from "svc/platform/home.ts";
import { identities } from "svc/platform/process/identity.ts";
import { denoProcesses, type Processes } from "svc/platform/process/process.ts";
import { lockRepo } from "svc/platform/git/repo_lock.ts";
import { readTree } from "svc/platform/files/tree_reader.ts";
import { type Engine, startEngine } from "svc/runtime/engine/engine.ts";
import type { EngineEvent, EnginePlan, EnginePorts } from "svc/runtime/engine/engine_plan.ts";
import { openTestStore } from "tests/unit/store/temp_store.ts";
import type { Db } from "svc/store/schema.ts";
import { type Files as RepoFiles, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

export interface Parts extends EnginePorts, AsyncDisposable {}

/** Replaces parts that a test wants to watch or to break. */
export interface Taps {
  readonly processes?: (real: Processes) => Processes;
  readonly files?: (real: Files) => Files;
  readonly clock?: Clock;
  readonly profile?: EnginePorts["profile"];
  readonly db?: (real: Db) => Db;
  readonly fetch?: typeof fetch;
  /** Path of the database. */
  readonly database?: string;
}

const DAY_MS = 86_400_000;
const untilNoon = DAY_MS / 2 - systemClock.now() % DAY_MS;

/** It is noon in UTC when a test begins: what counts by day is not there anew in its midst. */
export const AT_NOON: Clock = { ...systemClock, now: () => systemClock.now() + untilNoon };

/** @param base folder of home and database; it stays */
export async function enginePorts(base: string, taps: Taps = {}): Promise<Parts> {
  const vars: Record<string, string> = {
    ...{ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base, SVC_HOME: `${base}/home` },
    ...{ GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" },
    ...{ GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.org" },
  };
  const env = {
    get: (name: string) => vars[name],
    all: () => vars,
    forget: (name: string) => void delete vars[name],
  };
  const { clock = systemClock } = taps;
  const files = (taps.files ?? ((real) => real))(denoFiles());
  const processes = (taps.processes ?? ((real) => real))(denoProcesses());
  const store = await openTestStore({ clock }, taps.database ?? `${base}/svc.db`);
  const home = homeOf(env);
  const commits = commitsOver({ processes, env: vars, files, clock });
  const main = new URL("../../../main.ts", import.meta.url).href;
  const entrance = denoEntrance(main);
  const { load, fetch = entrance.fetch } = { ...entrance, ...taps };
  const db = taps.db?.(store.db) ?? store.db;
  return {
    ...{ env, fetch, load, home, clock, files, processes, commits, lockRepo, readTree, db },
    git: gitOver(processes, vars),
    worktrees: worktreesOver({
      ...{ processes, env: vars, files, clock, commits, openFolder },
      home: () => home.worktrees,
    }),
    folder: openFolder,
    removeOwn: removeOwn(() => home.root),
    log: { write() {}, open() {}, path: () => `${base}/svc.log`, close() {} },
    redact: (text) => text,
    settings: () => Promise.resolve(Config.parse({})),
    identities: identities(),
    profile: taps.profile ?? "host",
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

export interface HarnessedPlan {
  readonly files?: RepoFiles;
  /** Edits the manifest's text. */
  readonly manifest?: (text: string) => string;
}

/** Its check passes once `fixed.txt` is there. */
export async function harnessedRepo({ files = {}, manifest }: HarnessedPlan = {}): Promise<
  TempRepo
> {
  const project = {
    name: "shop",
    version: "1.0.0",
    default_branch: "main",
    setup: [],
    checks: [{ name: "test", run: ["sh", "test.sh"] }],
    ...{ languages: [], package_managers: [], docs: [], ci: [] },
  };
  const harness = defaultFiles(project, routingText({ mode: "defer" }))
    .map(({ path, text }) => [
      path,
      path === ".harness/manifest.yaml" ? manifest?.(text) ?? text : text,
    ]);
  return await tempRepo({
    files: {
      ...Object.fromEntries(harness),
      "test.sh": "test -e fixed.txt\n",
      "app.txt": "one\n",
      ...files,
    },
    commit: true,
  });
}

const DRAFT: TicketDraft = {
  title: "Make the test pass",
  ...{ type: "bug", priority: "p1", role: "engineer", source: "human" },
  acceptance: ["the check test passes"],
};

/** Registers the repo; gives its id. */
export async function registered(ports: Parts, path: string): Promise<string> {
  const repo = await ports.git.open(path);
  return (await register(ports, repo, {}, ports.clock.now())).repo.id;
}

export async function ticketed(
  ports: Parts,
  path: string,
  more: Partial<TicketDraft> = {},
): Promise<string> {
  using checkout = await openCheckout({ ...ports, signal: new AbortController().signal }, path);
  const { created } = await createTickets(checkout, [{ ...DRAFT, ...more }], { actor: "ada" });
  return created[0]!.id;
}

export async function ticketsOf(ports: Parts, path: string): Promise<readonly Ticket[]> {
  using checkout = await openCheckout({ ...ports, signal: new AbortController().signal }, path);
  return (await listTickets(checkout)).tickets;
}

export async function queued(ports: Parts, repo_id: string, role: string, ticket_id?: string) {
  const { job } = await enqueue(ports.db, {
    ...{ repo_id, role, trigger: "manual", source_trust: "contributor", profile: ports.profile },
    ...(ticket_id !== undefined && { ticket_id }),
  }, ports.clock.now());
  return job;
}

export const reposIn = (ports: Parts) => () => listRepos(ports.db);

/** Everything an engine said but for what streams. */
export interface Watched {
  readonly engine: Engine;
  readonly events: EngineEvent[];
  /** Resolves with the first event, past or to come, that fits. */
  seen(fits: (event: EngineEvent) => boolean): Promise<EngineEvent>;
}

export function watchedEngine(
  ports: Parts,
  plan: Partial<EnginePlan> & { readonly modelEndpoint: string },
): Watched {
  const events: EngineEvent[] = [];
  const waiting = new Set<(event: EngineEvent) => void>();
  const engine = startEngine({
    ports,
    repos: reposIn(ports),
    ...plan,
    on(event) {
      if (event.kind === "text" || event.kind === "step") return;
      events.push(event);
      for (const tell of waiting) tell(event);
    },
  });
  return {
    engine,
    events,
    seen(fits) {
      const past = events.find(fits);
      if (past !== undefined) return Promise.resolve(past);
      return new Promise((resolve) => {
        const tell = (event: EngineEvent) => {
          if (!fits(event)) return;
          waiting.delete(tell);
          resolve(event);
        };
        waiting.add(tell);
      });
    },
  };
}

/** Runs an engine until nothing is left to do. */
export async function carryOut(
  ports: Parts,
  modelEndpoint: string,
  plan: Partial<EnginePlan> = {},
): Promise<EngineEvent[]> {
  const { engine, events } = watchedEngine(ports, { ...plan, modelEndpoint });
  await engine.idle();
  await engine.stop();
  await engine.done;
  return events;
}

/** "engineer T-0001 completed submitted" of each job, oldest first. */
export async function jobLines({ db }: Parts): Promise<string[]> {
  const jobs = await db.selectFrom("jobs").selectAll().orderBy("created_at").orderBy("id")
    .execute();
  return jobs.map(({ role, ticket_id, status, disposition }) =>
    [role, ticket_id ?? "-", status, disposition ?? "-"].join(" ")
  );
}

/** Reads a service's status of its repos and its database, and caches it for a moment. */
import { Failure } from "svc/core/failure.ts";
import { statesOf } from "svc/core/machine.ts";
import type { JobStatus } from "svc/features/jobs/job_machine.ts";
import { budgetJobs } from "svc/features/jobs/job_store.ts";
import { countsByStatus, putOffJobs } from "svc/features/jobs/job_views.ts";
import { reachedLimits } from "svc/features/jobs/job_limit_store.ts";
import { pausedLanes } from "svc/features/jobs/lane_store.ts";
import type { Lane } from "svc/features/jobs/lane_table.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { recentDecisions } from "svc/features/routing/decision_store.ts";
import type { Decision } from "svc/features/routing/decision_table.ts";
import type { Event } from "svc/features/telemetry/event_store.ts";
import { openTicket } from "svc/features/tickets/ticket_list.ts";
import { ticketMachine, type TicketState } from "svc/features/tickets/ticket_machine.ts";
import { olderCopies } from "svc/features/tickets/older_copies.ts";
import { ticketPlaces } from "svc/features/tickets/ticket_places.ts";
import { within } from "svc/platform/clock.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import type { EngineState } from "svc/runtime/engine/engine_plan.ts";
import { type NodeItem, nodesNow } from "svc/runtime/views/node_item.ts";
import type { Db } from "svc/store/schema.ts";
import { serverOf } from "svc/store/server_adapter.ts";
import { limitNames } from "./limit_asked.ts";
import { Fresh } from "./fresh.ts";
import type { RuntimePorts, StoredPorts } from "svc/runtime/ports.ts";
import type { RepoOpener } from "svc/features/repos/repo.ts";
import type { RepoStatus, ServicePlan, ServiceStatus, StatusGlance } from "./plan.ts";
import { nextTriggers, schedulesOf } from "./trigger_times.ts";

/** How old facts about repos and about the database may be before they are read again; milliseconds. */
const STATUS_FRESH_MS = 15_000;
const STATUS_COUNTS_MS = 1_000;

/** A status waits this long for a new read, then tells the last one. */
const STATUS_WAIT_MS = 1_000;

const STATUS_DECISIONS = 10;
const STATUS_OVER_BUDGET = 3;
const STATUS_PUT_OFF = 3;

type BoardPorts = StoredPorts & Pick<RuntimePorts, "folder" | "git" | "log" | "node">;

interface BoardPlan extends Pick<ServicePlan, "repos" | "shape"> {
  readonly ports: BoardPorts;
  readonly manifestAt: RepoOpener["manifestAt"];
}

interface StoredFacts {
  readonly repos: readonly RegisteredRepo[];
  readonly jobs: Readonly<Record<JobStatus, number>>;
  readonly decisions: readonly Decision[];
  readonly lanes: readonly Lane[];
  readonly overBudget: ServiceStatus["overBudget"];
  readonly putOff: NonNullable<ServiceStatus["putOff"]>;
  readonly full: readonly string[];
  readonly nodes: readonly NodeItem[];
}

type RepoFindings = Pick<RepoStatus, "problem" | "tickets" | "questions" | "next">;

/** Blocked tickets of a repo that are read for their questions. */
const STATUS_QUESTIONS = 20;

export type ServiceCondition = Pick<ServiceStatus, "profile" | "condition" | "startedAt"> & {
  readonly engine: EngineState;
};

export type GlanceCondition = Pick<ServiceStatus, "claims" | "condition" | "startedAt">;

const none = <K extends string>(names: readonly K[]) =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<K, number>;

export const NO_TICKETS = none<TicketState>(statesOf(ticketMachine));
const NO_JOBS: StoredFacts["jobs"] = { pending: 0, running: 0, completed: 0, failed: 0 };

export class StatusBoard {
  readonly #plan: BoardPlan;
  readonly #stored: Fresh<StoredFacts>;
  readonly #looks = new Map<string, Fresh<RepoFindings>>();

  constructor(plan: BoardPlan) {
    this.#plan = plan;
    this.#stored = new Fresh(plan.ports.clock, STATUS_COUNTS_MS, () => readStored(plan));
  }

  onEvent({ type, repo_id }: Pick<Event, "type" | "repo_id">): void {
    if (type === "job_turn" || type === "telemetry") return;
    this.#stored.stale();
    if (repo_id !== null) this.#looks.get(repo_id)?.stale();
  }

  forget(): void {
    this.#stored.stale();
    for (const look of this.#looks.values()) look.stale();
  }

  /** Never throws, and waits no longer than `STATUS_WAIT_MS`. */
  async status(condition: () => ServiceCondition): Promise<ServiceStatus> {
    const { clock } = this.#plan.ports;
    const answered = await within(clock, STATUS_WAIT_MS, this.#refresh());
    return this.#statusOf(condition(), answered);
  }

  /** As `status`, of the database alone; at once while that was read a moment ago. */
  glance(condition: () => GlanceCondition): StatusGlance | Promise<StatusGlance> {
    if (this.#stored.isFresh) return this.#glanceOf(condition(), true);
    const { clock } = this.#plan.ports;
    return within(clock, STATUS_WAIT_MS, this.#stored.refresh(STATUS_WAIT_MS))
      .then((answered) => this.#glanceOf(condition(), answered));
  }

  #glanceOf(
    { condition, startedAt, claims }: GlanceCondition,
    answered: boolean,
  ): StatusGlance {
    const { value, fault, pending } = this.#stored;
    const runs = condition !== "stopping" && condition !== "stopped";
    const database = value !== undefined && fault === undefined && (answered || !pending);
    return { healthy: runs && database, claims, startedAt };
  }

  async #refresh(): Promise<void> {
    await this.#stored.refresh(STATUS_WAIT_MS);
    const repos = this.#stored.value?.repos ?? [];
    const ids = new Set(repos.map(({ id }) => id));
    for (const id of this.#looks.keys()) if (!ids.has(id)) this.#looks.delete(id);
    await Promise.all(repos.map((repo) => this.#lookAt(repo).refresh(STATUS_WAIT_MS)));
  }

  #lookAt(repo: RegisteredRepo): Fresh<RepoFindings> {
    const known = this.#looks.get(repo.id);
    if (known !== undefined) return known;
    const { clock } = this.#plan.ports;
    const look = new Fresh(clock, STATUS_FRESH_MS, () => lookAt(this.#plan, repo));
    this.#looks.set(repo.id, look);
    return look;
  }

  #statusOf({ engine, ...rest }: ServiceCondition, answered: boolean): ServiceStatus {
    const { clock } = this.#plan.ports;
    const { value } = this.#stored;
    const { problems, ...state } = engine;
    const whys = new Map(problems.map(({ repo, why }) => [repo, why]));
    return {
      ...state,
      ...rest,
      asOf: clock.now(),
      shape: this.#plan.shape,
      ...this.#glanceOf({ ...rest, claims: engine.claims }, answered),
      jobs: value?.jobs ?? NO_JOBS,
      repos: (value?.repos ?? []).map((repo) => this.#repoStatus(repo, whys.get(repo.path))),
      nodes: value?.nodes ?? [],
      overBudget: value?.overBudget ?? [],
      putOff: value?.putOff ?? [],
      full: value?.full ?? [],
      heldBack: (value?.lanes ?? []).map(({ kind, key, reason }) => ({ kind, key, reason })),
      decisions: (value?.decisions ?? []).map(decisionStatus),
    };
  }

  #repoStatus(repo: RegisteredRepo, engineProblem: string | undefined): RepoStatus {
    const look = this.#looks.get(repo.id);
    const problems = [engineProblem, look?.value?.problem, look?.fault?.message];
    const late = look?.value === undefined && look?.pending ? "it is still being read" : undefined;
    const said = new Set([...problems, late].filter((why) => why !== undefined));
    return {
      id: repo.id,
      basename: repo.path.slice(repo.path.lastIndexOf("/") + 1),
      root: repo.path,
      branch: repo.branch,
      problem: said.size === 0 ? undefined : [...said].join("; "),
      tickets: look?.value?.tickets ?? NO_TICKETS,
      questions: look?.value?.questions ?? [],
      next: look?.value?.next ?? [],
    };
  }
}

async function readStored(
  { ports: { db, clock, node }, repos, shape }: BoardPlan,
): Promise<StoredFacts> {
  const own = await repos();
  const [only] = own;
  // One database may serve more repos than the one that was started.
  const repoId = shape === "start" && own.length === 1 ? only!.id : undefined;
  const asked = { limit: STATUS_DECISIONS, ...(repoId !== undefined && { repoId }) };
  const repoIds = own.map(({ id }) => id);
  const now = clock.now();
  const [jobs, decisions, paused, budgets, later, full, nodes] = await Promise.all([
    countsByStatus(db, repoId),
    recentDecisions(db, asked),
    pausedLanes(db, now),
    budgetJobs(db, repoIds, STATUS_OVER_BUDGET),
    putOffJobs(db, { repoIds, now, limit: STATUS_PUT_OFF }),
    fullLimits(db, repoIds, node?.id),
    serverOf(db) === undefined ? [] : nodesNow({ db, clock }),
  ]);
  const lanes = paused.filter(({ kind, key }) =>
    kind === "model" || own.some(({ id }) => key.startsWith(`${id}/`))
  );
  const overBudget = budgets.map(({ role, ticket_id, repo_id, reason }) => ({
    ...{ role, ticket_id, repo_id, reason },
  }));
  const putOff = later.map(({ role, ticket_id, repo_id, reason, run_after }) => ({
    ...{ role, ticket_id, repo_id, reason, run_after },
  }));
  return { repos: own, jobs, decisions, lanes, overBudget, putOff, full, nodes };
}

/** A limit on repos that are not worked on here, or on another node, keeps no job from running here. */
async function fullLimits(
  db: Db,
  repoIds: readonly string[],
  node: string | undefined,
): Promise<string[]> {
  const reached = (await reachedLimits(db)).filter(({ scope, key }) =>
    scope === "repo" ? repoIds.includes(key) : scope !== "node" || key === node
  );
  if (reached.length === 0) return [];
  const names = await limitNames(db, reached);
  return reached.map(({ most }, at) => `${names[at]} ${most}`);
}

/** Counts tickets by file name, and reads only the blocked ones. */
export async function lookAt(
  plan: Pick<BoardPlan, "manifestAt" | "ports">,
  repo: RegisteredRepo,
): Promise<RepoFindings> {
  const { ports } = plan;
  const reading = { id: repo.id, ...await plan.manifestAt(repo.path) };
  const now = ports.clock.now();
  const { problems } = schedulesOf(reading, now);
  const next = nextTriggers([reading], now).map(({ role, at, why }) => ({ role, at, why }));
  const counted = await ticketCounts(ports, repo.path).catch((thrown) => {
    const failure = Failure.from(thrown);
    if (failure.code === "internal") {
      ports.log.write("error", "tickets could not be counted", { repo: repo.path, cause: thrown });
    }
    return failure.message;
  });
  const whys = [reading.problem, ...problems, typeof counted === "string" ? counted : undefined]
    .filter((why) => why !== undefined);
  return {
    problem: whys.length === 0 ? undefined : [...new Set(whys)].join("; "),
    ...(typeof counted === "string" ? { tickets: NO_TICKETS, questions: [] } : counted),
    next,
  };
}

async function ticketCounts(
  { folder, git }: BoardPorts,
  root: string,
): Promise<Pick<RepoStatus, "tickets" | "questions">> {
  using opened = await folder(root);
  // Git is asked only where a folder is too long to be listed.
  const listFiles: GitRepo["listFiles"] = async (...asked) =>
    await (await git.open(root)).listFiles(...asked);
  const reading = { folder: opened, git: { listFiles } };
  const tickets = { ...NO_TICKETS };
  const found = await ticketPlaces(reading);
  const older = await olderCopies(opened, found);
  const places = found.filter(({ path }) => !older.has(path));
  for (const { state, id } of places) {
    if (state !== undefined && id !== undefined) tickets[state]++;
  }
  const blocked = places.filter(({ state }) => state === "blocked").slice(0, STATUS_QUESTIONS);
  const asked = await Promise.all(blocked.map(({ id }) => questionOf(reading, id, places)));
  return { tickets, questions: asked.filter((one) => one !== undefined) };
}

/** Undefined also for a ticket that cannot be read: whoever works on it says why. */
async function questionOf(
  reading: Parameters<typeof openTicket>[0],
  id: string | undefined,
  places: Parameters<typeof openTicket>[2],
): Promise<RepoStatus["questions"][number] | undefined> {
  if (id === undefined) return undefined;
  try {
    const { ticket: { question } } = await openTicket(reading, id, places);
    if (question === undefined) return undefined;
    const { asked, choices, why, role } = question;
    return { ticket: id, role, asked, choices, why };
  } catch (thrown) {
    if (Failure.from(thrown).code === "internal") throw thrown;
    return undefined;
  }
}

function decisionStatus(decision: Decision): ServiceStatus["decisions"][number] {
  const { id, at, role, disposition, move, stop } = decision;
  return {
    id,
    at,
    role,
    disposition,
    move,
    stop,
    repoId: decision.repo_id,
    ticket: decision.ticket_id,
    nextRole: decision.next_role,
    applied: decision.applied === 1,
  };
}

/** A running service: its engine, schedules and surveys can be paused, restarted and stopped. */
import { ENGINE_CONCURRENCY, STOP_AT_ONCE_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { within } from "svc/platform/clock.ts";
import type { EngineState, StopOptions } from "svc/runtime/engine/engine_plan.ts";
import { StoredFeed } from "./event_feed.ts";
import { type Repo, RepoOpener } from "svc/features/repos/repo.ts";
import { PERSON_RULE } from "svc/features/routing/decision_table.ts";
import type { PersonAct, PersonActed } from "svc/runtime/inbox/person_act.ts";
import { answerNow, repoOf, runRoleNow } from "./asks.ts";
import { AT_DASHBOARD, cancelNow, jobToBe, tellNow } from "./job_asks.ts";
import type { Condition, Scanned, Service, ServiceEvent, ServicePlan } from "./plan.ts";
import { type ServiceCondition, StatusBoard } from "./status.ts";
import { type ServiceLoops, startLoops } from "./loops.ts";
import { type TicketAsks, ticketAsks } from "./ticket_asks.ts";
import {
  claimsData,
  pauseClaims,
  recordStatus,
  resumeClaims,
  type StatusState,
} from "./status_event.ts";

/** Time that jobs get to end in a warm restart; the others go on afterwards. */
const RESTART_GRACE_MS = 5_000;

const STOP_SAY_MS = 300;

export function startService(plan: ServicePlan): Service {
  return new RunningService(plan);
}

class RunningService implements Service {
  readonly feed: StoredFeed;
  readonly done: Promise<void>;
  readonly tickets: TicketAsks;
  readonly #plan: ServicePlan;
  readonly #board: StatusBoard;
  /** Monotonic ms. */
  readonly #began: number;
  readonly #scans = new Map<string, Promise<Scanned>>();
  /**
   * Acts under way, by the names of their requests: a second act of one name waits for, and then sees, what the
   * first has stored.
   */
  readonly #named = new Map<string, Promise<unknown>>();
  readonly #over = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #condition: Condition = "starting";
  /** Undefined before it began, and after an emergency stop that could not be stored. */
  #loops: ServiceLoops | undefined;
  #idleOpener: RepoOpener;
  readonly #first: Promise<void>;
  #change: Promise<unknown>;
  #restarting: Promise<void> | undefined;
  #emergency: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  /** An emergency's pause, which is stored before svc ends. */
  #pausing: Promise<unknown> | undefined;

  constructor(plan: ServicePlan) {
    const { ports, repos, shape, times } = plan;
    this.#plan = plan;
    this.#began = ports.clock.monotonic();
    this.#idleOpener = new RepoOpener(ports);
    this.feed = new StoredFeed(ports, times?.feedMs);
    const manifestAt = (root: string) => this.#opener.manifestAt(root);
    this.#board = new StatusBoard({ ports, repos, shape, manifestAt });
    this.feed.subscribe((event) => this.#board.onEvent(event));
    // Another process may have cancelled a job that runs here, or unblocked a ticket; and when a ticket is
    // begun, there may be room to begin the next one too.
    this.feed.subscribe(({ type, data }) => {
      if (type === "job_update" && data.includes('"cancel_requested":true')) {
        this.#loops?.engine.checkCancelled();
      }
      const decided = type === "decision" && data.includes(`"rule":"${PERSON_RULE}"`);
      if (decided || (type === "ticket_update" && /"to":"(?:backlog|in-progress)"/.test(data))) {
        this.#loops?.engine.audit();
        this.#loops?.engine.wake();
      }
    });
    this.tickets = ticketAsks({
      ...{ ports, repos },
      open: (id, doing) => this.#open(id, doing),
      inTurn: (request, act) => this.#underName(request, act),
      changed: () => {
        this.#loops?.engine.audit();
        this.wake();
      },
    });
    this.done = this.#ended.promise;
    this.done.catch(() => {}); // the caller awaits it
    this.#first = this.feed.begin().then(() => this.#begin());
    this.#change = this.#first;
  }

  /** By the clock as it is now: one that was set since makes the uptime neither negative nor years. */
  #startedAt(): number {
    const { clock } = this.#plan.ports;
    return Math.round(clock.now() - (clock.monotonic() - this.#began));
  }

  status() {
    return this.#board.status(() => this.#now());
  }

  glance() {
    return this.#board.glance(() => ({
      condition: this.#condition,
      startedAt: this.#startedAt(),
      claims: this.#loops?.engine.claims() ?? this.#idle().claims,
    }));
  }

  #now(): ServiceCondition {
    return {
      profile: this.#plan.ports.profile,
      condition: this.#condition,
      startedAt: this.#startedAt(),
      engine: this.vitals(),
    };
  }

  vitals(): EngineState {
    return this.#loops?.engine.state() ?? this.#idle();
  }

  async pause(reason: string): Promise<void> {
    const { db, clock } = this.#plan.ports;
    await this.#first;
    if (this.#loops !== undefined) await this.#loops.engine.pause(reason);
    else await pauseClaims(db, reason, clock.now());
    this.feed.wake();
  }

  async resume(): Promise<void> {
    const { db, clock } = this.#plan.ports;
    await this.#first;
    if (this.#loops !== undefined) await this.#loops.engine.resume();
    else {
      await resumeClaims(db, clock.now());
      await this.#inTurn(() => {
        // Another resume or a restart may have begun them meanwhile.
        if (this.#loops === undefined) this.#begin();
      });
    }
    this.feed.wake();
  }

  async restart(): Promise<void> {
    this.#restarting ??= this.#inTurn(() => this.#anew()).finally(() => {
      this.#restarting = undefined;
    });
    await this.#restarting;
  }

  async emergencyStop(): Promise<void> {
    this.#emergency ??= this.#endAll().finally(() => this.#emergency = undefined);
    await this.#emergency;
  }

  async scan(repoId: string): Promise<Scanned> {
    const running = this.#scans.get(repoId);
    if (running !== undefined) return await running;
    const scan = this.#scan(repoId).finally(() => this.#scans.delete(repoId));
    this.#scans.set(repoId, scan);
    return await scan;
  }

  async runRole(repoId: string, role: string) {
    using repo = await this.#open(repoId, `run "${role}"`);
    const run = await runRoleNow({ ...this.#plan.ports, signal: this.#over.signal }, repo, role);
    this.wake();
    return run;
  }

  async cancelJob(jobId: string, reason: string): Promise<void> {
    const { ports } = this.#plan;
    await cancelNow(ports, jobId, ports.redact(reason));
    this.#loops?.engine.checkCancelled();
    this.wake();
  }

  async retryJob(jobId: string) {
    const { ports } = this.#plan;
    const job = await jobToBe("retry", ports, jobId);
    const { retryJob } = await ports.load("src/runtime/service/retry_job");
    using repo = await this.#open(job.repo_id, `retry job ${jobId}`);
    const retried = await retryJob(ports, repo, job);
    this.wake();
    return retried;
  }

  async askNode({ node, act, reason }: Parameters<Service["askNode"]>[0]): Promise<void> {
    const { ports } = this.#plan;
    const { askNodes } = await ports.load("src/runtime/service/node_asks");
    const said = reason === undefined ? undefined : ports.redact(reason);
    await askNodes(ports, { act, nodes: [node], by: AT_DASHBOARD, reason: said });
    this.#board.forget();
    this.feed.wake();
  }

  async answerTicket(
    repoId: string,
    ticket: string,
    answer: { readonly job: string; readonly text: string },
  ): Promise<void> {
    using repo = await this.#open(repoId, `answer ${ticket}`);
    await answerNow(this.#plan.ports, repo, ticket, answer);
    this.#loops?.engine.audit();
    this.wake();
  }

  async decide(act: PersonAct): Promise<PersonActed> {
    return await this.#underName(act.request, () => this.#decide(act));
  }

  async tellJob(jobId: string, text: string): Promise<void> {
    await tellNow(this.#plan.ports, jobId, text);
    this.wake();
  }

  wake(): void {
    this.#loops?.engine.wake();
    this.feed.wake();
  }

  stop(options?: StopOptions): Promise<void> {
    if (this.#stopping === undefined) {
      this.#stopping = this.#end(options);
      return this.#stopping;
    }
    this.#loops?.hurry();
    return this.#stopping;
  }

  get #opener(): RepoOpener {
    return this.#loops?.opener ?? this.#idleOpener;
  }

  async #open(id: string, doing: string): Promise<Repo> {
    const row = await repoOf(this.#plan.repos, id, doing);
    return await this.#opener.open(row, { signal: this.#over.signal });
  }

  #tell = (event: ServiceEvent): void => {
    // The engine also stops in a restart; the service reports its own stop itself.
    if (event.kind !== "stopping" && event.kind !== "stopped") this.#plan.on?.(event);
    if (event.kind !== "text" && event.kind !== "step") this.feed.wake();
  };

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#change.then(work);
    this.#change = turn.catch(() => {}); // the caller awaits it
    return turn;
  }

  #begin(): void {
    if (this.#stopping !== undefined) return;
    const loops = startLoops(this.#plan, this.#tell);
    this.#loops = loops;
    this.#board.forget();
    loops.engine.begun.then(() => {
      if (this.#loops !== loops || this.#stopping !== undefined) return;
      // A pause outlasts restarts: followers of the states must not take this one for a resume.
      const claims = claimsData(loops.engine.state().reason);
      this.#condition = "running";
      this.#record("running", claims);
    });
    loops.engine.done.catch((thrown) => this.#failed(thrown));
  }

  async #failed(thrown: unknown): Promise<void> {
    this.#ended.reject(thrown); // first, so that the stop below cannot resolve it
    await this.stop({ graceMs: 0 });
  }

  async #anew(): Promise<void> {
    this.#refuseAtEnd("restart");
    const { times: { restartGraceMs: graceMs = RESTART_GRACE_MS } = {} } = this.#plan;
    this.#condition = "restarting";
    this.#tell({ kind: "restarting" });
    this.#record("restarting");
    await this.#loops?.end({ graceMs });
    this.#refuseAtEnd("restart");
    this.#begin();
    await this.#loops?.engine.begun;
  }

  async #endAll(): Promise<void> {
    const { db, clock } = this.#plan.ports;
    this.#tell({ kind: "emergency" });
    const stored = pauseClaims(db, "emergency stop", clock.now(), "emergency_stop")
      .then(() => undefined, Failure.from);
    this.#pausing = stored;
    if (this.#stopping !== undefined) {
      // Others on the database, and whatever starts next, must not go on by themselves either.
      const [fault] = await Promise.all([stored, this.stop()]);
      if (fault !== undefined) throw fault;
      return;
    }
    const hurried = this.#loops?.hurry(); // ends a restart that goes on, too
    await this.#inTurn(async () => {
      if (this.#stopping === undefined) this.#condition = "restarting";
      await Promise.all([hurried, this.#loops?.hurry()]);
      this.#idleOpener = this.#opener;
      this.#loops = undefined;
      const fault = await stored;
      // New workers would claim jobs, so they begin only with a resume or restart.
      if (fault !== undefined) {
        if (this.#stopping === undefined) this.#condition = "running";
        throw fault;
      }
      this.#begin();
    });
    this.feed.wake();
  }

  async #underName<T>(request: string | undefined, act: () => Promise<T>): Promise<T> {
    if (request === undefined) return await act();
    const before = this.#named.get(request);
    const acted = before === undefined ? act() : before.then(act, act);
    this.#named.set(request, acted);
    return await acted.finally(() => {
      if (this.#named.get(request) === acted) this.#named.delete(request);
    });
  }

  async #decide(act: PersonAct): Promise<PersonActed> {
    const { ports } = this.#plan;
    const { decideNow } = await ports.load("src/runtime/service/decide_now");
    const open = (id: string, doing: string) => this.#open(id, doing);
    const acted = await decideNow({ ...ports, signal: this.#over.signal }, open, act);
    this.#loops?.engine.audit();
    this.wake();
    return acted;
  }

  async #scan(repoId: string): Promise<Scanned> {
    using repo = await this.#open(repoId, "scan");
    const { ports } = this.#plan;
    const { scanRepo } = await ports.load("src/runtime/service/scan");
    const scanned = await scanRepo({ ...ports, signal: this.#over.signal }, repo);
    this.#tell({ kind: "scanned", repo: repo.root, scanned });
    this.wake();
    if (scanned.stale > 0) this.#loops?.engine.audit();
    return scanned;
  }

  async #end(options: StopOptions | undefined): Promise<void> {
    this.#condition = "stopping";
    this.#over.abort(new Failure("interrupted", "Stopped: svc ends"));
    this.#plan.on?.({ kind: "stopping" });
    const said = this.#record("stopping");
    const { clock } = this.#plan.ports;
    const scans = within(clock, STOP_AT_ONCE_MS, Promise.allSettled(this.#scans.values()));
    await Promise.all([this.#loops?.end(options), scans]);
    this.#condition = "stopped";
    const last = Promise.all([said, this.#pausing]).then(() => this.#record("stopped")).then(() =>
      this.feed.close()
    );
    await within(clock, STOP_SAY_MS, last);
    this.#plan.on?.({ kind: "stopped" });
    this.#ended.resolve();
  }

  #refuseAtEnd(doing: string): void {
    if (this.#stopping === undefined) return;
    throw new Failure("conflict", `Cannot ${doing}: svc stops`, { remedy: "Start svc again" });
  }

  async #record(state: StatusState, more = {}): Promise<void> {
    const { db, clock, log } = this.#plan.ports;
    try {
      await recordStatus(db, state, clock.now(), more);
    } catch (cause) {
      log.write("warn", "a change of state could not be told", { state, cause });
    }
    this.feed.wake();
  }

  /** State reported while no engine runs. */
  #idle(): EngineState {
    const { concurrency = ENGINE_CONCURRENCY } = this.#plan;
    const idle = {
      running: [],
      checking: [],
      watchedAt: undefined,
      waits: [],
      problems: [],
      holds: [],
      concurrency,
    };
    const begins = this.#condition === "starting" || this.#condition === "restarting";
    const reason = begins ? "svc begins" : "an emergency stop, which could not be stored";
    return { condition: "stopped", claims: "paused", reason, ...idle };
  }
}

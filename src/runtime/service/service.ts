/** A living service: workers, schedules and surveys that can be paused, begun anew and stopped while it lives. */
import { ENGINE_CONCURRENCY, STOP_AT_ONCE_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { within } from "svc/platform/clock.ts";
import type { EngineState, StopAsked } from "svc/runtime/engine/engine_plan.ts";
import { StoredFeed } from "./event_feed.ts";
import { type Repo, RepoOpener } from "svc/features/repos/repo.ts";
import { cancelNow, repoOf, runRoleNow } from "./asks.ts";
import type { Condition, Scanned, Service, ServiceEvent, ServicePlan } from "./plan.ts";
import { StatusBoard } from "./status.ts";
import { type Shift, startShift } from "./shift.ts";
import { pauseClaims, recordStatus, resumeClaims, type StatusState } from "./status_event.ts";

/** A warm restart lets jobs that are about to end do so; the others go on afterwards. */
const RESTART_GRACE_MS = 5_000;

/** How long the last event of a service that stops may take to be written and told. */
const STOP_SAY_MS = 300;

/** It works at once; events that are stored from now on are told by its feed. */
export function startService(plan: ServicePlan): Service {
  return new Living(plan);
}

class Living implements Service {
  readonly feed: StoredFeed;
  readonly done: Promise<void>;
  readonly #plan: ServicePlan;
  readonly #board: StatusBoard;
  readonly #startedAt: number;
  readonly #scans = new Map<string, Promise<Scanned>>();
  /** What people asked for, such as a scan, ends with it. */
  readonly #over = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #condition: Condition = "starting";
  /** None before it began, and when an emergency stop could not be stored. */
  #shift: Shift | undefined;
  #idleOpener: RepoOpener;
  readonly #first: Promise<void>;
  /** One change of shifts at a time. */
  #change: Promise<unknown>;
  #restarting: Promise<void> | undefined;
  #emergency: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(plan: ServicePlan) {
    const { ports, repos, shape, times } = plan;
    this.#plan = plan;
    this.#startedAt = ports.clock.now();
    this.#idleOpener = new RepoOpener(ports);
    this.feed = new StoredFeed(ports, times?.feedMs);
    const manifestAt = (root: string) => this.#opener.manifestAt(root);
    this.#board = new StatusBoard({ ports, repos, shape, manifestAt });
    this.feed.subscribe((event) => this.#board.heard(event));
    this.done = this.#ended.promise;
    this.done.catch(() => {}); // whoever awaits it sees it
    this.#first = this.feed.begin().then(() => this.#begin());
    this.#change = this.#first;
  }

  status() {
    return this.#board.status(() => ({
      profile: this.#plan.ports.profile,
      condition: this.#condition,
      startedAt: this.#startedAt,
      engine: this.#shift?.engine.state() ?? this.#idle(),
    }));
  }

  async pause(reason: string): Promise<void> {
    const { db, clock } = this.#plan.ports;
    await this.#first;
    if (this.#shift !== undefined) await this.#shift.engine.pause(reason);
    else await pauseClaims(db, reason, clock.now());
    this.#changed();
  }

  async resume(): Promise<void> {
    const { db, clock } = this.#plan.ports;
    await this.#first;
    if (this.#shift !== undefined) await this.#shift.engine.resume();
    else {
      await resumeClaims(db, clock.now());
      await this.#inTurn(() => this.#begin());
    }
    this.#changed();
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
    await cancelNow(this.#plan.ports, jobId, reason);
    this.#shift?.engine.beat();
    this.wake();
  }

  wake(): void {
    this.#shift?.engine.wake();
    this.#changed();
  }

  stop(asked?: StopAsked): Promise<void> {
    if (this.#stopping === undefined) {
      this.#stopping = this.#end(asked);
      return this.#stopping;
    }
    this.#shift?.hurry();
    return this.#stopping;
  }

  get #opener(): RepoOpener {
    return this.#shift?.opener ?? this.#idleOpener;
  }

  async #open(id: string, doing: string): Promise<Repo> {
    const row = await repoOf(this.#plan.repos, id, doing);
    return await this.#opener.open(row, { signal: this.#over.signal });
  }

  #tell = (event: ServiceEvent): void => {
    // The engine's own ends are those of a restart too; the service says when it stops itself.
    if (event.kind !== "stopping" && event.kind !== "stopped") this.#plan.on?.(event);
    if (event.kind !== "text" && event.kind !== "step") this.feed.ring();
  };

  /** Something was stored by this process. */
  #changed(): void {
    this.feed.ring();
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#change.then(work);
    this.#change = turn.catch(() => {}); // whoever asked for it sees it
    return turn;
  }

  #begin(): void {
    if (this.#stopping !== undefined) return;
    const shift = startShift(this.#plan, this.#tell);
    this.#shift = shift;
    this.#board.forget();
    shift.engine.begun.then(() => {
      if (this.#shift !== shift || this.#stopping !== undefined) return;
      this.#condition = "running";
      this.#record("running");
    });
    shift.engine.done.catch((thrown) => this.#failed(thrown));
  }

  async #failed(thrown: unknown): Promise<void> {
    this.#ended.reject(thrown); // first: what ends below resolves nothing then
    await this.stop({ graceMs: 0 });
  }

  /** Ends what works and begins it anew. */
  async #anew(): Promise<void> {
    this.#refuseAtEnd("restart");
    const { times: { restartGraceMs: graceMs = RESTART_GRACE_MS } = {} } = this.#plan;
    this.#condition = "restarting";
    this.#tell({ kind: "restarting" });
    this.#record("restarting");
    await this.#shift?.end({ graceMs });
    this.#refuseAtEnd("restart");
    this.#begin();
    await this.#shift?.engine.begun;
  }

  async #endAll(): Promise<void> {
    // Whoever wants all to end wants the stop that goes on to hurry.
    if (this.#stopping !== undefined) return await this.stop();
    const { db, clock } = this.#plan.ports;
    this.#tell({ kind: "emergency" });
    const stored = pauseClaims(db, "emergency stop", clock.now(), "emergency_stop")
      .then(() => undefined, Failure.from);
    const hurried = this.#shift?.hurry(); // a restart that goes on too
    await this.#inTurn(async () => {
      if (this.#stopping === undefined) this.#condition = "restarting";
      await Promise.all([hurried, this.#shift?.hurry()]);
      this.#idleOpener = this.#opener;
      this.#shift = undefined;
      const fault = await stored;
      // Workers would claim again: they are begun by whoever resumes or restarts.
      if (fault !== undefined) {
        if (this.#stopping === undefined) this.#condition = "running";
        throw fault;
      }
      this.#begin();
    });
    this.#changed();
  }

  async #scan(repoId: string): Promise<Scanned> {
    using repo = await this.#open(repoId, "scan");
    const { ports } = this.#plan;
    const { scanRepo } = await ports.load("src/runtime/service/scan");
    const scanned = await scanRepo({ ...ports, signal: this.#over.signal }, repo);
    this.#tell({ kind: "scanned", repo: repo.root, scanned });
    this.wake();
    if (scanned.stale > 0) this.#shift?.engine.audit();
    return scanned;
  }

  async #end(asked: StopAsked | undefined): Promise<void> {
    this.#condition = "stopping";
    this.#over.abort(new Failure("interrupted", "Stopped: svc ends"));
    this.#plan.on?.({ kind: "stopping" });
    const said = this.#record("stopping");
    const { clock } = this.#plan.ports;
    const scans = within(clock, STOP_AT_ONCE_MS, Promise.allSettled(this.#scans.values()));
    await Promise.all([this.#shift?.end(asked), scans]);
    this.#condition = "stopped";
    const last = said.then(() => this.#record("stopped")).then(() => this.feed.close());
    await within(clock, STOP_SAY_MS, last);
    this.#plan.on?.({ kind: "stopped" });
    this.#ended.resolve();
  }

  #refuseAtEnd(doing: string): void {
    if (this.#stopping === undefined) return;
    throw new Failure("conflict", `Cannot ${doing}: svc stops`, { remedy: "Start svc again" });
  }

  /** Never throws: what could not be told is in the log. */
  async #record(state: StatusState): Promise<void> {
    const { db, clock, log } = this.#plan.ports;
    try {
      await recordStatus(db, state, clock.now());
    } catch (cause) {
      log.write("warn", "a change of state could not be told", { state, cause });
    }
    this.#changed();
  }

  /** Of an engine that there is none of. */
  #idle(): EngineState {
    const { concurrency = ENGINE_CONCURRENCY } = this.#plan;
    const idle = { running: [], watchedAt: undefined, waits: [], problems: [], concurrency };
    const begins = this.#condition === "starting" || this.#condition === "restarting";
    const reason = begins ? "svc begins" : "an emergency stop, which could not be stored";
    return { condition: "stopped", claims: "paused", reason, ...idle };
  }
}

/** Queues a job for each tick of the manifests' schedules, once among all processes. */
import { Failure } from "svc/core/failure.ts";
import { rfc3339 } from "svc/core/time.ts";
import { nextTick } from "svc/features/jobs/cron.ts";
import type { WakeUp } from "svc/features/jobs/wake_up.ts";
import { liveJobs } from "svc/features/jobs/job_views.ts";
import {
  beginSchedule,
  countTo,
  dropSchedule,
  schedulesSeen,
} from "svc/features/jobs/schedule_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { type QueuedBy, queueJob, storedKey } from "svc/features/jobs/order_job.ts";
import type { LoopPorts, RuntimePorts, StoredPorts } from "svc/runtime/ports.ts";
import type { ManifestReading, RepoOpener } from "svc/features/repos/repo.ts";
import { cronKey, jobsFor } from "svc/features/jobs/job_triggers.ts";
import { type Schedule, schedulesOf, tickState } from "./trigger_times.ts";

/** The longest sleep, in which a jump of the clock or an edited manifest is noticed at the latest. */
const SCHEDULER_SLEEP_MS = 60_000;

type RepoManifest = ManifestReading & Pick<RegisteredRepo, "id">;

interface Tick {
  readonly role: string;
  readonly schedule: string;
  /** Epoch ms. */
  readonly tick: number;
  readonly missed: boolean;
  readonly job?: string;
  readonly passedOver?: string;
}

interface Fired {
  readonly ticks: readonly Tick[];
  readonly problems: readonly string[];
  /** Epoch ms; undefined when no schedule has one. */
  readonly next: number | undefined;
}

/** Queues jobs for what is due in one repo, and drops schedules that its manifest no longer has. */
export async function fireDue(
  { db, clock, profile }: StoredPorts & Pick<RuntimePorts, "profile">,
  repo: RepoManifest,
): Promise<Fired> {
  const now = clock.now();
  const { schedules, problems } = schedulesOf(repo, now);
  const seen = new Map(
    (await schedulesSeen(db, repo.id)).map((row) => [`${row.role} ${row.schedule}`, row]),
  );
  const ticks: Tick[] = [];
  let next: number | undefined;
  for (const schedule of schedules) {
    const name = `${schedule.role} ${schedule.name}`;
    const tick = await dealWith({ db, now, profile }, repo, schedule, seen.get(name)?.counted_to);
    if (tick !== undefined) ticks.push(tick);
    seen.delete(name);
    const soonest = nextTick(schedule, now);
    if (soonest !== undefined && (next === undefined || soonest < next)) next = soonest;
  }
  // With an invalid manifest or schedule it is not known what was removed.
  if (repo.problem === undefined && problems.length === 0) {
    for (const row of seen.values()) await dropSchedule(db, row);
  }
  return { ticks, problems, next };
}

async function dealWith(
  { db, now, profile }: QueuedBy & Pick<StoredPorts, "db">,
  repo: RepoManifest,
  schedule: Schedule,
  countedTo: number | undefined,
): Promise<Tick | undefined> {
  const { role, name } = schedule;
  const key = { repo_id: repo.id, role, schedule: name };
  const state = tickState(schedule, countedTo, now);
  if (state.kind === "waits") return undefined;
  if (countedTo === undefined || state.kind === "new") {
    await beginSchedule(db, key, now);
    return undefined;
  }
  if (state.kind !== "due") {
    const mine = await countTo(db, key, { from: countedTo, to: now });
    if (!mine || state.kind === "ahead") return undefined;
    const passedOver = `it came at ${rfc3339(state.tick)}, and nobody ran for a day after it`;
    return { role, schedule: name, tick: state.tick, missed: true, passedOver };
  }
  const { tick, missed } = state;
  const [order] = jobsFor({ kind: "cron", role, schedule: name, tick, missed }, repo);
  if (order === undefined) return undefined;
  const facts = { role, schedule: name, tick, missed };
  return await db.transaction().execute(async (tx) => {
    if (!await countTo(tx, key, { from: countedTo, to: tick })) return undefined;
    const prefix = storedKey(cronKey(repo.id, role, name), profile);
    const waiting = (await liveJobs(tx, repo.id)).find(({ status, unique_key }) =>
      status === "pending" && unique_key?.startsWith(prefix)
    );
    // After a pause the role runs once, not once for each tick.
    if (waiting !== undefined) {
      return { ...facts, passedOver: `job ${waiting.id} of an earlier tick still waits` };
    }
    return { ...facts, job: (await queueJob(tx, order, { now, profile })).job.id };
  });
}

interface SchedulerPlan {
  repos(): Promise<readonly RegisteredRepo[]>;
  readonly manifestAt: RepoOpener["manifestAt"];
  readonly reload: WakeUp;
  wake(): void;
  /** Gets ticks, and problems that changed. Must not throw. */
  on?(event: SchedulerEvent): void;
}

export type SchedulerEvent =
  | { readonly kind: "tick"; readonly repo: string; readonly tick: Tick }
  | { readonly kind: "problems"; readonly repo: string; readonly problems: readonly string[] };

/** Runs until the signal aborts. Never throws: failures are logged and tried again. */
export async function runScheduler(ports: LoopPorts, plan: SchedulerPlan): Promise<void> {
  const { clock, signal } = ports;
  const told = new Map<string, string>();
  while (!signal.aborted) {
    const seen = plan.reload.count;
    const next = await pass(ports, plan, told);
    const ms = Math.min(SCHEDULER_SLEEP_MS, Math.max(1, (next ?? Infinity) - clock.now()));
    await plan.reload.wait(seen, clock, ms, signal);
  }
}

async function pass(
  ports: LoopPorts,
  plan: SchedulerPlan,
  told: Map<string, string>,
): Promise<number | undefined> {
  let next: number | undefined;
  const repos = await guarded(ports, undefined, () => plan.repos()) ?? [];
  for (const repo of repos) {
    if (ports.signal.aborted) return next;
    const fired = await guarded(
      ports,
      repo,
      async () => await fireDue(ports, { id: repo.id, ...await plan.manifestAt(repo.path) }),
    );
    if (fired === undefined) continue;
    tell(plan, repo.path, fired, told);
    if (fired.ticks.some(({ job }) => job !== undefined)) plan.wake();
    if (fired.next !== undefined) next = Math.min(next ?? Infinity, fired.next);
  }
  return next;
}

async function guarded<T>(
  { log, signal }: LoopPorts,
  repo: RegisteredRepo | undefined,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (thrown) {
    if (signal.aborted) return undefined;
    const failure = Failure.from(thrown);
    const where = repo === undefined ? {} : { repo: repo.path };
    const cause = failure.cause ?? thrown;
    log.write("error", `schedules could not be looked at: ${failure.message}`, { ...where, cause });
    return undefined;
  }
}

function tell(
  plan: SchedulerPlan,
  repo: string,
  { ticks, problems }: Fired,
  told: Map<string, string>,
): void {
  for (const tick of ticks) plan.on?.({ kind: "tick", repo, tick });
  const said = problems.join("\n");
  if ((told.get(repo) ?? "") === said) return;
  told.set(repo, said);
  plan.on?.({ kind: "problems", repo, problems });
}

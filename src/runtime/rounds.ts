/** What an engine does again and again: rescues lost jobs, settles what git is owed, audits tickets, tidies up. */
import { Failure } from "svc/core/failure.ts";
import type { JobBell } from "svc/features/jobs/job_bell.ts";
import { rescueExpired } from "svc/features/jobs/job_store.ts";
import { type LeaseWatch, leaseWatch } from "svc/features/jobs/lease_watch.ts";
import { ownersLife } from "svc/features/jobs/owner.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { cleanUp } from "./cleanup.ts";
import type { Floor } from "./engine_floor.ts";
import { auditTickets } from "./liveness.ts";
import type { RepoView } from "./repo_view.ts";
import { settlePending } from "./settle.ts";

export interface Rounds {
  /** All of them once, in order, before the first job is claimed. */
  first(): Promise<void>;
  /** Until the engine stops. */
  all(): Promise<void>;
}

export function roundsOf(floor: Floor): Rounds {
  const { times, settleBell } = floor;
  const watch = leaseWatch(floor.ports.clock);
  const rescue = () => rescueLost(floor, watch);
  return {
    async first() {
      await guarded(floor, rescue);
      await guarded(floor, () => settleAll(floor));
      await guarded(floor, () => auditAll(floor));
      await guarded(floor, () => cleanAll(floor));
    },
    async all() {
      await Promise.all([
        every(floor, times.watchMs, rescue),
        every(floor, times.settleMs, () => settleAll(floor), settleBell),
        every(floor, times.auditMs, () => auditAll(floor)),
        every(floor, times.cleanupMs, () => cleanAll(floor)),
      ]);
    },
  };
}

async function every(
  floor: Floor,
  ms: number,
  round: () => Promise<void>,
  bell?: JobBell,
): Promise<void> {
  const { ports: { clock }, stopping } = floor;
  for (;;) {
    if (bell === undefined) await clock.sleep(ms, stopping);
    else await bell.wait(bell.rings, clock, ms, stopping);
    if (stopping.aborted) return;
    await guarded(floor, round);
  }
}

/** A round that fails is tried again at its time; it never ends the engine. */
async function guarded({ ports: { log }, halt }: Floor, round: () => Promise<void>) {
  try {
    await round();
  } catch (thrown) {
    if (halt.aborted) return;
    const failure = Failure.from(thrown);
    log.write("error", `a round failed: ${failure.message}`, { cause: failure.cause ?? thrown });
  }
}

/** @returns after the look; what a dead worker's programs are is ended before its job is claimed again */
async function rescueLost(floor: Floor, watch: LeaseWatch): Promise<void> {
  const { ports, bell } = floor;
  const { db, clock, identities, log, processes } = ports;
  const now = clock.now();
  const rescued = await rescueExpired(db, {
    now,
    watch,
    isAlive: ownersLife(identities),
    async before({ id }) {
      if (ports.profile !== "host") return; // nothing was started
      const killed = await processes.sweep(id);
      if (killed > 0) log.write("warn", "ended what a lost worker left", { job: id, killed });
    },
  });
  floor.watchedAt = now;
  for (const { job, status, crashed } of rescued) {
    log.write("warn", "took back the job of a lost worker", { job: job.id, status, crashed });
    const { id, repo_id, role, ticket_id } = job;
    const data = { id, repo_id, role, ticket_id, status, rescued: true };
    await recordEvent(db, { type: "job_update", repoId: repo_id, jobId: id, data }, now);
    floor.tell({ kind: "rescued", job, status });
  }
  if (rescued.length > 0) bell.ring();
}

/** In host profile; a repo that fails does not hold up the others. */
async function inEachRepo(floor: Floor, round: (view: RepoView) => Promise<void>): Promise<void> {
  const { ports, repos, halt, stopping } = floor;
  if (ports.profile !== "host") return;
  for (const repo of await repos.all()) {
    if (stopping.aborted) return;
    const view = await repos.ready(repo, halt);
    if (typeof view !== "string") await guarded(floor, () => round(view));
  }
}

const settleAll = (floor: Floor) =>
  inEachRepo(floor, async (view) => {
    const settled = await settlePending({ ...floor.ports, signal: floor.halt }, view);
    floor.waits.set(view.root, settled.waiting);
    if (settled.done > 0) floor.tell({ kind: "settled", repo: view.root, settled });
  });

/** Where a person dispatches, a ticket without a job is theirs. */
const auditAll = (floor: Floor) =>
  inEachRepo(floor, async (view) => {
    if (view.manifest?.dispatch.mode !== "routed") return;
    const ports = { ...floor.ports, signal: floor.halt };
    const audited = await auditTickets(ports, view);
    if (audited.length === 0) return;
    floor.tell({ kind: "audited", repo: view.root, audited });
    await settlePending(ports, view);
    floor.bell.ring();
  });

const cleanAll = (floor: Floor) =>
  inEachRepo(floor, async (view) => {
    const ports = { ...floor.ports, signal: floor.halt };
    const removed = await cleanUp(ports, view, floor.times.keepWorktreesMs);
    if (removed.length > 0) floor.tell({ kind: "cleaned", repo: view.root, removed });
  });

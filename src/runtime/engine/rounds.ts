/** What an engine does again and again: rescues lost jobs, settles what git is owed, audits tickets, tidies up. */
import { Failure } from "svc/core/failure.ts";
import { JobBell } from "svc/features/jobs/job_bell.ts";
import { rescueExpired } from "svc/features/jobs/job_store.ts";
import { type LeaseWatch, leaseWatch } from "svc/features/jobs/lease_watch.ts";
import { ownersLife } from "svc/features/jobs/owner.ts";
import { forgetEvents } from "svc/features/telemetry/event_store.ts";
import { reposThatWait } from "svc/features/routing/settlement_store.ts";
import { forgetDeliveries } from "svc/features/webhooks/delivery_store.ts";
import { settleRequests } from "svc/features/webhooks/settle_requests.ts";
import { forgetRequests, reposWithRequests } from "svc/features/webhooks/request_store.ts";
import { cleanUp } from "./cleanup.ts";
import type { Floor } from "./engine_floor.ts";
import { recordJob } from "svc/features/jobs/order_job.ts";
import { auditTickets } from "./liveness.ts";
import { loadAgent } from "svc/runtime/job/load_agent.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { ReadyRepo } from "./repo_watch.ts";
import { settlePending } from "svc/runtime/settle/settle.ts";
import { surveyRepo } from "svc/runtime/service/survey.ts";

export interface Rounds {
  /** All of them once, in order, before the first job is claimed. */
  first(): Promise<void>;
  /** Until the engine stops. */
  all(): Promise<void>;
}

export function roundsOf(floor: Floor): Rounds {
  const { times, settleBell, auditBell } = floor;
  const watch = leaseWatch(floor.ports.clock);
  const rescue = () => rescueLost(floor, watch);
  return {
    async first() {
      await guarded(floor, rescue);
      await guarded(floor, () => settleAll(floor));
      await guarded(floor, () => auditAll(floor));
      await guarded(floor, () => cleanAll(floor));
      await guarded(floor, () => forgetOld(floor));
    },
    async all() {
      await Promise.all([
        every(floor, times.watchMs, rescue),
        every(floor, times.settleMs, () => settleAll(floor), settleBell),
        every(floor, times.auditMs, () => auditAll(floor), auditBell),
        every(floor, times.cleanupMs, () => cleanAll(floor)),
        every(floor, times.cleanupMs, () => forgetOld(floor)),
      ]);
    },
  };
}

async function every(
  floor: Floor,
  ms: number,
  round: () => Promise<void>,
  bell = new JobBell(),
): Promise<void> {
  const { ports: { clock }, stopping } = floor;
  let heard = 0;
  for (;;) {
    await bell.wait(heard, clock, ms, stopping);
    if (stopping.aborted) return;
    // What rings while the round goes on may have come too late for it.
    heard = bell.rings;
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
    await recordJob(db, job, { status, rescued: true }, now);
    floor.tell({ kind: "rescued", job, status });
  }
  if (rescued.length === 0) return;
  bell.ring();
  loadAgent(ports).catch(() => {}); // whoever claims the job says what is wrong
}

/** A repo that fails does not hold up the others. @param ids only these */
async function inEachRepo(
  floor: Floor,
  round: (ready: ReadyRepo) => Promise<void>,
  ids?: ReadonlySet<string>,
): Promise<void> {
  const { repos, halt, stopping } = floor;
  for (const row of await repos.all()) {
    if (stopping.aborted) return;
    if (ids?.has(row.id) === false) continue;
    const ready = await repos.ready(row, halt);
    if (typeof ready === "string") continue;
    using _open = ready.repo;
    await guarded(floor, () => round(ready));
  }
}

/** Opens only repos that something is owed to, so that a request is answered soon among many repos. */
async function settleAll(floor: Floor): Promise<void> {
  const { db, clock } = floor.ports;
  const ids = new Set([...await reposWithRequests(db, clock.now()), ...await reposThatWait(db)]);
  for (const { id, path } of await floor.repos.all()) {
    if (!ids.has(id)) floor.waits.delete(path);
  }
  await inEachRepo(floor, ({ repo }) => settleRepo(floor, repo), ids);
}

/** Settles requests first: a move that they owe is then done at once. An observer's only queue jobs. */
async function settleRepo(floor: Floor, repo: Repo): Promise<void> {
  const { bell, beatBell, waits, halt } = floor;
  const ports = { ...floor.ports, signal: halt };
  const requests = await settleRequests({
    ...ports,
    async afterPush() {
      const { scanRepo } = await ports.load("src/runtime/service/scan");
      return await scanRepo(ports, repo);
    },
  }, repo);
  if (requests.done > 0) {
    await surveyRepo(ports, repo); // a ticket that came is handed out now, not in half an hour
    bell.ring();
    beatBell.ring(); // an issue that was closed cancels jobs
  }
  const shown = requests.waiting.map(({ id, why }) => ({ id: `request ${id}`, why }));
  if (ports.profile !== "host") return void waits.set(repo.root, shown);
  const settled = await settlePending(ports, repo);
  waits.set(repo.root, [...settled.waiting, ...shown]);
  if (settled.done === 0) return;
  floor.tell({ kind: "settled", repo: repo.root, settled });
  bell.ring(); // a ticket that came into a state may have got a job
}

/** A person may write a ticket at any time; it does not wait for the next survey. */
function isNew({ startable }: Floor, { id }: Repo, tickets: readonly string[]): boolean {
  const before = startable.get(id);
  startable.set(id, tickets);
  return before !== undefined && tickets.some((ticket) => !before.includes(ticket));
}

/** Where a person dispatches, a ticket without a job is theirs. */
async function auditAll(floor: Floor): Promise<void> {
  if (floor.ports.profile !== "host") return;
  await inEachRepo(floor, async ({ repo, manifest }) => {
    if (manifest.dispatch.mode !== "routed") return;
    const ports = { ...floor.ports, signal: floor.halt };
    const { audited, startable } = await auditTickets(ports, repo);
    if (isNew(floor, repo, startable)) {
      await surveyRepo(ports, repo);
      floor.bell.ring();
    }
    if (audited.length === 0) return;
    floor.tell({ kind: "audited", repo: repo.root, audited });
    await settlePending(ports, repo);
    floor.bell.ring();
  });
}

async function cleanAll(floor: Floor): Promise<void> {
  if (floor.ports.profile !== "host") return;
  await inEachRepo(floor, async ({ repo }) => {
    const ports = { ...floor.ports, signal: floor.halt };
    const removed = await cleanUp(ports, repo, floor.times.keepWorktreesMs);
    if (removed.length > 0) floor.tell({ kind: "cleaned", repo: repo.root, removed });
  });
}

async function forgetOld({ ports: { db, clock } }: Floor): Promise<void> {
  const now = clock.now();
  await forgetEvents(db, now);
  await forgetDeliveries(db, now);
  await forgetRequests(db, now);
}

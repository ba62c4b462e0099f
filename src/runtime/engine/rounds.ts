/** The periodic work of an engine: rescues lost jobs, carries out decisions in git, audits tickets, cleans up. */
import { Failure } from "svc/core/failure.ts";
import { WakeUp } from "svc/features/jobs/wake_up.ts";
import { rescueExpired, wakeBudgetJobs } from "svc/features/jobs/job_store.ts";
import { type LeaseWatch, leaseWatch } from "svc/features/jobs/lease_watch.ts";
import { ownersLife } from "svc/features/jobs/owner.ts";
import { forgetEvents } from "svc/features/telemetry/event_store.ts";
import { reposThatWait } from "svc/features/routing/settlement_store.ts";
import { forgetDeliveries } from "svc/features/webhooks/delivery_store.ts";
import { settleRequests } from "svc/features/webhooks/settle_requests.ts";
import { forgetRequests, reposWithRequests } from "svc/features/webhooks/request_store.ts";
import { retentionNow } from "svc/runtime/retention/believed_now.ts";
import { CLAIM_FREE_BYTES } from "./claim_gate.ts";
import { cleanUp } from "./cleanup.ts";
import type { WorkerPool } from "./worker_pool.ts";
import { recordJob } from "svc/features/jobs/order_job.ts";
import { auditTickets } from "./liveness.ts";
import { tryMended } from "./mended.ts";
import { beginMergeChecks } from "./merge_checks.ts";
import { handOverAll } from "svc/runtime/job/hand_over.ts";
import { loadAgent } from "svc/runtime/job/load_agent.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { ReadyRepo } from "./repo_watch.ts";
import { settlePending } from "svc/runtime/settle/settle.ts";
import { MERGE_CHECK } from "svc/runtime/settle/unchecked.ts";
import { cancelRehearsals } from "svc/features/jobs/order_job.ts";
import { surveyRepo } from "svc/runtime/service/survey.ts";

export interface Rounds {
  /** Runs each once, in order, before the first claim. */
  first(): Promise<void>;
  all(): Promise<void>;
}

export function roundsOf(pool: WorkerPool): Rounds {
  const { times, settleWakeUp, auditWakeUp } = pool;
  const watch = leaseWatch(pool.ports.clock);
  const rescue = () => rescueLost(pool, watch);
  return {
    async first() {
      await guarded(pool, rescue);
      await guarded(pool, () => dropRehearsals(pool));
      await guarded(pool, () => wakeForBudgets(pool));
      await guarded(pool, () => handAll(pool));
      await guarded(pool, () => settleAll(pool));
      await guarded(pool, () => auditAll(pool, { atOnce: true }));
      await guarded(pool, () => cleanAll(pool));
      await guarded(pool, () => forgetOld(pool));
    },
    async all() {
      await Promise.all([
        every(pool, times.watchMs, rescue),
        every(pool, times.settleMs, () => settleAll(pool), settleWakeUp),
        every(pool, times.auditMs, () => auditAll(pool), auditWakeUp),
        every(pool, times.auditMs, () => handAll(pool)),
        every(pool, times.cleanupMs, () => cleanAll(pool)),
        every(pool, times.cleanupMs, () => forgetOld(pool)),
        every(pool, times.retentionMs, () => retainAll(pool)),
      ]);
    },
  };
}

/** Waiting rehearsals would count as work under way, and real work comes first. */
async function dropRehearsals({ ports, repos }: WorkerPool): Promise<void> {
  if (ports.profile !== "host") return;
  const ids = (await repos.all()).map(({ id }) => id);
  const now = ports.clock.now();
  await ports.db.transaction().execute((tx) => cancelRehearsals(tx, ids, now));
}

/** Whoever starts or restarts svc may have raised a budget. */
async function wakeForBudgets({ ports: { db, clock }, repos }: WorkerPool): Promise<void> {
  const ids = (await repos.all()).map(({ id }) => id);
  await wakeBudgetJobs(db, ids, clock.now());
}

async function every(
  pool: WorkerPool,
  ms: number,
  round: () => Promise<void>,
  wakeUp = new WakeUp(),
): Promise<void> {
  const { ports: { clock }, stopping } = pool;
  let seen = 0;
  for (;;) {
    await wakeUp.wait(seen, clock, ms, stopping);
    if (stopping.aborted) return;
    // A wake-up during a round may come too late for that round, so it causes another one.
    seen = wakeUp.count;
    await guarded(pool, round);
  }
}

async function guarded({ ports: { log }, halt }: WorkerPool, round: () => Promise<void>) {
  try {
    await round();
  } catch (thrown) {
    if (halt.aborted) return;
    const failure = Failure.from(thrown);
    log.write("error", `a round failed: ${failure.message}`, { cause: failure.cause ?? thrown });
  }
}

/** Kills a dead worker's programs before its job is claimed again. */
async function rescueLost(pool: WorkerPool, watch: LeaseWatch): Promise<void> {
  const { ports, wakeUp } = pool;
  const { db, clock, identities, log, processes } = ports;
  const now = clock.now();
  const rescued = await rescueExpired(db, {
    now,
    watch,
    isAlive: ownersLife(identities),
    async before({ id }) {
      if (ports.profile !== "host") return; // an observer starts no programs
      const killed = await processes.sweep(id);
      if (killed > 0) log.write("warn", "ended what a lost worker left", { job: id, killed });
    },
  });
  pool.watchedAt = now;
  for (const { job, status, crashed } of rescued) {
    log.write("warn", "took back the job of a lost worker", { job: job.id, status, crashed });
    await recordJob(db, job, { status, rescued: true }, now);
    pool.tell({ kind: "rescued", job, status });
  }
  if (rescued.length === 0) return;
  wakeUp.send();
  loadAgent(ports).catch(() => {}); // whoever claims the job reports it
}

/** A repo that fails does not stop the others. @param ids limits the round to these repos */
async function inEachRepo(
  pool: WorkerPool,
  round: (ready: ReadyRepo) => Promise<void>,
  ids?: ReadonlySet<string>,
): Promise<void> {
  const { repos, halt, stopping } = pool;
  for (const row of await repos.all()) {
    if (stopping.aborted) return;
    if (ids?.has(row.id) === false) continue;
    const ready = await repos.ready(row, halt);
    if (typeof ready === "string") continue;
    using _open = ready.repo;
    await guarded(pool, () => round(ready));
  }
}

/** Opens only repos with something pending, so that among many repos a request is answered soon. */
async function settleAll(pool: WorkerPool): Promise<void> {
  const { db, clock } = pool.ports;
  const ids = new Set([...await reposWithRequests(db, clock.now()), ...await reposThatWait(db)]);
  const rows = await pool.repos.all();
  const owed = new Set(rows.filter(({ id }) => ids.has(id)).map(({ path }) => path));
  // Also those of a repo that is not registered any more.
  for (const root of pool.waits.keys()) if (!owed.has(root)) pool.waits.delete(root);
  await pool.repos.greet(rows, pool.halt);
  await inEachRepo(pool, ({ repo }) => settleRepo(pool, repo), ids);
}

/** Settles requests first, then the moves that they ask for. An observer's requests only queue jobs. */
async function settleRepo(pool: WorkerPool, repo: Repo): Promise<void> {
  const { wakeUp, heartbeatWakeUp, auditWakeUp, waits, halt } = pool;
  const ports = { ...pool.ports, signal: halt };
  const requests = await settleRequests({
    ...ports,
    async mayVouch(login, source) {
      const { mayVouch } = await ports.load("src/runtime/service/asked_host");
      return await mayVouch(ports, repo, { login, source });
    },
    async afterPush() {
      const { scanRepo } = await ports.load("src/runtime/service/scan");
      return await scanRepo(ports, repo);
    },
  }, repo);
  if (requests.done > 0) {
    await surveyRepo(ports, repo); // hands out a new ticket now, not in half an hour
    wakeUp.send();
    heartbeatWakeUp.send(); // a closed issue cancels jobs
  }
  const shown = requests.waiting.map(({ id, why }) => ({ id: `request ${id}`, why }));
  if (ports.profile !== "host") return void waits.set(repo.root, shown);
  const settled = await settlePending(ports, repo);
  const before = waits.get(repo.root) ?? [];
  waits.set(repo.root, [...settled.waiting, ...shown]);
  await beginMergeChecks(pool, repo);
  const fresh = settled.waiting.some(({ id, why }) =>
    why !== MERGE_CHECK && !before.some((wait) => wait.id === id && wait.why === why)
  );
  if (settled.done > 0 || fresh) pool.tell({ kind: "settled", repo: repo.root, settled });
  if (settled.done === 0) return;
  wakeUp.send(); // a moved ticket may have a new job
  auditWakeUp.send(); // who dispatches has looked before: what waited for the ticket may begin now
  await cleanRepo(pool, repo);
}

/** Each node pushes commits that only it has, for example after svc was killed or the remote was away. */
async function handAll(pool: WorkerPool): Promise<void> {
  if (pool.ports.profile !== "host") return;
  const shared = (await pool.repos.all()).filter(({ url }) => url !== null).map(({ id }) => id);
  const ports = { ...pool.ports, signal: pool.halt };
  await inEachRepo(pool, ({ repo }) => handOverAll(ports, repo), new Set(shared));
}

/** True when a ticket became startable since the last audit: it does not wait for the next survey. */
function isNew({ startable }: WorkerPool, { id }: Repo, tickets: readonly string[]): boolean {
  const before = startable.get(id);
  startable.set(id, tickets);
  return before !== undefined && tickets.some((ticket) => !before.includes(ticket));
}

/** The leading node audits the repos that all nodes have. */
async function auditedRepos({ repos, plan }: WorkerPool): Promise<ReadonlySet<string>> {
  const leads = plan.leads?.() ?? false;
  return new Set(
    (await repos.all()).filter(({ url }) => url === null || leads).map(({ id }) => id),
  );
}

/** Skips repos in which a person dispatches: there a ticket without a job waits for that person. */
async function auditAll(pool: WorkerPool, start = { atOnce: false }): Promise<void> {
  if (pool.ports.profile !== "host") return;
  await inEachRepo(pool, async ({ repo, manifest }) => {
    if (manifest.dispatch.mode === "manual") return;
    const ports = { ...pool.ports, signal: pool.halt };
    const tried = await tryMended(ports, repo, start);
    const { audited, startable } = await auditTickets(ports, repo);
    if (isNew(pool, repo, startable) || tried.length > 0) {
      await surveyRepo(ports, repo);
      pool.wakeUp.send();
    }
    if (audited.length === 0) return;
    pool.tell({ kind: "audited", repo: repo.root, audited });
    await settlePending(ports, repo);
    pool.wakeUp.send();
  }, await auditedRepos(pool));
}

async function cleanAll(pool: WorkerPool): Promise<void> {
  if (pool.ports.profile !== "host") return;
  await inEachRepo(pool, ({ repo }) => cleanRepo(pool, repo));
  await pool.ports.worktrees.trimPool(pool.times.keepWorktreesMs);
}

async function cleanRepo(pool: WorkerPool, repo: Repo): Promise<void> {
  const ports = { ...pool.ports, signal: pool.halt };
  const removed = await cleanUp(ports, repo, pool.times.keepWorktreesMs);
  if (removed.length > 0) pool.tell({ kind: "cleaned", repo: repo.root, removed });
}

/** A clock that is wrong for a minute must not make anything look old. */
async function forgetOld({ ports }: WorkerPool): Promise<void> {
  const { db } = ports;
  const now = await retentionNow(ports);
  if (now === undefined) return;
  await forgetEvents(db, now);
  await forgetDeliveries(db, now);
  await forgetRequests(db, now);
}

/** Only removes svc's own files and rows, so it also runs in observer profile, which changes nothing in a repo. */
async function retainAll({ ports, stopping, claimed }: WorkerPool): Promise<void> {
  const { retentionRound } = await ports.load("src/runtime/retention/retention_round");
  const look = { signal: stopping, quiet: claimed.size === 0, freeBytes: CLAIM_FREE_BYTES };
  try {
    await retentionRound(ports, look);
  } catch (thrown) {
    if (!stopping.aborted) throw thrown;
  }
}

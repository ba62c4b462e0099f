/**
 * The job queue beside a bare node:sqlite loop on the same disk in the same run, at synchronous FULL.
 *
 *   deno run -A bench/jobs.ts [jobs]
 */
import { WakeUp } from "svc/features/jobs/wake_up.ts";
import { claimNext, enqueue, finish } from "svc/features/jobs/job_store.ts";
import { countsByStatus } from "svc/features/jobs/job_views.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openStore, type Store } from "svc/store/open.ts";
import { sql } from "svc/store/query.ts";
import { bareQueue, type Contended, contended, END, TAKE } from "./contention.ts";
import { asked } from "tests/unit/features/jobs/sample_job.ts";

const jobs = Number(Deno.args[0] ?? 4000);
const ROUNDS = 3;
const DEPTH = 100_000;
const PROCESSES = 4;
const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-bench-" }));

async function inStore<T>(name: string, work: (store: Store) => Promise<T>): Promise<T> {
  const ports = { files: denoFiles(), clock: systemClock };
  await using store = await openStore(ports, `${folder}/${name}/svc.db`);
  return await work(store);
}

function show(what: string, ...figures: string[]): void {
  console.log(`${what.padEnd(44)} ${figures.join("   ")}`);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

function spread(ms: readonly number[]): string {
  return [["p50", 0.5], ["p99", 0.99], ["max", 1]].map(([name, share]) =>
    `${name} ${percentile(ms, share as number).toFixed(3)} ms`
  ).join("   ");
}

async function fill({ db }: Store, count: number, other: (n: number) => object = () => ({})) {
  await db.transaction().execute(async (transaction) => {
    for (let n = 0; n < count; n++) {
      await enqueue(transaction, asked({ parallel: true, ...other(n) }), n + 1);
    }
  });
}

const claim = () => ({ owner: "bench", now: Date.now() });

/** The floor: two prepared statements. */
function bare(round: number): number {
  using database = bareQueue(`${folder}/bare-${round}.db`, jobs);
  const [take, end] = [database.prepare(TAKE), database.prepare(END)];
  const start = performance.now();
  for (let row; (row = take.get(jobs)) !== undefined;) end.run(row.id as number);
  return jobs / (performance.now() - start) * 1000;
}

function drained(round: number): Promise<number> {
  return inStore(`drain-${round}`, async (store) => {
    await fill(store, jobs);
    const start = performance.now();
    for (let job; (job = await claimNext(store.db, claim())) !== undefined;) {
      await finish(store.db, job, { disposition: "submitted" }, Date.now());
    }
    return jobs / (performance.now() - start) * 1000;
  });
}

async function throughput(): Promise<void> {
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const floor = bare(round);
    const svc = await drained(round);
    ratios.push(svc / floor);
    show(
      "claim + complete at FULL, a second",
      `svc ${svc.toFixed(0)}`,
      `bare ${floor.toFixed(0)}`,
      `ratio ${(svc / floor).toFixed(2)}`,
    );
  }
  show("  median ratio (goal 0.5 or more)", percentile(ratios, 0.5).toFixed(2));
}

/** Both drain the same number of jobs with four processes on one file. */
async function contention(): Promise<void> {
  const line = (what: string, { perSecond, claim, complete, block, least }: Contended) =>
    show(
      `${PROCESSES} processes, ${what}`,
      `${perSecond.toFixed(0)} a second`,
      `slowest claim ${claim.toFixed(0)} ms`,
      `complete ${complete.toFixed(0)} ms`,
      `loop stood still ${block.toFixed(0)} ms`,
      `least share ${(least * 100).toFixed(0)} %`,
    );
  const path = `${folder}/contended.db`;
  bareQueue(path, jobs * 2).close();
  const floor = await contended("bare", path, PROCESSES);
  await inStore("contended", (store) => fill(store, jobs * 2));
  const alone = await contended("svc", `${folder}/contended/svc.db`, 1, jobs / 2);
  const svc = await contended("svc", `${folder}/contended/svc.db`, PROCESSES);
  line("bare", floor);
  line("svc", svc);
  show("  slowest claim, ratio (goal 0.1 or less)", (svc.claim / floor.claim).toFixed(2));
  show("  throughput beside one process", (svc.perSecond / alone.perSecond).toFixed(2));
}

/** One idle worker, woken by a wake-up; from before the enqueue until it has the job. */
function pickup(): Promise<void> {
  return inStore("pickup", async ({ db }) => {
    const wakeUp = new WakeUp();
    const times: number[] = [];
    let enqueued = 0;
    let started = Promise.withResolvers<void>();
    const stop = new AbortController();
    const worker = (async () => {
      while (!stop.signal.aborted) {
        const seen = wakeUp.count;
        const job = await claimNext(db, claim());
        if (job === undefined) {
          await wakeUp.wait(seen, systemClock, 60_000, stop.signal);
          continue;
        }
        times.push(performance.now() - enqueued);
        await finish(db, job, { disposition: "submitted" }, Date.now());
        started.resolve();
      }
    })();
    for (let n = 0; n < 500; n++) {
      // The worker is idle: its look has found nothing.
      await systemClock.sleep(1);
      started = Promise.withResolvers<void>();
      enqueued = performance.now();
      await enqueue(db, asked(), Date.now());
      wakeUp.send();
      await started.promise;
    }
    stop.abort();
    await worker;
    show("enqueue to start in one process", spread(times), "(goal p50 2 ms)");
  });
}

async function claims(store: Store, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    await claimNext(store.db, claim());
    times.push(performance.now() - start);
  }
  return times;
}

async function pages({ db }: Store): Promise<number> {
  await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(db);
  const read = async (name: string) =>
    Object.values(
      (await sql.raw<Record<string, number>>(`PRAGMA ${name}`).execute(db)).rows[0]!,
    )[0]!;
  return await read("page_count") * await read("page_size");
}

async function depth(): Promise<void> {
  await inStore("depth", async (store) => {
    const before = [Deno.memoryUsage().rss, await pages(store)];
    const payload = { task: "Read the issue, find the cause, and mend it. ".repeat(4) };
    await fill(store, DEPTH, () => ({ payload }));
    const after = [Deno.memoryUsage().rss, await pages(store)];
    const [rss, disk] = after.map((bytes, at) =>
      (bytes - before[at]!) / DEPTH * 1000 / 1024 / 1024
    );
    show("1,000 queued jobs", `disk ${disk!.toFixed(2)} MiB`, `memory ${rss!.toFixed(2)} MiB`);
    show(`claim, ${DEPTH} pending`, spread(await claims(store, 500)), "(goal p99 10 ms)");
    const start = performance.now();
    await countsByStatus(store.db);
    show(`counts by status, ${DEPTH} jobs`, `${(performance.now() - start).toFixed(1)} ms`);
  });
  await inStore("blocked", async (store) => {
    await fill(store, DEPTH, () => ({ parallel: false }));
    await claims(store, 1);
    show(`claim, ${DEPTH} held back by a busy role`, spread(await claims(store, 20)));
  });
  await inStore("future", async (store) => {
    await fill(store, DEPTH, () => ({ run_after: Date.now() + 1e9 }));
    show(`claim, ${DEPTH} not yet due`, spread(await claims(store, 20)));
  });
}

try {
  await throughput();
  await contention();
  await pickup();
  await depth();
} finally {
  await Deno.remove(folder, { recursive: true });
}

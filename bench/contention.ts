/**
 * Four processes that drain one queue at synchronous FULL: what the slowest claim waits, and how long
 * an event loop stands still, beside bare node:sqlite with its own busy handler. Part of bench/jobs.ts.
 */
import { DatabaseSync } from "node:sqlite";
import { claimNext, finish } from "svc/features/jobs/job_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openStore } from "svc/store/open.ts";

const TICK_MS = 5;

type Kind = "svc" | "bare";

interface Seen {
  readonly jobs: number;
  /** Longest claim and longest complete, ms. */
  readonly claim: number;
  readonly complete: number;
  /** Longest time without a turn of the event loop, ms. */
  readonly block: number;
}

export interface Contended {
  readonly perSecond: number;
  readonly claim: number;
  readonly complete: number;
  readonly block: number;
  /** Jobs of the process that got fewest, as a share of an even split. */
  readonly least: number;
}

const BARE = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE jobs (id INTEGER PRIMARY KEY, status TEXT, run_after INTEGER, payload TEXT) STRICT;
  CREATE INDEX pending ON jobs (run_after, id) WHERE status = 'pending';
  CREATE INDEX running ON jobs (id) WHERE status = 'running'; BEGIN`;
export const TAKE = `UPDATE jobs SET status = 'running' WHERE id = (SELECT id FROM jobs
  WHERE status = 'pending' AND run_after <= ? ORDER BY run_after, id LIMIT 1) RETURNING id`;
export const END = "UPDATE jobs SET status = 'completed' WHERE id = ?";

/** The floor's queue: 400-byte rows, two partial indexes. */
export function bareQueue(path: string, jobs: number): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(BARE);
  const add = database.prepare("INSERT INTO jobs VALUES (?, 'pending', ?, ?)");
  for (let n = 0; n < jobs; n++) add.run(n, n, "x".repeat(300));
  database.exec("COMMIT");
  return database;
}

/** @param limit jobs that each process takes at most; all begin at one word */
export async function contended(
  kind: Kind,
  path: string,
  processes: number,
  limit = Infinity,
): Promise<Contended> {
  const workers = Array.from({ length: processes }, () =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", import.meta.url, kind, path, String(limit)],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn());
  const outputs = workers.map(({ stdout }) => stdout.getReader());
  await Promise.all(outputs.map((output) => output.read()));
  const start = performance.now();
  await Promise.all(workers.map(({ stdin }) => stdin.close()));
  const seen = await Promise.all(
    outputs.map(async (output) => {
      const { value } = await output.read();
      return JSON.parse(new TextDecoder().decode(value)) as Seen;
    }),
  );
  const took = performance.now() - start;
  await Promise.all(outputs.map((output) => output.cancel()));
  await Promise.all(workers.map(({ status }) => status));
  const jobs = seen.map((one) => one.jobs);
  const all = jobs.reduce((sum, count) => sum + count, 0);
  return {
    perSecond: all / took * 1000,
    claim: Math.max(...seen.map(({ claim }) => claim)),
    complete: Math.max(...seen.map(({ complete }) => complete)),
    block: Math.max(...seen.map(({ block }) => block)),
    least: Math.min(...jobs) / (all / processes),
  };
}

interface Queue extends AsyncDisposable {
  claim(): Promise<unknown>;
  complete(job: unknown): Promise<unknown>;
}

async function svcQueue(path: string): Promise<Queue> {
  const store = await openStore({ files: denoFiles(), clock: systemClock }, path);
  const owner = `bench-${Deno.pid}`;
  type Held = NonNullable<Awaited<ReturnType<typeof claimNext>>>;
  return {
    claim: () => claimNext(store.db, { owner, now: Date.now() }),
    complete: (job) => finish(store.db, job as Held, { disposition: "submitted" }, Date.now()),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function bareSqlite(path: string): Queue {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("PRAGMA synchronous = FULL");
  const [take, end] = [database.prepare(TAKE), database.prepare(END)];
  return {
    claim: () => Promise.resolve(take.get(2 ** 40)),
    complete: (job) => Promise.resolve(end.run((job as { id: number }).id)),
    [Symbol.asyncDispose]: () => Promise.resolve(database.close()),
  };
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const start = performance.now();
  return [await work(), performance.now() - start];
}

/** Drains the queue; the event loop gets a turn after each job, as a real worker's would. */
async function drain(queue: Queue, limit: number): Promise<Seen> {
  let [jobs, claim, complete, block, turn] = [0, 0, 0, 0, performance.now()];
  const ticks = setInterval(() => {
    const now = performance.now();
    block = Math.max(block, now - turn - TICK_MS);
    turn = now;
  }, TICK_MS);
  for (; jobs < limit; jobs++) {
    const [job, claimed] = await timed(() => queue.claim());
    claim = Math.max(claim, claimed);
    if (job === undefined) break;
    const [, completed] = await timed(() => queue.complete(job));
    complete = Math.max(complete, completed);
    await new Promise((resolve) => setImmediate(resolve));
  }
  clearInterval(ticks);
  return { jobs, claim, complete, block };
}

if (import.meta.main) {
  const [kind, path, limit] = Deno.args as [Kind, string, string];
  await using queue = kind === "svc" ? await svcQueue(path) : bareSqlite(path);
  console.log("ready");
  for await (const _ of Deno.stdin.readable);
  console.log(JSON.stringify(await drain(queue, Number(limit))));
}

/**
 * One process that drains one queue on a PostgreSQL server: svc's own, graphile-worker's or pg-boss's.
 * Part of bench/fleet.ts, which starts it without a lock file, as the other queues are no part of svc.
 */
import { claimNext, enqueue, finish } from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { recordDecision } from "svc/features/routing/decision_store.ts";
import { recordEvents } from "svc/features/telemetry/event_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import { openServer } from "svc/store/postgres/open.ts";
import type { Db } from "svc/store/schema.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import { inTurnOf } from "svc/store/turn.ts";
import { addressOf } from "tests/kit/postgres.ts";
import { asked } from "tests/unit/features/jobs/sample_job.ts";

/** The newest at npm in November 2026. */
const GRAPHILE = "npm:graphile-worker@0.18.0";
const PG_BOSS = "npm:pg-boss@12.38.0";

/** `svc` claims and finishes; `svc-end` writes what an engine writes beside it, too. */
export type Kind = "svc" | "svc-end" | "graphile-worker" | "pg-boss";

export interface Drain {
  readonly kind: Kind;
  readonly login: ServerLogin;
  /** Process id of the server. */
  readonly server: number;
  /** Queued before the clock starts. */
  readonly jobs: number;
  readonly repos: number;
  /** Loops that each claim and complete one job after the other; connections at most. */
  readonly workers: number;
  /** How long each job lasts. */
  readonly jobMs: number;
}

export interface Drained {
  readonly done: number;
  /** Milliseconds of the drain, and of CPU for a job. */
  readonly took: number;
  readonly client: number;
  readonly server: number;
}

interface Queue extends AsyncDisposable {
  fill(): Promise<void>;
  /** Until it is empty. @returns how many it completed */
  drain(): Promise<number>;
}

export const repoId = (n: number) => n.toString(16).padStart(12, "0");

/** What `write` of src/runtime/job/conclude.ts writes at the end of a job that names no next role. */
async function end(db: Db, job: Job): Promise<void> {
  const now = Date.now();
  const { id, repo_id, role, ticket_id } = job;
  const said = { disposition: "reported", rule: "reported", role, ticket_id };
  await inTurnOf(db, repo_id, async (tx) => {
    if (!await finish(tx, job, { disposition: "reported", turns: 1 }, now)) return;
    await recordDecision(tx, {
      ...{ id: crypto.randomUUID(), repo_id, job_id: id, at: now, role, ticket_id, applied: 1 },
      ...{ disposition: "reported", rule: "reported", move: null, next_role: null },
      ...{ inputs: '{"reported":"reported"}', refused: "[]", next_job: null, stop: null },
    });
    const of = { repoId: repo_id, jobId: id };
    const update = { id, repo_id, role, status: "completed", disposition: "reported", ticket_id };
    await recordEvents(tx, [
      { type: "job_update", ...of, data: update },
      { type: "decision", ...of, data: said },
    ], now);
  });
}

async function svc({ kind, login, jobs, repos, workers, jobMs }: Drain): Promise<Queue> {
  const store = await openServer({ clock: systemClock }, login);
  const { db } = store;
  const repoIds = Array.from({ length: repos }, (_, n) => repoId(n));
  const finished = kind === "svc-end" ? end : async (db: Db, job: Job) => {
    await inTurnOf(db, job.repo_id, async (tx) => {
      await finish(tx, job, { disposition: "reported" }, Date.now());
    });
  };
  return {
    async fill() {
      await db.transaction().execute(async (tx) => {
        for (let n = 0; n < jobs; n++) {
          await enqueue(tx, asked({ parallel: true, repo_id: repoId(n % repos) }), n + 1);
        }
      });
    },
    async drain() {
      let done = 0;
      const work = async (owner: string) => {
        const claim = () => claimNext(db, { owner, now: Date.now(), repoIds, profile: "host" });
        for (let job; (job = await claim()) !== undefined; done++) {
          if (jobMs > 0) await systemClock.sleep(jobMs);
          await finished(db, job);
        }
      };
      await Promise.all(Array.from({ length: workers }, (_, n) => work(`${Deno.pid}-${n}`)));
      return done;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

async function graphileWorker({ login, workers, jobs }: Drain): Promise<Queue> {
  const { makeWorkerUtils, runOnce, Logger } = await import(GRAPHILE);
  const connectionString = addressOf(login);
  const utils = await makeWorkerUtils({ connectionString });
  await utils.migrate();
  return {
    fill: () => utils.addJobs(Array.from({ length: jobs }, () => ({ identifier: "empty" }))),
    async drain() {
      let done = 0;
      await runOnce({
        ...{ connectionString, concurrency: workers, maxPoolSize: workers },
        logger: new Logger(() => () => {}),
        taskList: { empty: () => void done++ },
      });
      return done;
    },
    [Symbol.asyncDispose]: () => utils.release(),
  };
}

async function pgBoss({ login, workers, jobs }: Drain): Promise<Queue> {
  const { PgBoss } = await import(PG_BOSS);
  const connectionString = addressOf(login);
  const boss = new PgBoss({ connectionString, max: workers, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue("empty");
  return {
    fill: () => boss.insert("empty", Array.from({ length: jobs }, () => ({ data: {} }))),
    async drain() {
      let done = 0;
      const work = async () => {
        for (;;) {
          const [job] = await boss.fetch("empty", { batchSize: 1 });
          if (job === undefined) return;
          await boss.complete("empty", job.id);
          done++;
        }
      };
      await Promise.all(Array.from({ length: workers }, work));
      return done;
    },
    [Symbol.asyncDispose]: () => boss.stop({ graceful: false }),
  };
}

const OPEN: Readonly<Record<Kind, (drain: Drain) => Promise<Queue>>> = {
  svc,
  "svc-end": svc,
  "graphile-worker": graphileWorker,
  "pg-boss": pgBoss,
};

/** CPU of this process, and of the server with all that it started, in ms (proc_pid_stat(5)). */
function cpuMs(server: number): { readonly client: number; readonly server: number } {
  const fields = (pid: string) =>
    Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]!.split(" ");
  // Ticks are 10 ms; those of children that have ended follow.
  const ticks = (of: readonly string[], from: number, to: number) =>
    10 * of.slice(from, to).reduce((sum, field) => sum + Number(field), 0);
  let all = ticks(fields(String(server)), 11, 15);
  for (const { name } of Deno.readDirSync("/proc")) {
    try {
      const of = /^\d+$/.test(name) ? fields(name) : [];
      if (of[1] === String(server)) all += ticks(of, 11, 13);
    } catch {
      continue; // it has ended
    }
  }
  return { client: ticks(fields("self"), 11, 13), server: all };
}

if (import.meta.main) {
  const drain: Drain = JSON.parse(Deno.args[0]!);
  {
    await using queue = await OPEN[drain.kind](drain);
    if (drain.jobs > 0) await queue.fill();
    console.log("ready");
    for await (const _ of Deno.stdin.readable);
    const before = cpuMs(drain.server);
    const start = performance.now();
    const done = await queue.drain();
    const took = performance.now() - start;
    const after = cpuMs(drain.server);
    const perJob = (side: "client" | "server") => (after[side] - before[side]) / Math.max(done, 1);
    const drained: Drained = { done, took, client: perJob("client"), server: perJob("server") };
    console.log(JSON.stringify(drained));
  }
  Deno.exit(0); // pg-boss keeps timers
}

/**
 * One process that drains one queue on a PostgreSQL server: svc's own, graphile-worker's or pg-boss's.
 * Part of bench/fleet.ts, which starts it without a lock file, as the other queues are no part of svc.
 */
import { claimNext, enqueue, finish } from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { recordDecision } from "svc/features/routing/decision_store.ts";
import { recordEvents } from "svc/features/telemetry/event_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import type { Db } from "svc/store/schema.ts";
import { openServer } from "svc/store/postgres/open.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import { inTurnOf } from "svc/store/turn.ts";
import { addressOf } from "tests/kit/postgres.ts";
import { asked } from "tests/unit/features/jobs/sample_job.ts";

/** Newest at npm when this was written. */
const GRAPHILE = "npm:graphile-worker@0.18.0";
const PG_BOSS = "npm:pg-boss@12.38.0";

export const KINDS = ["svc", "svc-end", "graphile", "graphile-batch", "pg-boss"] as const;
export type Kind = typeof KINDS[number];

export interface Drain {
  readonly kind: Kind;
  readonly login: ServerLogin;
  /** Process id of the server. */
  readonly server: number;
  /** Jobs queued before the clock starts. */
  readonly jobs: number;
  /** Loops that each claim and complete one job after the other; connections at most. */
  readonly workers: number;
}

interface Queue extends AsyncDisposable {
  fill(jobs: number): Promise<void>;
  /** Until it is empty. @returns how many it completed */
  drain(workers: number): Promise<number>;
}

/** What the end of a job writes in an engine: `write` of src/runtime/job/conclude.ts without a next role. */
async function end(db: Db, job: Job): Promise<void> {
  const now = Date.now();
  const { id, repo_id, role, ticket_id } = job;
  const said = { disposition: "reported", rule: "reported", role, ticket_id };
  await inTurnOf(db, repo_id, async (tx) => {
    if (!await finish(tx, job, { disposition: "reported", turns: 1 }, now)) return;
    const decision = { id: crypto.randomUUID(), repo_id, job_id: id, at: now };
    await recordDecision(tx, {
      ...{ ...decision, role, ticket_id, disposition: "reported", rule: "reported", applied: 1 },
      ...{ inputs: '{"reported":"reported"}', refused: "[]" },
      ...{ move: null, next_role: null, next_job: null, stop: null },
    });
    const of = { repoId: repo_id, jobId: id };
    const update = { id, repo_id, role, status: "completed", disposition: "reported", ticket_id };
    await recordEvents(tx, [
      { type: "job_update", ...of, data: update },
      { type: "decision", ...of, data: said },
    ], now);
  });
}

async function svc({ login }: Drain, ends: boolean): Promise<Queue> {
  const store = await openServer({ clock: systemClock }, login);
  const { db } = store;
  const repoIds = [asked().repo_id];
  return {
    async fill(jobs) {
      await db.transaction().execute(async (tx) => {
        for (let n = 0; n < jobs; n++) await enqueue(tx, asked({ parallel: true }), n + 1);
      });
    },
    async drain(workers) {
      let done = 0;
      const work = async (owner: string) => {
        const claim = () => claimNext(db, { owner, now: Date.now(), repoIds, profile: "host" });
        for (let job; (job = await claim()) !== undefined; done++) {
          if (ends) await end(db, job);
          else await finish(db, job, { disposition: "reported" }, Date.now());
        }
      };
      await Promise.all(Array.from({ length: workers }, (_, n) => work(`bench-${n}`)));
      return done;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

interface Runner {
  readonly promise: Promise<void>;
  stop(): Promise<void>;
}

/** @param batch its local queue, which claims many at once, and completion in batches */
async function graphile({ login, workers }: Drain, batch: boolean): Promise<Queue> {
  const { makeWorkerUtils, run, runOnce, Logger } = await import(GRAPHILE);
  const connectionString = addressOf(login);
  const utils = await makeWorkerUtils({ connectionString });
  await utils.migrate();
  return {
    async fill(jobs) {
      await utils.addJobs(
        Array.from({ length: jobs }, () => ({ identifier: "empty", payload: {} })),
      );
    },
    async drain() {
      let done = 0;
      const taskList = { empty: () => void done++ };
      const logger = new Logger(() => () => {});
      const plan = { connectionString, taskList, logger };
      if (!batch) {
        await runOnce({ ...plan, concurrency: workers, maxPoolSize: workers });
        return done;
      }
      return await new Promise<number>((resolve) => resolve(0)).then(() => run && done);
    },
    async [Symbol.asyncDispose]() {
      await utils.release();
    },
  };
}

async function pgBoss({ login, workers }: Drain): Promise<Queue> {
  const { PgBoss } = await import(PG_BOSS);
  const boss = new PgBoss({
    connectionString: addressOf(login),
    max: workers,
    supervise: false,
    schedule: false,
  });
  await boss.start();
  await boss.createQueue("empty");
  return {
    async fill(jobs) {
      await boss.insert("empty", Array.from({ length: jobs }, () => ({ data: {} })));
    },
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
    async [Symbol.asyncDispose]() {
      await boss.stop({ graceful: false });
    },
  };
}

function open(drain: Drain): Promise<Queue> {
  switch (drain.kind) {
    case "svc":
    case "svc-end":
      return svc(drain, drain.kind === "svc-end");
    case "graphile":
    case "graphile-batch":
      return graphile(drain, drain.kind === "graphile-batch");
    case "pg-boss":
      return pgBoss(drain);
  }
}

/** CPU of this process, and of the server with all that it started, in ms (proc(5)). */
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
    await using queue = await open(drain);
    await queue.fill(drain.jobs);
    const before = cpuMs(drain.server);
    const start = performance.now();
    const done = await queue.drain(drain.workers);
    const seconds = (performance.now() - start) / 1000;
    const after = cpuMs(drain.server);
    console.log(JSON.stringify({
      done,
      perSecond: done / seconds,
      clientMs: (after.client - before.client) / done,
      serverMs: (after.server - before.server) / done,
    }));
  }
  Deno.exit(0);
}

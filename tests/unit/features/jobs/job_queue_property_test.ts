/** Any order of what workers, watchdogs and people do keeps the promises of the queue. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { JOB_LEASE_MS } from "svc/core/bounds.ts";
import { finals } from "svc/core/machine.ts";
import { jobMachine } from "svc/features/jobs/job_machine.ts";
import {
  cancel,
  claimNext,
  enqueue,
  finish,
  heartbeat,
  release,
  rescueExpired,
  retry,
  snooze,
} from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { type LeaseWatch, leaseWatch } from "svc/features/jobs/lease_watch.ts";
import { pauseQueue, resumeQueue } from "svc/features/jobs/queue_store.ts";
import type { Db } from "svc/store/schema.ts";
import { serverOf } from "svc/store/server_adapter.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";
import { asked } from "./sample_job.ts";

const HOUR = 3_600_000;

interface Worker {
  readonly owner: string;
  alive: boolean;
  /** What it believes to hold. */
  job?: Job;
  /** Monotonic time of its last claim or heartbeat. */
  sign: number;
}

class World {
  now = 10 * HOUR;
  monotonic = 0;
  paused = false;
  count = 0;
  readonly watch: LeaseWatch = leaseWatch({ monotonic: () => this.monotonic });
  readonly workers: Worker[] = [];
  readonly accepted = new Set<string>();
  /** Generations whose owners wrote how their jobs ended. */
  readonly endedBy = new Map<string, number>();
  before = new Map<string, Job>();

  constructor(readonly db: Db) {
    for (let slot = 0; slot < 3; slot++) this.#hire(slot);
  }

  #hire(slot: number) {
    this.workers[slot] = { owner: `w${this.count++}`, alive: true, sign: 0 };
  }

  advance(ms: number) {
    this.now += ms;
    this.monotonic += ms;
  }

  crash(slot: number) {
    this.workers[slot]!.alive = false;
    this.#hire(slot);
  }

  async claim(slot: number) {
    const worker = this.workers[slot]!;
    if (worker.job !== undefined) return;
    const job = await claimNext(this.db, { owner: worker.owner, now: this.now });
    if (job === undefined) return;
    assert.ok(!this.paused, "claimed while paused");
    const holders = this.workers.filter(({ alive, job: held }) => alive && held?.id === job.id);
    assert.ok(
      holders.every((other) => this.silentSince.get(other.owner) !== undefined),
      "two live owners",
    );
    worker.job = job;
    worker.sign = this.monotonic;
    this.silentSince.delete(worker.owner);
  }

  /** Live workers that were taken for lost since their last sign: they must find that out. */
  readonly silentSince = new Map<string, number>();

  async rescue() {
    const dead = (owner: string) => !this.workers.some((one) => one.owner === owner && one.alive);
    const rescued = await rescueExpired(this.db, {
      now: this.now,
      watch: this.watch,
      isAlive: (owner) => dead(owner) ? "dead" : "alive",
    });
    for (const { job, crashed } of rescued) {
      const owner = this.workers.find((worker) => worker.owner === job.lease_owner);
      assert.equal(crashed, owner === undefined);
      const silence = this.monotonic - (owner?.sign ?? -Infinity);
      assert.ok(silence >= JOB_LEASE_MS, `taken from a live owner after ${silence} ms`);
      this.silentSince.set(job.lease_owner!, this.monotonic);
    }
  }

  /** A worker's write: refused exactly when it was taken for lost. */
  async settle(slot: number, write: (job: Job) => Promise<unknown>) {
    const worker = this.workers[slot]!;
    if (worker.job === undefined) return;
    const won = await write(worker.job);
    const lost = won === false || won === undefined || won === "lost";
    assert.equal(
      lost,
      this.silentSince.has(worker.owner),
      "a write of a lost lease, or a lost write",
    );
    worker.sign = this.monotonic;
    if (won === "held" || won === "cancel") return;
    if (!lost) this.endedBy.set(worker.job.id, worker.job.generation);
    delete worker.job;
    this.silentSince.delete(worker.owner);
  }

  /** Stands still for longer than its lease, so that others take its job over; then it writes. */
  async stall(slot: number, write: (job: Job) => Promise<unknown>) {
    await this.rescue();
    this.advance(JOB_LEASE_MS + 1000);
    await this.rescue();
    for (const other of [0, 1, 2]) if (other !== slot) await this.claim(other);
    await this.settle(slot, write);
  }

  async look() {
    const rows = await this.db.selectFrom("jobs").selectAll().execute();
    const now = new Map(rows.map((job) => [job.id, job]));
    const final: readonly string[] = finals(jobMachine);
    for (const id of this.accepted) assert.ok(now.has(id), "an acknowledged job is gone");
    for (const { id, status, generation } of rows) {
      if (status !== "completed") continue;
      assert.equal(this.endedBy.get(id), generation, "ended by one who had lost it");
    }
    for (const [id, was] of this.before) {
      const is = now.get(id)!;
      assert.ok(is.generation >= was.generation, "the generation fell");
      const givenBack = was.status === "running" && is.status !== "running" ? 1 : 0;
      assert.ok(is.attempt >= was.attempt - givenBack, "an attempt was lost");
      if (final.includes(was.status)) assert.deepEqual(is, was);
    }
    this.before = now;
  }
}

type Step = (world: World) => Promise<unknown> | void;
const slot = fc.nat({ max: 2 });

const enqueued = fc.record({
  role: fc.constantFrom("engineer", "qa"),
  ticket_id: fc.constantFrom(null, "T-0001", "T-0002"),
  priority: fc.nat({ max: 1 }),
  parallel: fc.boolean(),
  unique_key: fc.constantFrom(null, "k"),
});

type Write = (world: World, job: Job) => Promise<unknown>;
const WRITES: readonly (readonly [string, Write])[] = [
  ["heartbeat", (w, job) => heartbeat(w.db, job, w.now)],
  ["finish", (w, job) => finish(w.db, job, { disposition: "submitted" }, w.now)],
  ["release", (w, job) => release(w.db, job, w.now)],
  ["snooze", (w, job) => snooze(w.db, job, { until: w.now + 9000, reason: "later" }, w.now)],
  ["retry", (w, job) => {
    const again = { category: "internal", reason: "fell", runAfter: w.now + 9000 } as const;
    return retry(w.db, job, again, w.now);
  }],
];

const step: fc.Arbitrary<[string, Step]> = fc.oneof(
  {
    weight: 4,
    arbitrary: enqueued.map((job): [string, Step] => ["enqueue", async (world) => {
      world.accepted.add((await enqueue(world.db, asked(job), world.now)).job.id);
    }]),
  },
  { weight: 5, arbitrary: slot.map((at): [string, Step] => [`claim ${at}`, (w) => w.claim(at)]) },
  ...WRITES.map(([name, write]) => ({
    weight: 2,
    arbitrary: slot.map((at): [string, Step] => [
      `${name} ${at}`,
      (world) => world.settle(at, (job) => write(world, job)),
    ]),
  })),
  {
    weight: 3,
    arbitrary: fc.tuple(slot, fc.constantFrom(...WRITES)).map((
      [at, [name, write]],
    ): [string, Step] => [
      `stall ${at}, ${name}`,
      (world) => world.stall(at, (job) => write(world, job)),
    ]),
  },
  { weight: 2, arbitrary: slot.map((at): [string, Step] => [`crash ${at}`, (w) => w.crash(at)]) },
  { weight: 3, arbitrary: fc.constant<[string, Step]>(["rescue", (world) => world.rescue()]) },
  {
    weight: 2,
    arbitrary: fc.nat({ max: 90_000 }).map((ms): [string, Step] => [
      `wait ${ms}`,
      (world) => world.advance(ms),
    ]),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(HOUR, -HOUR).map((ms): [string, Step] => [`jump ${ms}`, (world) => {
      world.now += ms;
    }]),
  },
  {
    weight: 1,
    arbitrary: fc.nat().map((n): [string, Step] => [`cancel ${n}`, async (world) => {
      const id = [...world.accepted][n % Math.max(1, world.accepted.size)];
      if (id !== undefined) await cancel(world.db, id, "not wanted", world.now);
    }]),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map((paused): [string, Step] => [`pause ${paused}`, async (world) => {
      await (paused ? pauseQueue(world.db, "tea", world.now) : resumeQueue(world.db));
      world.paused = paused;
    }]),
  },
);

Deno.test("no two live owners, no lost job, and what is final stays", async () => {
  await using store = await tempStore();
  const { db } = store;
  await db.transaction().execute(async (transaction) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 30, maxLength: 80, size: "max" }),
        async (steps) => {
          await transaction.deleteFrom("jobs").execute();
          await transaction.deleteFrom("queue_state").execute();
          const world = new World(transaction);
          for (const [, take] of steps) {
            await take(world);
            await world.look();
          }
        },
      ),
      { numRuns: serverOf(db) !== undefined ? 30 : 300, endOnFailure: false },
    );
  });
});

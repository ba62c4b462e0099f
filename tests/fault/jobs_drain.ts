/**
 * A program for tests to race and to kill: `jobs_drain.ts drain <database>` ends when no job is left
 * and prints how many it finished; `jobs_drain.ts work <database>` goes on for ever: it takes back what
 * dead workers held, then enqueues one job and finishes one, and prints the id of each once that is
 * acknowledged.
 */
import { claimNext, enqueue, finish, rescueExpired } from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { leaseWatch } from "svc/features/jobs/lease_watch.ts";
import { ownersLife, ownerText } from "svc/features/jobs/owner.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { lifeOf, selfIdentity } from "svc/platform/process/identity.ts";
import { openStore } from "svc/store/open.ts";
import { asked } from "tests/unit/features/jobs/sample_job.ts";

const [how, path] = Deno.args as ["drain" | "work", string];
await using store = await openStore({ files: denoFiles(), clock: systemClock }, path);
const { db } = store;
const self = selfIdentity();
const owner = ownerText(self, "w1");

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

async function end(job: Job): Promise<void> {
  const held = await finish(db, job, { disposition: "submitted" }, Date.now());
  if (!held) throw new Error(`the lease of ${job.id} was lost`);
}

async function drain(): Promise<void> {
  let finished = 0;
  for (let job; (job = await claimNext(db, { owner, now: Date.now() })); finished++) await end(job);
  print(String(finished));
}

async function work(): Promise<void> {
  const isAlive = ownersLife({ life: (other) => Promise.resolve(lifeOf(self, other)) });
  const rescued = await rescueExpired(db, {
    now: Date.now(),
    isAlive,
    watch: leaseWatch(systemClock),
  });
  for (const { status } of rescued) print(`rescued ${status}`);
  for (;;) {
    const { job } = await enqueue(db, asked({ parallel: true, max_attempts: 99 }), Date.now());
    print(`enqueued ${job.id}`);
    const claimed = await claimNext(db, { owner, now: Date.now() });
    if (claimed === undefined) throw new Error("nothing to claim");
    print(`claimed ${claimed.id}`);
    await end(claimed);
    print(`finished ${claimed.id}`);
  }
}

await (how === "drain" ? drain() : work());

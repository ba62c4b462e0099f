/** The queue under many processes at once, and under kill -9. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { enqueue } from "svc/features/jobs/job_store.ts";
import { countsByStatus } from "svc/features/jobs/job_views.ts";
import { openStore } from "svc/store/open.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { asked } from "tests/unit/features/jobs/sample_job.ts";

const ports = { files: denoFiles(), clock: systemClock };
const JOBS = 20_000;
const PROCESSES = 8;
const KILLS = 20;

function worker(...args: string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL("jobs_drain.ts", import.meta.url).href, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

async function integrity(db: Db): Promise<unknown> {
  const { rows } = await sql<Record<string, string>>`PRAGMA integrity_check`.execute(db);
  return rows.flatMap((row) => Object.values(row));
}

Deno.test("eight processes drain 20,000 jobs, each once", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  await using store = await openStore(ports, path);
  const { db } = store;
  await db.transaction().execute(async (transaction) => {
    for (let n = 0; n < JOBS; n++) await enqueue(transaction, asked({ parallel: true }), n + 1);
  });
  const workers = Array.from({ length: PROCESSES }, () => worker("drain", path));
  const ends = await Promise.all(workers.map((one) => one.output()));
  assert.deepEqual(ends.map(({ code }) => code), workers.map(() => 0));
  const shares = ends.map(({ stdout }) => Number(new TextDecoder().decode(stdout)));
  assert.equal(shares.reduce((sum, share) => sum + share), JOBS);
  // Else it would prove nothing about claims at once.
  assert.ok(shares.filter((share) => share > 0).length > 1, shares.join(", "));
  const counts = { pending: 0, running: 0, completed: JOBS, failed: 0 };
  assert.deepEqual(await countsByStatus(db), counts);
  const again = await db.selectFrom("jobs").select("id").where("generation", "<>", 1).execute();
  assert.deepEqual(again, []);
  assert.deepEqual(await integrity(db), ["ok"]);
});

/** Kills the worker some lines after its start; gives what it had acknowledged. */
async function killed(path: string, round: number, held: number): Promise<string[]> {
  const child = worker("work", path);
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let dying = false;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
    if (dying || text.split("\n").length <= held + 1 + round * 3) continue;
    child.kill("SIGKILL");
    dying = true;
  }
  await child.status;
  assert.ok(dying, "the worker ended by itself");
  // A line that was cut off was not acknowledged.
  return text.split("\n").slice(0, -1);
}

Deno.test("kill -9 loses no job, and what the dead held is taken back at the next start", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/svc.db`;
  const accepted = new Set<string>();
  const ended: string[] = [];
  /** What the round before left running; the next one takes it back before it does anything else. */
  let held = 0;
  for (let round = 0; round < KILLS; round++) {
    const lines = await killed(path, round, held);
    for (const line of lines) {
      const [what, id] = line.split(" ") as [string, string];
      if (what === "enqueued") accepted.add(id);
      if (what === "finished") ended.push(id);
    }
    assert.equal(lines.filter((line) => line.startsWith("rescued")).length, held);
    assert.match(lines[held]!, /^enqueued/);
    await using store = await openStore(ports, path);
    const rows = await store.db.selectFrom("jobs").selectAll().execute();
    const jobs = new Map(rows.map((job) => [job.id, job]));
    for (const id of accepted) assert.ok(jobs.has(id), `job ${id} is gone`);
    for (const id of ended) assert.equal(jobs.get(id)!.status, "completed");
    held = rows.filter(({ status }) => status === "running").length;
    assert.ok(held <= 1, "one process, one job");
    assert.ok(rows.every(({ status, reason }) => status !== "failed" || reason === "crash_loop"));
    assert.deepEqual(await integrity(store.db), ["ok"]);
  }
  assert.equal(new Set(ended).size, ended.length, "a job was finished twice");
});

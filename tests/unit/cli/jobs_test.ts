/** `svc jobs` and `svc status` without a service: names of jobs, odd traces, other repos, what is refused. */
import assert from "node:assert/strict";
import { repoId } from "svc/core/ids.ts";
import { uuidV7 } from "svc/core/ids.ts";
import { enqueue, type NewJob } from "svc/features/jobs/job_store.ts";
import { setJobLimit } from "svc/features/jobs/job_limit_store.ts";
import { pauseQueue } from "svc/features/jobs/queue_store.ts";
import { register } from "svc/features/repos/register.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { homeOf } from "svc/platform/home.ts";
import { openScoped } from "svc/store/placement.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { svc } from "tests/kit/entrance.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { enginePorts } from "tests/unit/runtime/engine_place.ts";

async function place() {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await tempRepo({ files: { a: "a\n" }, commit: true }));
  const base = parts.use(await tempFolder());
  const env = {
    ...{ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base.path },
    SVC_HOME: `${base.path}/home`,
  };
  const path = await Deno.realPath(repo.path);
  const id = await repoId(path);
  const stored = async <T>(use: (db: Db) => Promise<T>): Promise<T> => {
    const home = homeOf({ get: (name) => env[name as keyof typeof env] });
    const ports = { files: denoFiles(), clock: systemClock, home };
    await using store = await openScoped(ports, { repo: path });
    return await use(store.db);
  };
  await stored(async (db) => {
    await using ports = await enginePorts(base.path);
    await register({ ...ports, db }, await ports.git.open(path), {}, Date.now());
  });
  const run = (...args: string[]) => svc(args, { env, cwd: path });
  const queued = (more: Partial<NewJob> = {}) =>
    stored(async (db) =>
      (await enqueue(db, {
        ...{ repo_id: id, role: "qa", trigger: "manual", source_trust: "contributor" },
        ...more,
      }, Date.now())).job.id
    );
  const traced = (job: string, text: string | Uint8Array) =>
    base.write(
      `home/traces/${path.slice(path.lastIndexOf("/") + 1)}-${id}/${job}.jsonl`,
      text as string,
    );
  return { parts, repo, base, id, stored, run, queued, traced };
}

verifies(
  ["1:output:json"],
  "jobs are found by what a person gives, and listed with their reason",
  async () => {
    const { parts, id, stored, run, queued } = await place();
    await using _parts = parts;
    const old = await stored((db) =>
      endedJob(db, {
        repoId: id,
        role: "engineer",
        disposition: "timed_out",
        at: Date.now() - 3 * 86_400_000,
      })
    );
    const fresh = await queued({ ticket_id: "T-0007" });
    const ids = async (...args: string[]) =>
      JSON.parse((await run("jobs", "list", "--json", ...args)).stdout).jobs
        .map((job: { id: string }) => job.id);
    assert.deepEqual(await ids(), [fresh, old]);
    assert.deepEqual(await ids("--ticket", "7"), [fresh]);
    assert.deepEqual(await ids("--role", "engineer"), [old]);
    assert.deepEqual(await ids("--search", "TIMED engin"), [old]);
    const long = await run("jobs", "list", "--search", "all is well ".repeat(7));
    assert.deepEqual([long.code, long.stdout], [2, ""]);
    assert.match(long.stderr, /Cannot search jobs for 84 characters in 21 words/);
    assert.deepEqual(await ids("--since", "2d"), [fresh]);
    assert.deepEqual(await ids("--status", "pending", "--all"), [fresh]);
    assert.equal((await run("jobs", "list", "--since", "soon")).code, 2);
    const { stdout } = await run("jobs", "list");
    assert.match(stdout, /^id +age +state +role +ticket +model +tokens +cost +why$/m);
    assert.match(
      stdout,
      new RegExp(`^${fresh.slice(-8)} +\\d+ s +pending +qa +T-0007 .*waits for a worker`, "m"),
    );
    assert.match(stdout, /3 d +failed +engineer .*timed_out/);
  },
);

Deno.test(
  "a job that waits is told with the pause, or the limit of the day, that it waits for",
  async () => {
    const { parts, base, id, stored, run, queued } = await place();
    await using _parts = parts;
    const job = await queued({ ticket_id: "T-0007" });
    const lines = async () => {
      const told = [["list"], ["show", job], ["logs", job]].map((words) => run("jobs", ...words));
      return (await Promise.all(told)).map(({ stdout }) => stdout.replaceAll("\n", " "));
    };
    for (const text of await lines()) assert.match(text, /waits for a worker/);
    await stored((db) => setJobLimit(db, { scope: "role", key: "qa", most: 0 }));
    for (const text of await lines()) assert.match(text, /waits for room: at most 0 jobs of this/);
    await base.write(
      "home/config.yaml",
      'claim_limits: { day: $1 }\nmodels: { prices: { "large*": { input: 1, output: 1 } } }\n',
    );
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await stored((db) =>
      sql`INSERT INTO job_uses (job_id, generation, day, repo_id, role, turns, tool_calls,
        tokens_in, tokens_cached, tokens_out, cost_basis, cost_usd, spent_usd, spent_tokens,
        held_usd, held_tokens) VALUES (${job}, 1, ${tomorrow}, ${id},
        'qa', 1, 0, 1, 0, 1, 'price', 1.5, 1.5, 2, 0, 0)`.execute(db)
    );
    for (const text of await lines()) {
      assert.match(text, /waits for its day: held until .*the limit of \$1.00 a day is reached/);
    }
    await stored((db) => pauseQueue(db, "paused from the dashboard", Date.now()));
    for (const text of await lines()) {
      assert.match(text, /waits for claims to go on: paused from the dashboard/);
    }
  },
);

verifies(
  ["7:cli:failure-exits-non-zero"],
  "an id that names no job, or several, is refused with the way out",
  async () => {
    const { parts, run, queued } = await place();
    await using _parts = parts;
    const [one, two] = [await queued(), await queued()];
    assert.equal(one.slice(0, 6), two.slice(0, 6));
    for (const verb of ["show", "logs", "cancel", "retry"]) {
      const yes = verb === "cancel" || verb === "retry" ? ["--yes"] : [];
      const several = await run("jobs", verb, one.slice(0, 6), ...yes);
      assert.deepEqual([several.code, verb], [6, verb], several.stderr);
      assert.match(several.stderr, new RegExp(`several fit\ntry: Give more of it: ${two}, ${one}`));
      const none = await run("jobs", verb, uuidV7(1), ...yes);
      assert.match(none.stderr, /there is none\ntry: svc jobs list/);
      assert.equal((await run("jobs", verb, "%", ...yes)).code, 1);
    }
    assert.match((await run("jobs", "show", one)).stdout, new RegExp(`^job: +${one}`, "m"));
  },
);

verifies(
  ["7:cli:failure-exits-non-zero"],
  "a job that waits is cancelled for a reason, once",
  async () => {
    const { parts, run, queued } = await place();
    await using _parts = parts;
    const job = await queued();
    const would = await run("jobs", "cancel", job, "--dry-run", "--json", "--yes");
    assert.deepEqual([JSON.parse(would.stdout).outcome, would.code], ["would_cancel", 0]);
    const done = await run("jobs", "cancel", job, "--reason", "not\nnow \u001b[2J", "--yes");
    assert.match(done.stdout, /^Cancelled qa, job .*: it had not begun\nnext: svc jobs retry /);
    const again = await run("jobs", "cancel", job, "--yes");
    assert.deepEqual(again.code, 6);
    assert.match(again.stderr, /it has ended \(cancelled\)\ntry: .*svc jobs retry/);
    const { stdout } = await run("jobs", "list");
    assert.match(stdout, /cancelled: cancelled by .*: not now/);
  },
);

Deno.test("of a job that ended at once it is told how long it took, and what it used", async () => {
  const { parts, id, stored, run } = await place();
  await using _parts = parts;
  const at = Date.now();
  const job = await stored(async (db) => {
    const one = await endedJob(db, { repoId: id, role: "qa", disposition: "approved", at });
    const used = { started_at: at - 468, finished_at: at, turns: 1, tool_calls: 1 };
    await db.updateTable("jobs").set(used).where("id", "=", one).execute();
    return one;
  });
  const { stdout } = await run("jobs", "show", job);
  assert.match(stdout, /^took: +468 ms$/m);
  assert.match(stdout, /^used: +1 turn, 1 call$/m);
});

Deno.test("odd traces are told as they are: none, not UTF-8, cut short, with signs of a terminal", async () => {
  const { parts, id, stored, run, traced } = await place();
  await using _parts = parts;
  const job = await stored((db) =>
    endedJob(db, { repoId: id, role: "qa", disposition: "approved", at: Date.now() })
  );
  assert.match((await run("jobs", "logs", job)).stdout, /There is no trace/);
  const at = '{"at":"2026-11-23T10:00:00.000Z",';
  const reply =
    `${at}"kind":"reply","turn":1,"message":{"role":"assistant","text":"hi \\u001b]0;x\\u0007",` +
    '"calls":[]},"usage":{"tokensIn":1,"tokensOut":2}}\n';
  const bytes = new Uint8Array([
    ...new TextEncoder().encode(`${reply}${at}"kind":"note","append":[{"role":"user","text":"`),
    ...[0xff, 0xfe, 0x80],
    ...new TextEncoder().encode(`"}]}\n${at}"kind":"ended","disp`),
  ]);
  await traced(job, bytes);
  const shown = await run("jobs", "logs", job);
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /^Turn 1 /m);
  assert.match(shown.stdout, /hi ␛\]0;x/);
  assert.match(shown.stdout, /svc told it something/);
  assert.match(shown.stdout, /ends in the middle of a line/);
  assert.ok(!shown.stdout.includes("\u001b"));
  const newest = JSON.parse((await run("jobs", "logs", job, "--json", "--tail", "1")).stdout);
  assert.deepEqual([newest.ok, newest.total, newest.steps.length], [true, 2, 1]);
  const over = await run("jobs", "logs", job, "-f", "--tail", "0");
  assert.match(over.stdout, /qa, job .*: completed, approved/);
});

Deno.test("another repo's database is refused, and status needs no service", async () => {
  const { parts, base, run } = await place();
  await using other = await tempRepo({ files: { b: "b\n" }, commit: true });
  await using _parts = parts;
  const name = [...Deno.readDirSync(`${base.path}/home/db`)][0]!.name;
  const database = `${base.path}/home/db/${name}/svc.db`;
  const theirs = await run("jobs", "list", "--repo", other.path, "--db", database);
  assert.equal(theirs.code, 6, theirs.stderr);
  const { stdout, code } = await run("status", "--json");
  const { ok, running, places } = JSON.parse(stdout);
  assert.deepEqual([code, ok, running, places.length], [0, true, false, 1]);
  assert.match(places[0].repos[0].problem, /manifest/);
  assert.match((await run("status")).stdout, /No svc runs here\nnext: svc start/);
});

Deno.test("all repos of a named database are asked from any folder, without a repo around it", async () => {
  const { parts, base, stored, run, queued } = await place();
  await using _parts = parts;
  const job = await queued();
  const db = await stored(async (open) => {
    const { rows } = await sql<{ file: string }>`PRAGMA database_list`.execute(open);
    return rows[0]!.file;
  });
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: base.path,
    SVC_HOME: `${base.path}/home`,
  };
  const away = (...args: string[]) => svc(args, { env, cwd: base.path });
  const { jobs, repo } = JSON.parse(
    (await away("jobs", "list", "--all", "--json", "--db", db)).stdout,
  );
  assert.deepEqual([jobs.map(({ id }: { id: string }) => id), repo], [[job], null]);
  const inbox = await away("inbox", "--all", "--db", db);
  assert.equal(inbox.code, 0, inbox.stderr);
  assert.match(inbox.stdout, /The manifest does not count/);
  const page = (await away("jobs", "list", "--all", "--db", db)).stdout;
  const [, next] = /^next: svc (.*)$/m.exec(page)!;
  const shown = await away(...next!.split(" "));
  assert.deepEqual([shown.code, shown.stdout.includes(job)], [0, true], shown.stderr);
  // What is about one repo still needs it, and nothing is made to look at it.
  assert.equal((await away("jobs", "list", "--db", db)).code, 5);
  const none = `${base.path}/none.db`;
  assert.equal((await away("jobs", "list", "--all", "--db", none)).code, 0);
  await assert.rejects(Deno.stat(none), Deno.errors.NotFound);
  assert.equal((await run("jobs", "list", "--all")).code, 0);
});

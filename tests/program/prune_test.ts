/** `svc prune` and what tells of it, as a person runs them. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { repoId } from "svc/core/ids.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { homeOf } from "svc/platform/home.ts";
import { openScoped } from "svc/store/placement.ts";
import { svc } from "tests/kit/entrance.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

const DAY = 24 * 60 * 60 * 1000;

Deno.test("svc prune shows what is old, removes it when told to, and svc explain says so", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await using base = await tempFolder();
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base.path };
  const home = homeOf({ get: (name) => env[name as keyof typeof env] });
  await base.write(".svc/config.yaml", "retention: {traces_days: 20, records_days: 60}\n");
  const repoPath = await Deno.realPath(repo.path);
  const id = await repoId(repoPath);
  const [oldest, old] = await (async () => {
    const ports = { files: denoFiles(), clock: systemClock, home };
    await using store = await openScoped(ports, { repo: repoPath });
    const jobs: string[] = [];
    // The newest 200 keep their records.
    for (let nth = 0; nth <= 201; nth++) {
      const at = Date.now() - (nth === 0 ? 90 : nth === 1 ? 30 : 1) * DAY;
      const end = { role: "qa", disposition: "approved", at } as const;
      jobs.push(await endedJob(store.db, { repoId: id, ...end }));
    }
    return jobs;
  })();
  for (const job of [oldest!, old!]) {
    await base.write(`.svc/traces/shop-${id}/${job}.jsonl`, "{}\n");
  }
  await base.write("precious/file", "precious");
  await Deno.mkdir(`${home.traces}/outputs`);
  await Deno.symlink(`${base.path}/precious`, `${home.traces}/outputs/${old}`);
  const run = (...args: string[]) => svc(args, { env });
  const traces = () => [...Deno.readDirSync(`${home.traces}/shop-${id}`)].length;

  const shown = await run("prune");
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /would go[^]*job files +older than kept +2[^]*job records .* 1 /);
  assert.match(shown.stdout, /next: svc prune --apply/);
  assert.equal(traces(), 2, "a dry run changes nothing");

  const done = await run("prune", "--apply", "--json");
  assert.equal(done.code, 0, done.stderr);
  const { dry_run, groups, problems } = JSON.parse(done.stdout);
  assert.deepEqual([dry_run, problems, groups.length], [false, [], 2]);
  assert.equal(traces(), 0);
  assert.equal(Deno.readTextFileSync(`${base.path}/precious/file`), "precious");
  assert.match((await run("prune")).stdout, /There is nothing to remove/);

  const explained = await run("explain", oldest!, "--repo", repo.path);
  assert.equal(explained.code, 0, explained.stderr);
  assert.match(explained.stdout, /qa: approved[^]*removed by retention on \d{4}-\d\d-\d\d/);
  const kept = JSON.parse((await run("explain", old!, "--repo", repo.path, "--json")).stdout);
  assert.deepEqual([kept.decisions.length, kept.removed], [1, null]);
});

Deno.test("svc prune names a database that it cannot read, and goes through the others", async () => {
  await using base = await tempFolder();
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base.path };
  const home = homeOf({ get: (name) => env[name as keyof typeof env] });
  const ports = { files: denoFiles(), clock: systemClock, home };
  const traces: string[] = [];
  const databases: string[] = [];
  for (const _ of ["damaged", "sound"]) {
    await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
    const root = await Deno.realPath(repo.path);
    const repo_id = await repoId(root);
    await using store = await openScoped(ports, { repo: root });
    const at = Date.now() - 100 * DAY;
    const job = await endedJob(store.db, {
      ...{ repoId: repo_id, role: "qa", disposition: "approved", at },
    });
    await base.write(`.svc/traces/shop-${repo_id}/${job}.jsonl`, "{}\n");
    traces.push(`${home.traces}/shop-${repo_id}/${job}.jsonl`);
    databases.push(store.path);
  }
  // They are gone through in the order of their names.
  const [first] = databases.toSorted();
  const damaged = databases.indexOf(first!);
  await Deno.writeFile(first!, new Uint8Array(64 * 1024).fill(0xa5));

  const { code, stdout } = await svc(["prune", "--apply", "--trust-clock"], { env });
  assert.equal(code, 1);
  assert.match(stdout, /removed +because[^]*job files +older than kept +1 /);
  const name = RegExp.escape(first!);
  assert.match(stdout, new RegExp(`^not gone through to its end; .*: ${name}$`, "m"));
  assert.match(stdout, new RegExp(`^Cannot .*"${name}".*\\. .+`, "m"));
  const there = await Promise.all(
    traces.map((path) => Deno.stat(path).then(() => true, () => false)),
  );
  assert.deepEqual(there, traces.map((_, at) => at === damaged));
  const named = await svc(["prune", "--db", first!], { env });
  assert.deepEqual([named.code, named.stdout], [2, ""]);
});

Deno.test("svc prune says of a database that it could not go through to the end no more than that", async () => {
  await using base = await tempFolder();
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base.path };
  const home = homeOf({ get: (name) => env[name as keyof typeof env] });
  const root = await Deno.realPath(repo.path);
  const id = await repoId(root);
  const ports = { files: denoFiles(), clock: systemClock, home };
  const store = await openScoped(ports, { repo: root });
  const at = Date.now() - 100 * DAY;
  const end = { repoId: id, role: "qa", disposition: "approved", at } as const;
  const trace = `.svc/traces/shop-${id}/${await endedJob(store.db, end)}.jsonl`;
  await base.write(trace, "{}\n");
  await recordEvent(store.db, { type: "telemetry", data: {} }, Date.now() - 4000 * DAY);
  await store[Symbol.asyncDispose]();
  // Old events are looked at last.
  const page = (text: string) => {
    using database = new DatabaseSync(store.path, { readOnly: true });
    return Number(Object.values(database.prepare(text).get()!)[0]);
  };
  const size = page("PRAGMA page_size");
  const events = page("SELECT rootpage FROM sqlite_schema WHERE name = 'events'");
  using file = await Deno.open(store.path, { write: true });
  await file.seek((events - 1) * size, Deno.SeekMode.Start);
  await file.write(new Uint8Array(size).fill(0xa5));

  const { code, stdout } = await svc(["prune", "--apply", "--trust-clock"], { env });
  assert.equal(code, 1);
  assert.equal(await Deno.stat(`${base.path}/${trace}`).catch(() => undefined), undefined);
  assert.match(
    stdout,
    /^not gone through to its end; what is left of its jobs stays: .*\/svc\.db$/m,
  );
});

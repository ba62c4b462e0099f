/**
 * The queue on a PostgreSQL server that keeps what it acknowledges (fsync on), beside npm's graphile-worker
 * and pg-boss on the same server: same connections, same workers, one process each, in turns.
 *
 *   deno run -A bench/fleet.ts [jobs] [rounds] [rate|nodes|pickup|depth|idle …]
 */
import { claimNext, enqueue } from "svc/features/jobs/job_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import { connectAlone } from "svc/store/postgres/pool.ts";
import { openServer } from "svc/store/postgres/open.ts";
import { hearOfJobs } from "svc/store/server_adapter.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import { type Cluster, startCluster } from "tests/kit/postgres.ts";
import { asked } from "tests/unit/features/jobs/sample_job.ts";
import { idleNode } from "./fleet_idle.ts";
import { type Drain, type Drained, type Kind, repoId } from "./fleet_queue.ts";

const JOBS = Number(Deno.args[0] ?? 2_000);
const ROUNDS = Number(Deno.args[1] ?? 5);
const WORKERS = 8;
const REPOS = 20;
const KINDS = ["svc", "svc-end", "graphile-worker", "pg-boss"] as const;
const NODES = 4;
const PICKUPS = 200;
const DEPTH = 100_000;
const DEPTH_REPOS = 200;
const CLAIMS = 200;

function show(what: string, ...figures: string[]): void {
  console.log(`${what.padEnd(44)} ${figures.join("   ")}`);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

const median = (values: readonly number[]) => percentile(values, 0.5);

const spread = (ms: readonly number[]) =>
  `p50 ${median(ms).toFixed(2)} ms   p99 ${percentile(ms, 0.99).toFixed(2)} ms`;

const load = async () => (await Deno.readTextFile("/proc/loadavg")).split(" ")[0]!;

const serverPid = async ({ folder }: Cluster) =>
  Number((await Deno.readTextFile(`${folder}/data/postmaster.pid`)).split("\n", 1)[0]);

/** Begins when it is told to. */
async function started(drain: Drain) {
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check", "--no-lock", "--node-modules-dir=none"],
      ...["bench/fleet_queue.ts", JSON.stringify(drain)],
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const output = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  await output.read();
  return async (): Promise<Drained> => {
    await process.stdin.close();
    const { value } = await output.read();
    await output.cancel();
    await process.status;
    return JSON.parse(value!);
  };
}

async function throughput(cluster: Cluster): Promise<void> {
  const server = await serverPid(cluster);
  const seen = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  for (let round = 0; round < ROUNDS; round++) {
    const figures: string[] = [];
    for (const kind of KINDS) {
      const login = await cluster.database();
      const plan = { kind, login, server, jobs: JOBS, repos: REPOS, workers: WORKERS, jobMs: 0 };
      const run = await started(plan);
      const { done, took, ...cpu } = await run();
      seen.get(kind)!.push(1000 * done / took);
      figures.push(
        `${kind} ${(1000 * done / took).toFixed(0)} (CPU ${cpu.client.toFixed(2)} + ${
          cpu.server.toFixed(2)
        } ms)`,
      );
    }
    show(`claim + complete a second, load ${await load()}`, ...figures);
  }
  const ratio = (one: Kind, other: Kind) =>
    median(seen.get(one)!.map((value, round) => value / seen.get(other)![round]!)).toFixed(2);
  for (const one of ["svc", "svc-end"] as const) {
    show(
      `  ${one}, median ratio (goal more than 1)`,
      `graphile-worker ${ratio(one, "graphile-worker")}`,
      `pg-boss ${ratio(one, "pg-boss")}`,
    );
  }
}

/** Jobs of a second each, 4 workers a node. */
async function nodes(cluster: Cluster): Promise<void> {
  const server = await serverPid(cluster);
  const perSecond = async (count: number) => {
    const login = await cluster.database();
    const plan = { kind: "svc-end", login, server, repos: REPOS, workers: 4, jobMs: 1000 } as const;
    const runs = [await started({ ...plan, jobs: 40 * count })];
    while (runs.length < count) runs.push(await started({ ...plan, jobs: 0 }));
    const all = await Promise.all(runs.map((run) => run()));
    const done = all.reduce((sum, one) => sum + one.done, 0);
    return 1000 * done / Math.max(...all.map(({ took }) => took));
  };
  const [one, many] = [await perSecond(1), await perSecond(NODES)];
  show(
    `jobs of 1 s, 1 and ${NODES} nodes`,
    `${one.toFixed(2)} and ${many.toFixed(2)} a second`,
    `ratio ${(many / one).toFixed(2)} (goal 3.6 or more)`,
    `load ${await load()}`,
  );
}

/** From before a job is queued by another connection until an idle worker has it; beside a bare NOTIFY. */
async function pickup(login: ServerLogin): Promise<void> {
  await using node = await openServer({ clock: systemClock }, login);
  await using other = await openServer({ clock: systemClock }, login);
  const stop = new AbortController();
  let heard = Promise.withResolvers<void>();
  const hearing = hearOfJobs(node.db, () => heard.resolve(), stop.signal);
  await heard.promise;
  const [listener, teller] = [await connectAlone(login), await connectAlone(login)];
  let told = Promise.withResolvers<void>();
  listener.on("notification", () => told.resolve());
  await listener.query("LISTEN bare");
  const [picked, bare]: [number[], number[]] = [[], []];
  for (let n = 0; n < PICKUPS; n++) {
    told = Promise.withResolvers();
    const from = performance.now();
    await teller.query("NOTIFY bare");
    await told.promise;
    bare.push(performance.now() - from);
    heard = Promise.withResolvers();
    const begun = performance.now();
    await enqueue(other.db, asked({ parallel: true }), Date.now());
    await heard.promise;
    await claimNext(node.db, { owner: "bench", now: Date.now() });
    picked.push(performance.now() - begun);
  }
  stop.abort();
  await hearing;
  await Promise.all([listener.end(), teller.end()]);
  show("queued to claimed, by another process", spread(picked));
  show("  bare LISTEN/NOTIFY", spread(bare));
}

/** 100,000 jobs that were queued a moment ago: no statistics tell of them. */
async function depth(cluster: Cluster): Promise<void> {
  const login = await cluster.database();
  await using store = await openServer({ clock: systemClock }, login);
  const { db } = store;
  const repoIds = Array.from({ length: DEPTH_REPOS }, (_, n) => repoId(n));
  const claims = async (what: string) => {
    const times: number[] = [];
    for (let n = 0; n < CLAIMS; n++) {
      const from = performance.now();
      await claimNext(db, { owner: "bench", now: Date.now(), repoIds, profile: "host" });
      times.push(performance.now() - from);
    }
    show(what, spread(times), `load ${await load()}`);
  };
  const fill = async (jobs: number, parallel: boolean) => {
    const first = repoIds.slice(0, Math.min(jobs, DEPTH_REPOS));
    await db.transaction().execute(async (tx) => {
      for (const repo_id of first) await enqueue(tx, asked({ parallel, repo_id }), Date.now());
    });
    const { columns } = JSON.parse(
      await cluster.psql(
        `SELECT json_build_object('columns', string_agg(column_name, ', '))
      FROM information_schema.columns WHERE table_name = 'jobs' AND column_name <> 'id'`,
        login.database,
      ),
    );
    await cluster.psql(
      `INSERT INTO jobs (id, ${columns}) SELECT gen_random_uuid()::text, ${columns}
      FROM (SELECT * FROM jobs WHERE status = 'pending' ORDER BY id DESC LIMIT ${first.length}) AS one,
        generate_series(2, ${jobs / first.length})`,
      login.database,
    );
  };
  await fill(2 * CLAIMS, true);
  await claims(`claim, ${2 * CLAIMS} jobs`);
  await fill(DEPTH, true);
  await claims(`claim, ${DEPTH} jobs in ${DEPTH_REPOS} repos, just queued`);
  await cluster.psql("ANALYZE jobs", login.database);
  await claims("  the same, analyzed");
  await cluster.psql("DELETE FROM jobs", login.database);
  await fill(DEPTH, false);
  await claims(`claim, ${DEPTH} jobs of ${DEPTH_REPOS} roles, one at a time`);
}

await using cluster = await startCluster({
  durable: true,
  settings: ["shared_preload_libraries = 'pg_stat_statements'"],
});
show("load before", await load());
const parts = {
  rate: () => throughput(cluster),
  nodes: () => nodes(cluster),
  pickup: async () => await pickup(await cluster.database()),
  depth: () => depth(cluster),
  idle: () => idleNode(cluster, show),
};
const wanted = Deno.args.slice(2);
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length === 0 || wanted.includes(name)) await measure();
}

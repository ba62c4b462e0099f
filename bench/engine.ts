/** How soon an engine begins a job, and what svc itself costs per job when the model answers at once. */
import { enqueue } from "svc/features/jobs/job_store.ts";
import { startEngine } from "svc/runtime/engine/engine.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  reposIn,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { call, finish, TEAM, turns } from "tests/unit/runtime/team.ts";

const STARTS = 60;
const TICKETS = 8;

const show = (ms: number) => `${ms.toFixed(1)} ms`;

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/** Ms from the commit of a new job to its claim, by an engine that has nothing else to do. */
async function starts(wake: boolean): Promise<number[]> {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({ steps: turns(finish("no_work")) });
  const repo_id = await registered(ports, repo.path);
  const found: number[] = [];
  let claimed = Promise.withResolvers<void>();
  const engine = startEngine({
    ports,
    repos: reposIn(ports),
    modelEndpoint: endpoint.url,
    on: ({ kind }) => void (kind === "claimed" && claimed.resolve()),
  });
  await engine.idle();
  for (let count = 0; count < (wake ? STARTS : STARTS / 4); count++) {
    claimed = Promise.withResolvers();
    const asked = {
      repo_id,
      role: "orchestrator",
      trigger: "manual",
      source_trust: "contributor",
    } as const;
    await enqueue(ports.db, asked, ports.clock.now());
    const from = performance.now();
    if (wake) engine.wake();
    await claimed.promise;
    found.push(performance.now() - from);
    await engine.idle();
  }
  await engine.stop();
  return found.sort((a, b) => a - b);
}

for (const [name, wake] of [["rung for", true], ["found by polling", false]] as const) {
  const found = await starts(wake);
  console.log(
    `enqueue to start, ${name}: p50 ${show(percentile(found, 0.5))}, p99 ${
      show(percentile(found, 0.99))
    }`,
  );
}

/** A file of each ticket's own. */
const engineer = turns(
  call("file_write", { path: "work/{{T-\\d+}}.txt", content: "done\n" }),
  call("check_run", { name: "test" }),
  call("git_commit", { message: "fix: make the test pass" }),
  finish("submitted"),
);

await using repo = await harnessedRepo({ files: { "fixed.txt": "fixed\n" } });
await using base = await tempFolder();
await using ports = await enginePorts(base.path);
await using endpoint = modelEndpoint({ roles: { ...TEAM.roles, engineer } });
const id = await registered(ports, repo.path);
for (let count = 0; count < TICKETS; count++) {
  await ticketed(ports, repo.path, { title: `Make test ${count} pass` });
}
await queued(ports, id, "orchestrator");
const from = performance.now();
const jobs = (await carryOut(ports, endpoint.url)).filter(({ kind }) => kind === "ended").length;
const span = performance.now() - from;
console.log(
  `${TICKETS} tickets from backlog to merge: ${jobs} jobs, ${endpoint.requests.length} replies`,
);
console.log(
  `svc's own time: ${show(span / jobs)} a job, ${show(span / endpoint.requests.length)} a turn`,
);
const merges = (await repo.git("log", "--merges", "--format=%h")).trim().split("\n").length;
if (merges !== TICKETS) throw new Error(`only ${merges} tickets were merged`);

/** Stopping an engine whose jobs run programs that ignore TERM. */
import assert from "node:assert/strict";
import { runningJobs } from "svc/features/jobs/job_views.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  ticketed,
  watchedEngine,
} from "tests/unit/runtime/engine_place.ts";
import { call, turns } from "tests/unit/runtime/team.ts";

const DEAF = `trap '' TERM INT HUP
(trap '' TERM INT HUP; while :; do sleep 1; done) &
echo ready > "$1"
while :; do sleep 1; done
`;

/** Three repos whose engineers run such a program; resolves when all of them run it. */
async function deafEngine(base: string) {
  const parts = new AsyncDisposableStack();
  const ports = parts.use(await enginePorts(base));
  const endpoint = parts.use(modelEndpoint({
    roles: {
      engineer: turns(({ messages }) => {
        const title = /Wait in (\w+)/.exec(JSON.stringify(messages))?.[1];
        return call("command_run", { argv: ["sh", "deaf.sh", `${base}/${title}`] });
      }),
    },
  }));
  for (const name of ["one", "two", "three"]) {
    const repo = parts.use(await harnessedRepo({ files: { "deaf.sh": DEAF } }));
    const id = await registered(ports, repo.path);
    await queued(
      ports,
      id,
      "engineer",
      await ticketed(ports, repo.path, { title: `Wait in ${name}` }),
    );
  }
  const begun = new Set<string>();
  const watcher = Deno.watchFs(base, { recursive: false });
  const watched = watchedEngine(ports, { modelEndpoint: endpoint.url, concurrency: 3 });
  for await (const { paths } of watcher) {
    for (const path of paths) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      if (["one", "two", "three"].includes(name)) begun.add(name);
    }
    if (begun.size === 3) break;
  }
  return { parts, ports, ...watched };
}

/** Ids of jobs of which a process is left. */
async function processesOf(ports: Awaited<ReturnType<typeof deafEngine>>["ports"], ids: string[]) {
  const counts = await Promise.all(ids.map((id) => ports.processes.sweep(id)));
  return ids.filter((_, index) => counts[index]! > 0);
}

Deno.test(
  "a stop ends three jobs whose programs ignore TERM: no process and no lease is left",
  async () => {
    await using base = await tempFolder();
    const { parts, ports, engine } = await deafEngine(base.path);
    await using _parts = parts;
    const ids = (await runningJobs(ports.db)).map(({ id }) => id);
    assert.equal(ids.length, 3);
    await engine.stop({ graceMs: 0 });
    const jobs = await ports.db.selectFrom("jobs").selectAll().execute();
    assert.deepEqual(
      jobs.map(({ status, attempt }) => [status, attempt]),
      Array(3).fill(["pending", 0]),
    );
    assert.deepEqual(await processesOf(ports, ids), []);
  },
);

Deno.test("a second stop kills at once", async () => {
  await using base = await tempFolder();
  const { parts, ports, engine } = await deafEngine(base.path);
  await using _parts = parts;
  const ids = (await runningJobs(ports.db)).map(({ id }) => id);
  const first = engine.stop();
  await engine.stop();
  await first;
  assert.equal((await runningJobs(ports.db)).length, 0);
  assert.deepEqual(await processesOf(ports, ids), []);
});

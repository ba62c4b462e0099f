/** Jobs whose programs ignore TERM, and a way to know when all of them run. */
import { enqueue } from "svc/features/jobs/job_store.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import {
  enginePorts,
  harnessedRepo,
  type Parts,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { until } from "tests/kit/until.ts";
import { call, turns } from "tests/unit/runtime/team.ts";

const DEAF = `trap '' TERM INT HUP
(trap '' TERM INT HUP; while :; do sleep 1; done) &
echo ready > "$1"
while :; do sleep 1; done
`;

export interface DeafJobs extends AsyncDisposable {
  readonly ports: Parts;
  readonly modelEndpoint: string;
  readonly ids: readonly string[];
  /** Begins what claims them; resolves when all of their programs run. */
  begun<T>(start: () => T): Promise<T>;
  /** Ids of jobs of which a process is left. */
  left(): Promise<string[]>;
}

/** @param base folder of the database; a file of it tells that a program runs */
export async function deafJobs(base: string, count: number): Promise<DeafJobs> {
  const parts = new AsyncDisposableStack();
  const told = `${base}/told`;
  await Deno.mkdir(told);
  const ports = parts.use(await enginePorts(base));
  const endpoint = parts.use(modelEndpoint({
    roles: {
      engineer: turns(({ messages }) => {
        const name = /Wait as (ready-\d+)/.exec(JSON.stringify(messages))?.[1];
        return call("command_run", { argv: ["sh", "deaf.sh", `${told}/${name}`] });
      }),
    },
  }));
  const repo = parts.use(await harnessedRepo({ files: { "deaf.sh": DEAF } }));
  const repo_id = await registered(ports, repo.path);
  const ids: string[] = [];
  for (let at = 1; at <= count; at++) {
    const ticket_id = await ticketed(ports, repo.path, { title: `Wait as ready-${at}` });
    const { job } = await enqueue(ports.db, {
      ...{ repo_id, role: "engineer", trigger: "manual", source_trust: "contributor" },
      ...{ ticket_id, parallel: true },
    }, ports.clock.now());
    ids.push(job.id);
  }
  return {
    ...{ ports, ids, modelEndpoint: endpoint.url },
    async begun(start) {
      const started = start();
      const there = () => [...Deno.readDirSync(told)].map(({ name }) => name);
      await until(() => there().length === count, () => there().join(", "));
      return started;
    },
    async left() {
      const counts = await Promise.all(ids.map((id) => ports.processes.sweep(id)));
      return ids.filter((_, index) => counts[index]! > 0);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

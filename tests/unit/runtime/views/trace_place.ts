/** A job of a repo, with the reads of its dashboard and the place of its trace, which a test writes. */
import { claimNext, enqueue, finish } from "svc/features/jobs/job_store.ts";
import { tracePath } from "svc/runtime/job/trace_path.ts";
import { jobTraceRead } from "svc/runtime/views/job_trace_view.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { enginePorts, harnessedRepo, registered } from "tests/unit/runtime/engine_place.ts";
import { parsed } from "./answers.ts";
import { readsOf } from "./site.ts";

export async function tracePlace(status: "running" | "completed" = "completed") {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const ports = parts.use(await enginePorts(base.path));
  const repoId = await registered(ports, repo.path);
  const order = { repo_id: repoId, role: "engineer", trigger: "manual" } as const;
  await enqueue(ports.db, { ...order, source_trust: "contributor" }, Date.now());
  const job = (await claimNext(ports.db, { owner: "h b 1 s w1", now: Date.now() }))!;
  if (status === "completed") await finish(ports.db, job, { disposition: "reported" }, Date.now());
  const path = tracePath(ports.home, { id: repoId, root: repo.path }, job.id);
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  const reads = readsOf(ports);
  return {
    ...{ id: job.id, path, ports, reads, repo, repoId },
    trace: (query: { from?: string; count?: string } = {}) =>
      reads["job-trace"]({ id: job.id, ...query }).then((found) =>
        parsed(jobTraceRead.shape, found)
      ),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** All answers of the HTTP API of a site, and how they are compared with their shapes. */
import { z } from "zod";
import type { AnswerShape, ShapeOf } from "svc/runtime/views/shape.ts";
import type { Site } from "./site.ts";

/** As the listener would send it. */
export function parsed<S extends AnswerShape>(shape: S, answer: unknown): ShapeOf<S> {
  return shape(z).parse(JSON.parse(JSON.stringify(answer))) as ShapeOf<S>;
}

/** All that the API can be asked, of jobs and tickets that there are. */
export async function allAnswers({ reads, repoId, ports }: Site): Promise<Record<string, unknown>> {
  const ids = (await ports.db.selectFrom("jobs").select("id").execute()).map(({ id }) => id);
  return {
    repos: await reads.repos(),
    "repo-roles": await reads["repo-roles"]({ repo_id: repoId }),
    pipeline: await reads.pipeline(),
    orchestration: await reads.orchestration(),
    "orchestration/decisions": await reads["orchestration/decisions"](),
    jobs: await reads.jobs(),
    ...Object.fromEntries(
      await Promise.all(ids.map(async (id) => [`job ${id}`, await reads.job({ id })])),
    ),
    ...Object.fromEntries(
      await Promise.all(ids.map(async (id) => [`trace ${id}`, await reads["job-trace"]({ id })])),
    ),
    ticket: await reads.ticket({ repo_id: repoId, id: "T-0002" }),
    tickets: await reads.tickets({ search: "colour" }),
    "ticket-templates": await reads["ticket-templates"]({ repo_id: repoId }),
    debug: await reads.debug(),
    telemetry: await reads.telemetry(),
    evolution: await reads.evolution(),
    roles: await reads.roles(),
    throughput: await reads.throughput(),
    costs: await reads.costs({ by: "ticket" }),
    "quality-score": await reads["quality-score"](),
  };
}

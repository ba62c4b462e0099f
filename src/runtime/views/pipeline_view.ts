/** `GET /api/pipeline`: the service, its repos with their roles, and the cards of all that goes on. */
import { rfc3339 } from "svc/core/time.ts";
import { countsByStatus } from "svc/features/jobs/job_views.ts";
import { type BoardSources, readBoards } from "./board_reads.ts";
import { boardOf } from "./cards.ts";
import type { Pipeline } from "./shapes.ts";
import type { Scope, ViewPorts } from "./view_ports.ts";

export async function pipelineView(
  ports: Pick<ViewPorts, "clock" | "db">,
  sources: BoardSources,
  scope: Scope,
): Promise<Pipeline> {
  const { status, service, repos, boards, asOf } = await readBoards(ports, sources, scope);
  const jobs = { pending: 0, running: 0, completed: 0, failed: 0 };
  for (const { id } of scope.repos) {
    const counts = await countsByStatus(ports.db, id);
    for (const state of Object.keys(jobs) as (keyof typeof jobs)[]) jobs[state] += counts[state];
  }
  const { claims } = service;
  return {
    as_of: rfc3339(asOf),
    shape: status.shape,
    profile: status.profile === "host" ? "host" : "observer",
    condition: status.condition,
    claims: claims.kind === "claiming" ? "claiming" : "paused",
    reason: claims.kind === "claiming" ? null : claims.reason,
    started_at: rfc3339(status.startedAt),
    concurrency: status.concurrency,
    jobs,
    repos: [...boards],
    ...mutable(boardOf(service, repos)),
  };
}

const mutable = ({ cards, totals }: ReturnType<typeof boardOf>) => ({
  cards: [...cards],
  totals: { ...totals },
});

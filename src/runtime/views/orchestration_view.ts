/** `GET /api/orchestration`: modes and topology, how jobs ended lately, and what was decided and why. */
import { rfc3339 } from "svc/core/time.ts";
import type { RouteCount } from "svc/features/routing/decision_store.ts";
import { type BoardSources, readBoards } from "./board_reads.ts";
import { decisionsView } from "./decisions_view.ts";
import type { Orchestration } from "./shapes.ts";
import type { Scope, ViewPorts } from "./view_ports.ts";

type DispositionItem = Orchestration["dispositions"][number];

/** One of each role and disposition, over all repos and rules; the most frequent first. Pure. */
export function dispositionsOf(counts: readonly RouteCount[]): DispositionItem[] {
  const sums = new Map<string, RouteCount>();
  for (const one of counts) {
    const key = `${one.role} ${one.disposition}`;
    const sum = sums.get(key);
    const newest = sum === undefined || one.last_at > sum.last_at ? one : sum;
    sums.set(key, { ...newest, count: one.count + (sum?.count ?? 0) });
  }
  return [...sums.values()]
    .sort((a, b) => b.count - a.count || b.last_at - a.last_at)
    .map(({ role, disposition, count, last_at, last_job }) => ({
      role,
      disposition,
      count,
      last_at: rfc3339(last_at),
      last_job,
    }));
}

export async function orchestrationView(
  ports: Pick<ViewPorts, "clock" | "db">,
  sources: BoardSources,
  scope: Scope,
): Promise<Orchestration> {
  const [{ boards, roles }, { decisions }] = await Promise.all([
    readBoards(ports, sources, scope),
    decisionsView(ports, scope),
  ]);
  const counts = [...roles.values()].flatMap(({ routes }) => routes);
  return {
    repos: [...boards],
    dispositions: dispositionsOf(counts),
    decisions: [...decisions],
  };
}

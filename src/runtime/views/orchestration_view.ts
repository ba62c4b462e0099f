/** `GET /api/orchestration`: modes and topology, how jobs ended lately, and what was decided and why. */
import { DISPOSITIONS } from "svc/core/disposition.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { RouteCount } from "svc/features/routing/decision_store.ts";
import { decisionShape } from "./decision_item.ts";
import { newestDecisions } from "./decisions_view.ts";
import { dashboardRead } from "./read.ts";
import { readBoards, repoBoardShape } from "./repo_boards.ts";
import { count, type ShapeOf, time, type Z } from "./shape.ts";

const orchestrationShape = (z: Z) =>
  z.strictObject({
    repos: z.array(repoBoardShape(z)),
    dispositions: z.array(z.strictObject({
      role: z.string(),
      disposition: z.enum(DISPOSITIONS),
      count: count(z),
      last_at: time(z),
      last_job: z.string(),
    })),
    decisions: z.array(decisionShape(z)),
  });
export type Orchestration = ShapeOf<typeof orchestrationShape>;

type DispositionItem = Orchestration["dispositions"][number];

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

export const orchestrationRead = dashboardRead({
  name: "orchestration",
  about: "Routes, what they led to, and why.",
  query: {},
  shape: orchestrationShape,
  async read({ ports, board, scope }): Promise<Orchestration> {
    const [{ boards, routes }, decisions] = await Promise.all([
      readBoards(ports, board, scope),
      newestDecisions(ports, scope),
    ]);
    return { repos: boards, dispositions: dispositionsOf(routes), decisions };
  },
});

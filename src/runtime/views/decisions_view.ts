/** `GET /api/orchestration/decisions`: what followed each job, newest first. */
import { recentDecisions } from "svc/features/routing/decision_store.ts";
import { type DecisionItem, decisionItem, decisionShape } from "./decision_item.ts";
import { dashboardRead, UNKNOWN_REPO } from "./read.ts";
import type { Scope, ViewPorts } from "./view_ports.ts";

export const DECISIONS_LISTED = 100;

export async function newestDecisions(
  { db }: Pick<ViewPorts, "db">,
  { repos, nameOf }: Pick<Scope, "nameOf" | "repos">,
): Promise<DecisionItem[]> {
  const byRepo = await Promise.all(
    repos.map(({ id }) => recentDecisions(db, { repoId: id, limit: DECISIONS_LISTED })),
  );
  return byRepo.flat()
    .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).slice(0, DECISIONS_LISTED)
    .map((decision) => decisionItem(decision, { nameOf }));
}

export const decisionsRead = dashboardRead({
  name: "orchestration/decisions",
  about: "Decisions of the routing, newest first.",
  query: { repo_id: "optional" },
  shape: (z) => z.strictObject({ decisions: z.array(decisionShape(z)) }),
  missing: UNKNOWN_REPO,
  async read({ ports, scope }, { repo_id }) {
    if (repo_id !== undefined && !scope.has(repo_id)) return undefined;
    const repos = scope.repos.filter(({ id }) => repo_id === undefined || id === repo_id);
    return { decisions: await newestDecisions(ports, { ...scope, repos }) };
  },
});

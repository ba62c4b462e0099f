/** `GET /api/orchestration/decisions`: what followed jobs, newest first. */
import { recentDecisions } from "svc/features/routing/decision_store.ts";
import { decisionItem } from "./decision_item.ts";
import type { DecisionItem } from "./shapes.ts";
import type { Scope, ViewPorts } from "./view_ports.ts";

/** Decisions that one answer lists, newest first. */
export const DECISIONS_LISTED = 100;

/** @param repoId of all repos without it; none of a repo that is not known */
export async function decisionsView(
  { db }: Pick<ViewPorts, "db">,
  scope: Scope,
  repoId?: string,
): Promise<{ readonly decisions: readonly DecisionItem[] }> {
  const repos = scope.repos.filter(({ id }) => repoId === undefined || id === repoId);
  const found = await Promise.all(
    repos.map(({ id }) => recentDecisions(db, { repoId: id, limit: DECISIONS_LISTED })),
  );
  const newest = found.flat()
    .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).slice(0, DECISIONS_LISTED);
  return { decisions: newest.map((decision) => decisionItem(decision, scope)) };
}

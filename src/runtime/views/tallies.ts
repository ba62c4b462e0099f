/** What is counted of a repo's ended jobs, read once for all pages that show it. */
import { SCORE_WINDOW_DAYS } from "svc/core/bounds.ts";
import { failuresOf, recurring, type RecurringFailures } from "svc/features/evolution/patterns.ts";
import { type RouteCount, routeCounts } from "svc/features/routing/decision_store.ts";
import { readScores } from "svc/features/scores/read_scores.ts";
import type { RoleScore } from "svc/features/scores/role_scores.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Db } from "svc/store/schema.ts";
import { ReadCache } from "./read_cache.ts";

const DAY_MS = 86_400_000;

/** Window in which followed routes are counted: 7 days. */
const ROUTES_TAKEN_MS = 7 * DAY_MS;

/** They are read again after this time even if nothing was decided: their windows move. */
const TALLIES_FRESH_MS = 60_000;

interface RepoTallies {
  readonly routes: readonly RouteCount[];
  /** By role, in the order of the manifest; then other roles. */
  readonly scores: ReadonlyMap<string, RoleScore>;
  readonly failures: RecurringFailures;
}

export type TallyCache = ReadCache<RepoTallies>;

export function tallyCache(clock: Pick<Clock, "monotonic">): TallyCache {
  return new ReadCache(clock, () => TALLIES_FRESH_MS);
}

const keyOf = (repoId: string, roles: readonly string[]) => `${repoId} ${roles.join()}`;

export const repoOfTally = (key: string) => key.slice(0, key.indexOf(" "));

export async function talliesOf(
  db: Db,
  { repoId, roles, now, mark }: {
    readonly repoId: string;
    /** As the manifest names them. */
    readonly roles: readonly string[];
    readonly now: number;
    /** As `NewestChange` tells it. */
    readonly mark: number;
  },
  tallies: TallyCache,
): Promise<RepoTallies> {
  return await tallies.of(keyOf(repoId, roles), mark, async () => {
    const [routes, { scores, jobs, outcomes }] = await Promise.all([
      routeCounts(db, repoId, now - ROUTES_TAKEN_MS),
      readScores(db, { repoId, roles, now }),
    ]);
    const since = now - SCORE_WINDOW_DAYS * DAY_MS;
    const recent = jobs.filter(({ finishedAt }) => finishedAt >= since);
    return {
      routes,
      scores: new Map(scores.map((score) => [score.role, score])),
      failures: recurring(failuresOf(repoId, recent, outcomes)),
    };
  });
}

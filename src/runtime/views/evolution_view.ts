/** `GET /api/evolution`: what changed about the agents, how often they fail, and what keeps going wrong. */
import { EVOLUTIONS_LISTED, HARNESS_COMMITS, SCORE_WINDOW_DAYS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { rfc3339 } from "svc/core/time.ts";
import { type Change, harnessEvolution } from "svc/features/evolution/changes.ts";
import {
  type Failed,
  failuresByDay,
  failuresOf,
  patternsOf,
} from "svc/features/evolution/patterns.ts";
import { storedChanges } from "svc/features/evolution/read_changes.ts";
import type { Repo } from "svc/features/repos/repo_table.ts";
import { readScores } from "svc/features/scores/read_scores.ts";
import type { Evolution } from "./shapes.ts";
import { type Scope, UNINTERRUPTED, type ViewPorts } from "./view_ports.ts";

type Ports = Pick<ViewPorts, "clock" | "db" | "git">;

const DAY_MS = 86_400_000;

/** A repo that cannot be read now tells no history; its problem is shown on the board. */
async function harnessChanges({ git }: Pick<Ports, "git">, { id, path }: Repo): Promise<Change[]> {
  try {
    const repo = await git.open(path, { signal: UNINTERRUPTED });
    const query = { max: HARNESS_COMMITS, paths: [".harness"] };
    return harnessEvolution(id, await repo.log(query));
  } catch (thrown) {
    if (Failure.from(thrown).code === "internal") throw thrown;
    return [];
  }
}

/** Pure. @param changes in any order */
export function evolutionOf(
  scope: Pick<Scope, "nameOf">,
  changes: readonly Change[],
  failures: readonly Failed[],
): Evolution {
  const ordered = changes.toSorted((a, b) => b.at - a.at || (a.what < b.what ? -1 : 1));
  return {
    evolutions: ordered.slice(0, EVOLUTIONS_LISTED).map(({ at, repoId, ...change }) => ({
      ...change,
      at: rfc3339(at),
      repo_id: repoId,
      repo: scope.nameOf(repoId),
    })),
    telemetry: failuresByDay(failures),
    patterns: patternsOf(failures).map((pattern) => {
      const { key, repoId, role, cause, signature, count, lastJob, advice } = pattern;
      return {
        key,
        repo_id: repoId,
        repo: scope.nameOf(repoId),
        role,
        category: cause,
        signature,
        count,
        last_job: lastJob,
        advice,
        first_at: rfc3339(pattern.firstAt),
        last_at: rfc3339(pattern.lastAt),
      };
    }),
  };
}

export async function evolutionView(ports: Ports, scope: Scope): Promise<Evolution> {
  const { db, clock } = ports;
  const now = clock.now();
  const since = now - SCORE_WINDOW_DAYS * DAY_MS;
  const failures: Failed[] = [];
  const changes = await storedChanges(db, scope.repos.map(({ id }) => id), now);
  for (const repo of scope.repos) {
    const { jobs, outcomes } = await readScores(db, { repoId: repo.id, roles: [], now });
    const recent = jobs.filter(({ finishedAt }) => finishedAt >= since);
    failures.push(...failuresOf(repo.id, recent, outcomes));
    changes.push(...await harnessChanges(ports, repo));
  }
  return evolutionOf(scope, changes, failures);
}

/** `GET /api/evolution`: what changed about the agents, how often they fail, and what keeps going wrong. */
import { EVOLUTIONS_LISTED, HARNESS_COMMITS, SCORE_WINDOW_DAYS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { rfc3339 } from "svc/core/time.ts";
import {
  type AgentChange,
  harnessEvolution,
  storedChanges,
} from "svc/features/evolution/changes.ts";
import {
  type FailedJob,
  failuresByDay,
  failuresOf,
  patternsOf,
} from "svc/features/evolution/patterns.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { readScores } from "svc/features/scores/read_scores.ts";
import { dashboardRead } from "./read.ts";
import { count, type ShapeOf, time, type Z } from "./shape.ts";
import { type Scope, UNINTERRUPTED, type ViewPorts } from "./view_ports.ts";

const DAY_MS = 86_400_000;

const evolutionShape = (z: Z) =>
  z.strictObject({
    evolutions: z.array(z.strictObject({
      at: time(z),
      kind: z.enum(["trust", "tool", "harness", "lane", "score"]),
      repo_id: z.string(),
      repo: z.string(),
      role: z.string().nullable(),
      what: z.string(),
      who: z.string(),
      reason: z.string().nullable(),
      evidence: z.string().nullable(),
    })),
    telemetry: z.array(
      z.strictObject({ day: z.iso.date(), category: z.string(), count: count(z) }),
    ),
    patterns: z.array(z.strictObject({
      key: z.string(),
      repo_id: z.string(),
      repo: z.string(),
      role: z.string(),
      category: z.string(),
      /** The part of a failure's reason that is the same each time. */
      signature: z.string(),
      count: count(z),
      first_at: time(z),
      last_at: time(z),
      last_job: z.string(),
      advice: z.string(),
    })),
  });
export type Evolution = ShapeOf<typeof evolutionShape>;

/** No changes for a repo that cannot be read now: the board shows its problem. */
async function harnessChanges(
  { git }: Pick<ViewPorts, "git">,
  { id, path }: RegisteredRepo,
): Promise<AgentChange[]> {
  try {
    const repo = await git.open(path, { signal: UNINTERRUPTED });
    const query = { max: HARNESS_COMMITS, paths: [".harness"] };
    return harnessEvolution(id, await repo.log(query));
  } catch (thrown) {
    if (Failure.from(thrown).code === "internal") throw thrown;
    return [];
  }
}

function evolutionOf(
  scope: Pick<Scope, "nameOf">,
  changes: readonly AgentChange[],
  failures: readonly FailedJob[],
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

export const evolutionRead = dashboardRead({
  name: "evolution",
  about: "What changed about the agents, and what keeps going wrong.",
  query: {},
  shape: evolutionShape,
  async read({ ports, scope }): Promise<Evolution> {
    const { db, clock } = ports;
    const now = clock.now();
    const since = now - SCORE_WINDOW_DAYS * DAY_MS;
    const failures: FailedJob[] = [];
    const changes = await storedChanges(db, scope.repos.map(({ id }) => id), now);
    for (const repo of scope.repos) {
      const { jobs, outcomes } = await readScores(db, { repoId: repo.id, roles: [], now });
      const recent = jobs.filter(({ finishedAt }) => finishedAt >= since);
      failures.push(...failuresOf(repo.id, recent, outcomes));
      changes.push(...await harnessChanges(ports, repo));
    }
    return evolutionOf(scope, changes, failures);
  },
});

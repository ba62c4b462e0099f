/** `GET /api/evolution`: what changed about the agents, how often they fail, and what keeps going wrong. */
import { EVOLUTIONS_LISTED } from "svc/core/bounds.ts";
import { rfc3339 } from "svc/core/time.ts";
import { type AgentChange, storedChanges } from "svc/features/evolution/changes.ts";
import { joined, type RecurringFailures } from "svc/features/evolution/patterns.ts";
import { dashboardRead } from "./read.ts";
import { count, type ShapeOf, time, type Z } from "./shape.ts";
import { talliesOf } from "./tallies.ts";
import type { Scope } from "./view_ports.ts";

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

function evolutionOf(
  scope: Pick<Scope, "nameOf">,
  changes: readonly AgentChange[],
  { days, patterns }: RecurringFailures,
): Evolution {
  const ordered = changes.toSorted((a, b) => b.at - a.at || (a.what < b.what ? -1 : 1));
  return {
    evolutions: ordered.slice(0, EVOLUTIONS_LISTED).map(({ at, repoId, ...change }) => ({
      ...change,
      at: rfc3339(at),
      repo_id: repoId,
      repo: scope.nameOf(repoId),
    })),
    telemetry: [...days],
    patterns: patterns.map((pattern) => {
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
  async read({ ports, board, scope, opener, harness }): Promise<Evolution> {
    const { db, clock } = ports;
    const now = clock.now();
    const failures: RecurringFailures[] = [];
    const changes = await storedChanges(db, scope.repos.map(({ id }) => id), now);
    for (const repo of scope.repos) {
      const { manifest } = await opener.manifestAt(repo.path);
      const mark = await board.files.changes.of(repo.id);
      const asked = { repoId: repo.id, roles: Object.keys(manifest?.roles ?? {}), now, mark };
      failures.push((await talliesOf(db, asked, board.tallies)).failures);
      changes.push(...await harness.of(repo));
    }
    return evolutionOf(scope, changes, joined(failures));
  },
});

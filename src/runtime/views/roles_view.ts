/** `GET /api/roles`: how well each role does by its outcomes, and what it may do. */
import { SCORE_CAUSES, SCORE_WINDOW_DAYS } from "svc/core/bounds.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { RoleScore } from "svc/features/scores/role_scores.ts";
import type { TrustChange } from "svc/features/trust/trust_audit_table.ts";
import {
  type Trust,
  trustChanges,
  trustFrom,
  trustRecords,
} from "svc/features/trust/trust_store.ts";
import { dashboardRead } from "./read.ts";
import { costSumShape, count, type ShapeOf, time, type Z } from "./shape.ts";
import { talliesOf } from "./tallies.ts";

const rolesShape = (z: Z) =>
  z.strictObject({
    roles: z.array(z.strictObject({
      repo_id: z.string(),
      repo: z.string(),
      role: z.string(),
      tier: z.string(),
      /** Wilson 95 % lower bound times 100; null with fewer than five outcomes. */
      score: z.number().nullable(),
      upper: z.number().nullable(),
      /** Days whose outcomes count. */
      window_days: count(z),
      samples: count(z),
      successes: count(z),
      failures: count(z),
      trend: z.number().nullable(),
      categories: z.array(z.strictObject({ category: z.string(), count: count(z) })),
      trust: z.enum(["observer", "contributor"]),
      /** "manifest", or why it differs. */
      trust_source: z.string(),
      audit: z.array(z.strictObject({
        at: time(z),
        who: z.string(),
        from: z.string(),
        to: z.string(),
        reason: z.string(),
        automatic: z.boolean(),
      })),
      median_secs: count(z).nullable(),
      tokens: count(z),
      ...costSumShape(z),
      last_job: z.string().nullable(),
      last_at: time(z).nullable(),
    })),
  });
export type RoleHealth = ShapeOf<typeof rolesShape>;
export type RoleItem = RoleHealth["roles"][number];

const AUDIT_LISTED = 10;

interface RoleRecord {
  readonly repo: Pick<RoleItem, "repo" | "repo_id">;
  readonly score: RoleScore;
  readonly tier: string | undefined;
  readonly trust: Trust;
  readonly audit: readonly TrustChange[];
}

function sourceOf({ source, reason }: Trust): string {
  return source === "manifest" ? "manifest" : `${source}: ${reason ?? "no reason given"}`;
}

function roleItem({ repo, score, tier, trust, audit }: RoleRecord): RoleItem {
  const { role, samples, successes, failures, upper, trend, tokens, medianMs } = score;
  return {
    ...repo,
    role,
    tier: tier ?? "not in the manifest",
    score: score.score,
    upper,
    window_days: SCORE_WINDOW_DAYS,
    samples,
    successes,
    failures,
    trend,
    categories: score.categories.slice(0, SCORE_CAUSES)
      .map(({ category, count }) => ({ category, count })),
    trust: trust.level,
    trust_source: sourceOf(trust),
    audit: audit.slice(0, AUDIT_LISTED).map((
      { at, who, from_level, to_level, reason, automatic },
    ) => ({
      at: rfc3339(at),
      who,
      from: from_level,
      to: to_level,
      reason,
      automatic: automatic === 1,
    })),
    median_secs: medianMs === null ? null : Math.round(medianMs / 1000),
    tokens,
    ...score.cost,
    last_job: score.lastJob,
    last_at: score.lastAt === null ? null : rfc3339(score.lastAt),
  };
}

export const rolesRead = dashboardRead({
  name: "roles",
  about: "Scores of the roles, with sample sizes, trend and trust.",
  query: {},
  shape: rolesShape,
  async read({ ports: { db, clock }, board, scope, opener }): Promise<RoleHealth> {
    const now = clock.now();
    const roles: RoleItem[] = [];
    for (const repo of scope.repos) {
      const named = (await opener.manifestAt(repo.path)).manifest?.roles ?? {};
      const mark = await board.files.changes.of(repo.id);
      const asked = { repoId: repo.id, roles: Object.keys(named), now, mark };
      const [{ scores }, records, changes] = await Promise.all([
        talliesOf(db, asked, board.tallies),
        trustRecords(db, repo.id),
        trustChanges(db, repo.id),
      ]);
      for (const score of scores.values()) {
        const { role } = score;
        const own = Object.hasOwn(named, role) ? named[role] : undefined;
        const record = records.find((one) => one.role === role);
        roles.push(roleItem({
          repo: { repo_id: repo.id, repo: scope.nameOf(repo.id) },
          score,
          tier: own?.tier,
          trust: trustFrom(record, own?.trust ?? "observer"),
          audit: changes.filter((change) => change.role === role),
        }));
      }
    }
    return { roles };
  },
});

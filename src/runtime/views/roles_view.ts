/** `GET /api/roles`: what each role is worth by its outcomes, and what it may do. */
import { SCORE_CAUSES, SCORE_WINDOW_DAYS } from "svc/core/bounds.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { Repo } from "svc/features/repos/repo_table.ts";
import { readScores } from "svc/features/scores/read_scores.ts";
import type { RoleScore } from "svc/features/scores/role_scores.ts";
import type { TrustChange } from "svc/features/trust/trust_audit_table.ts";
import {
  type Trust,
  trustChanges,
  trustFrom,
  trustRecords,
} from "svc/features/trust/trust_store.ts";
import type { RepoView } from "svc/runtime/repo_view.ts";
import type { Roles } from "./shapes.ts";
import type { Scope, ViewPorts } from "./view_ports.ts";

type RoleItem = Roles["roles"][number];

/** Changes of trust listed with one role. */
const AUDIT = 10;

interface RoleFacts {
  readonly repo: Pick<RoleItem, "repo" | "repo_id">;
  readonly score: RoleScore;
  /** Undefined for a role that the manifest does not name. */
  readonly tier: string | undefined;
  readonly trust: Trust;
  /** Newest first. */
  readonly audit: readonly TrustChange[];
}

function sourceOf({ source, reason }: Trust): string {
  return source === "manifest" ? "manifest" : `${source}: ${reason ?? "no reason given"}`;
}

/** Pure. */
export function roleItem({ repo, score, tier, trust, audit }: RoleFacts): RoleItem {
  const { role, samples, successes, failures, upper, trend, tokens, medianMs } = score;
  return {
    ...repo,
    role,
    tier: tier ?? "not in the manifest",
    score: score.score,
    upper,
    samples,
    successes,
    failures,
    trend,
    categories: score.categories.slice(0, SCORE_CAUSES)
      .map(({ category, count }) => ({ category, count })),
    trust: trust.level,
    trust_source: sourceOf(trust),
    audit: audit.slice(0, AUDIT).map(({ at, who, from_level, to_level, reason, automatic }) => ({
      at: rfc3339(at),
      who,
      from: from_level,
      to: to_level,
      reason,
      automatic: automatic === 1,
    })),
    median_secs: medianMs === null ? null : Math.round(medianMs / 1000),
    tokens,
    last_job: score.lastJob,
    last_at: score.lastAt === null ? null : rfc3339(score.lastAt),
  };
}

export async function rolesView(
  { db, clock }: Pick<ViewPorts, "clock" | "db">,
  scope: Scope,
  look: (repo: Repo) => Promise<RepoView>,
): Promise<Roles> {
  const now = clock.now();
  const roles: RoleItem[] = [];
  for (const repo of scope.repos) {
    const named = (await look(repo)).manifest?.roles ?? {};
    const [{ scores }, records, changes] = await Promise.all([
      readScores(db, { repoId: repo.id, roles: Object.keys(named), now }),
      trustRecords(db, repo.id),
      trustChanges(db, repo.id),
    ]);
    for (const score of scores) {
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
  return { window_days: SCORE_WINDOW_DAYS, roles };
}

/** The roles of a manifest as they are now, and the routes between them with how often each was followed. Pure. */
import { isDue } from "svc/features/jobs/job_store.ts";
import type { Profile, TrustLevel } from "svc/core/permission.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { roleLane } from "svc/features/jobs/lane_store.ts";
import { trustFrom } from "svc/features/trust/trust_store.ts";
import { type NextTrigger, nextTriggers } from "svc/runtime/service/trigger_times.ts";
import type { RepoBoardFacts, RoleFacts, ServiceFacts } from "./board_facts.ts";
import { short } from "./card.ts";
import { laneOf, pendingWhy } from "./pending_wait.ts";
import { count, type ShapeOf, time, type Z } from "./shape.ts";

export const roleNodeShape = (z: Z) =>
  z.strictObject({
    role: z.string(),
    /** `paused`: it, or the model of its next job, is held back. */
    state: z.enum(["idle", "queued", "running", "paused"]),
    tier: z.string(),
    trust: z.enum(["observer", "contributor"]),
    /** 0 to 100; null with fewer than five outcomes. */
    score: z.number().nullable(),
    samples: count(z),
    next: z.strictObject({ at: time(z).nullable(), why: z.string() }).nullable(),
    job_id: z.string().nullable(),
  });
export type RoleNode = ShapeOf<typeof roleNodeShape>;

export const routeEdgeShape = (z: Z) =>
  z.strictObject({
    from: z.string(),
    disposition: z.string(),
    to: z.string().nullable(),
    ticket: z.string().nullable(),
    stop: z.string().nullable(),
    taken: count(z),
  });
export type RouteEdge = ShapeOf<typeof routeEdgeShape>;

/** In observer profile nobody may do more than look. */
function effectiveTrust(level: TrustLevel, profile: Profile): TrustLevel {
  return profile === "host" ? level : "observer";
}

function stateOf(jobs: readonly Job[], paused: boolean): RoleNode["state"] {
  if (jobs.some(({ status }) => status === "running")) return "running";
  if (paused) return "paused";
  return jobs.length > 0 ? "queued" : "idle";
}

function nextOf(
  waiting: Job | undefined,
  trigger: NextTrigger | undefined,
  service: ServiceFacts,
  repo: RepoBoardFacts,
): RoleNode["next"] {
  if (waiting !== undefined) {
    const at = isDue(waiting, service.now) ? null : rfc3339(waiting.run_after);
    return { at, why: short(pendingWhy(waiting, service, repo)) };
  }
  if (trigger === undefined) return null;
  return { at: trigger.at === undefined ? null : rfc3339(trigger.at), why: trigger.why };
}

function triggerOf(role: string, triggers: readonly NextTrigger[]): NextTrigger | undefined {
  const own = triggers.filter((one) => one.role === role);
  return own.find(({ at }) => at !== undefined) ??
    own.find(({ why }) => !why.startsWith("svc run ")) ?? own[0];
}

export function roleNodes(
  manifest: Manifest,
  service: ServiceFacts,
  repo: RepoBoardFacts,
  { trust, scores }: RoleFacts,
): RoleNode[] {
  const { lanes, profile, now } = service;
  const triggers = nextTriggers([{ id: repo.id, manifest }], now);
  return Object.entries(manifest.roles).map(([role, { tier, trust: ownTrust }]) => {
    const jobs = repo.live.filter((job) => job.role === role);
    const running = jobs.find(({ status }) => status === "running");
    const waiting = jobs.find(({ status }) => status === "pending");
    const paused = lanes.some(({ kind, key }) =>
      kind === "role" && key === roleLane(repo.id, role)
    ) ||
      (waiting !== undefined && laneOf(waiting, lanes) !== undefined);
    const { level } = trustFrom(trust.find((record) => record.role === role), ownTrust);
    const { score, samples } = scores.get(role) ?? { score: null, samples: 0 };
    return {
      role,
      state: stateOf(jobs, paused),
      tier,
      trust: effectiveTrust(level, profile),
      score,
      samples,
      next: nextOf(waiting, triggerOf(role, triggers), service, repo),
      job_id: (running ?? waiting)?.id ?? null,
    };
  });
}

export function routeEdges(
  manifest: Manifest,
  { routes: counts }: Pick<RoleFacts, "routes">,
): RouteEdge[] {
  return Object.entries(manifest.roles).flatMap(([from, { routes }]) =>
    Object.entries(routes).map(([disposition, route]) => {
      const rule = `roles.${from}.routes.${disposition}`; // as `decide` names it
      const taken = counts.filter((one) => one.rule === rule)
        .reduce((sum, { count }) => sum + count, 0);
      const { next = null, ticket = null, stop = null } = route ?? {};
      return { from, disposition, to: next, ticket, stop, taken };
    })
  );
}

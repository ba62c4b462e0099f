/** `GET /api/debug`: events, webhooks, refused tool calls, and failures. */
import { rfc3339 } from "svc/core/time.ts";
import { pausedLanes } from "svc/features/jobs/lane_store.ts";
import type { Lane } from "svc/features/jobs/lane_table.ts";
import { lastEventId, newestAfter } from "svc/features/telemetry/event_store.ts";
import { denialsSince } from "svc/features/trust/denial_store.ts";
import { recentDeliveries } from "svc/features/webhooks/delivery_store.ts";
import { requestCounts } from "svc/features/webhooks/request_store.ts";
import { eventItem, eventShape } from "./event_item.ts";
import { jobItem, jobShape } from "./job_item.ts";
import { newestJobs } from "./jobs_view.ts";
import { dashboardRead } from "./read.ts";
import { count, type ShapeOf, time, type Z } from "./shape.ts";
import { basenameOf, type Scope } from "./view_ports.ts";

const DEBUG_LISTED = 100;

const DEBUG_DENIALS_MS = 24 * 60 * 60 * 1000;

const debugShape = (z: Z) =>
  z.strictObject({
    timeline: z.array(eventShape(z)),
    webhooks: z.array(z.strictObject({
      source: z.string(),
      id: z.string(),
      event: z.string(),
      subject: z.string().nullable(),
      repo_id: z.string().nullable(),
      outcome: z.string(),
      reason: z.string().nullable(),
      at: time(z),
    })),
    wishes: z.strictObject({ waiting: count(z), failing: count(z) }),
    denials: z.array(z.strictObject({
      at: time(z),
      repo_id: z.string(),
      job_id: z.string(),
      role: z.string(),
      tool: z.string(),
      part: z.string(),
      reason: z.string(),
    })),
    errors: z.array(jobShape(z)),
    lanes: z.array(z.strictObject({ lane: z.string(), reason: z.string(), since: time(z) })),
    log: z.string(),
    /** Where logs are kept. */
    logs: z.string(),
  });
export type Debug = ShapeOf<typeof debugShape>;

/** A role's lane is named after its repo. */
function laneItem({ kind, key, reason, paused_at }: Lane, scope: Scope): Debug["lanes"] {
  const [repoId = "", role] = key.split("/");
  if (kind === "role" && !scope.has(repoId)) return [];
  const lane = kind === "role" ? `${scope.nameOf(repoId)}/${role}` : key;
  return [{ lane, reason, since: rfc3339(paused_at) }];
}

export const debugRead = dashboardRead({
  name: "debug",
  about: "Timeline, webhooks, denials and errors.",
  query: {},
  shape: debugShape,
  async read({ ports, scope }): Promise<Debug> {
    const { db, clock, home, log } = ports;
    const now = clock.now();
    const ofRepos = <T>(rows: (repoId: string) => Promise<T>) =>
      Promise.all(scope.repos.map(({ id }) => rows(id)));
    const newest = await lastEventId(db);
    const [events, deliveries, denials, requests, failed, lanes] = await Promise.all([
      newestAfter(db, newest - DEBUG_LISTED, DEBUG_LISTED),
      recentDeliveries(db, DEBUG_LISTED),
      ofRepos((id) => denialsSince(db, id, now - DEBUG_DENIALS_MS, DEBUG_LISTED)),
      ofRepos((id) => requestCounts(db, id)),
      newestJobs(ports, scope, { status: "failed" }, DEBUG_LISTED),
      pausedLanes(db, now),
    ]);
    return {
      timeline: events.toReversed().filter(scope.mayShow).map(eventItem),
      webhooks: deliveries.filter(scope.mayShow)
        .map(({ received_at, ...rest }) => ({ ...rest, at: rfc3339(received_at) })),
      wishes: {
        waiting: requests.reduce((sum, { waiting }) => sum + waiting, 0),
        failing: requests.reduce((sum, { failing }) => sum + failing, 0),
      },
      denials: denials.flat().sort((a, b) => b.id - a.id).slice(0, DEBUG_LISTED)
        .map(({ id: _, at, ...rest }) => ({ at: rfc3339(at), ...rest })),
      errors: failed.map((job) => jobItem(job, scope, now)),
      lanes: lanes.flatMap((lane) => laneItem(lane, scope)),
      log: basenameOf(log.path() ?? "none was written yet"),
      logs: home.logs,
    };
  },
});

/** `GET /api/debug`: what happened, what came in, what was refused, and what failed. */
import { rfc3339 } from "svc/core/time.ts";
import { pausedLanes } from "svc/features/jobs/lane_store.ts";
import type { Lane } from "svc/features/jobs/lane_table.ts";
import { lastEventId, newestAfter } from "svc/features/telemetry/event_store.ts";
import { denialsSince } from "svc/features/trust/denial_store.ts";
import { recentDeliveries } from "svc/features/webhooks/delivery_store.ts";
import { wishCounts } from "svc/features/webhooks/wish_counts.ts";
import { jobItem } from "./job_item.ts";
import { newestJobs } from "./jobs_view.ts";
import type { Debug } from "./shapes.ts";
import { eventItem } from "./telemetry_view.ts";
import { basenameOf, type Scope, type ViewPorts } from "./view_ports.ts";

/** Events, deliveries, refused calls and failed jobs that the debug page shows of each. */
const DEBUG_LISTED = 100;

/** Refused calls of the debug page are not older than this. */
const DEBUG_DENIALS_MS = 24 * 60 * 60 * 1000;

type Ports = Pick<ViewPorts, "clock" | "db" | "log">;

/** What is of no repo is of the service itself. */
const told = (scope: Scope) => ({ repo_id }: { readonly repo_id: string | null }) =>
  repo_id === null || scope.has(repo_id);

async function timelineOf({ db }: Ports, scope: Scope): Promise<Debug["timeline"]> {
  const last = await lastEventId(db);
  const events = await newestAfter(db, last - DEBUG_LISTED, DEBUG_LISTED);
  return events.toReversed().filter(told(scope)).map(eventItem);
}

async function webhooksOf({ db }: Ports, scope: Scope): Promise<Debug["webhooks"]> {
  return (await recentDeliveries(db, DEBUG_LISTED)).filter(told(scope))
    .map(({ received_at, ...rest }) => ({ ...rest, at: rfc3339(received_at) }));
}

async function denialsIn({ db, clock }: Ports, { repos }: Scope): Promise<Debug["denials"]> {
  const since = clock.now() - DEBUG_DENIALS_MS;
  const found = await Promise.all(
    repos.map(({ id }) => denialsSince(db, id, since, DEBUG_LISTED)),
  );
  return found.flat().sort((a, b) => b.id - a.id).slice(0, DEBUG_LISTED)
    .map(({ id: _, at, ...rest }) => ({ at: rfc3339(at), ...rest }));
}

async function wishesOf({ db }: Ports, { repos }: Scope): Promise<Debug["wishes"]> {
  const counts = await Promise.all(repos.map(({ id }) => wishCounts(db, id)));
  return {
    waiting: counts.reduce((sum, { waiting }) => sum + waiting, 0),
    failing: counts.reduce((sum, { failing }) => sum + failing, 0),
  };
}

/** A role's lane is named after its repo. */
function laneItem({ kind, key, reason, paused_at }: Lane, scope: Scope): Debug["lanes"] {
  const [repoId = "", role] = key.split("/");
  if (kind === "role" && !scope.has(repoId)) return [];
  const lane = kind === "role" ? `${scope.nameOf(repoId)}/${role}` : key;
  return [{ lane, reason, since: rfc3339(paused_at) }];
}

export async function debugView(ports: Ports, scope: Scope): Promise<Debug> {
  const { db, clock, log } = ports;
  const now = clock.now();
  const [timeline, webhooks, denials, wishes, failed, lanes] = await Promise.all([
    timelineOf(ports, scope),
    webhooksOf(ports, scope),
    denialsIn(ports, scope),
    wishesOf(ports, scope),
    newestJobs(ports, scope, { status: "failed" }, DEBUG_LISTED),
    pausedLanes(db, now),
  ]);
  return {
    timeline,
    webhooks,
    wishes,
    denials,
    errors: failed.map((job) => jobItem(job, scope, now)),
    lanes: lanes.flatMap((lane) => laneItem(lane, scope)),
    log: basenameOf(log.path() ?? "none was written yet"),
  };
}

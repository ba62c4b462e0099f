/** `GET /api/telemetry`: what happened lately, and how much of what. */
import { TELEMETRY_EVENTS, TELEMETRY_HOURS } from "svc/core/bounds.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { Event } from "svc/features/telemetry/event_store.ts";
import { EVENT_TYPES } from "svc/features/telemetry/event_table.ts";
import {
  type CategoryCount,
  categoryCounts,
  type EventCount,
  eventCounts,
  recentEvents,
} from "svc/features/telemetry/event_views.ts";
import type { EventItem, Telemetry } from "./shapes.ts";
import type { Scope, ViewPorts } from "./view_ports.ts";

/** `data` is a JSON object: its only writer makes it from one. */
export function eventItem({ id, at, type, repo_id, job_id, data }: Event): EventItem {
  return { id, at: rfc3339(at), type, repo_id, job_id, data: JSON.parse(data) };
}

/** Events of no repo are of the service itself. */
const told = (scope: Pick<Scope, "has">) => ({ repo_id }: { readonly repo_id: string | null }) =>
  repo_id === null || scope.has(repo_id);

function sums(rows: readonly (readonly [name: string, count: number])[]): Record<string, number> {
  const totals = new Map<string, number>();
  for (const [name, count] of rows) totals.set(name, (totals.get(name) ?? 0) + count);
  return Object.fromEntries([...totals].sort(([a], [b]) => a < b ? -1 : 1));
}

/** Pure. */
export function telemetryOf(
  scope: Pick<Scope, "has">,
  rows: {
    readonly events: readonly Event[];
    readonly counts: readonly EventCount[];
    readonly categories: readonly CategoryCount[];
  },
): Telemetry {
  const counts = rows.counts.filter(told(scope));
  return {
    events: rows.events.filter(told(scope)).map(eventItem),
    stats: {
      window_hours: TELEMETRY_HOURS,
      total: counts.reduce((sum, { count }) => sum + count, 0),
      categories: sums(
        rows.categories.filter(told(scope)).map(({ category, count }) => [category, count]),
      ),
      types: sums(counts.map(({ type, count }) => [type, count])),
    },
  };
}

export async function telemetryView(
  { db, clock }: Pick<ViewPorts, "clock" | "db">,
  scope: Scope,
): Promise<Telemetry> {
  const since = clock.now() - TELEMETRY_HOURS * 3_600_000;
  const types = EVENT_TYPES.filter((type) => type !== "job_turn");
  const [events, counts, categories] = await Promise.all([
    recentEvents(db, TELEMETRY_EVENTS, types),
    eventCounts(db, since),
    categoryCounts(db, since),
  ]);
  return telemetryOf(scope, { events, counts, categories });
}

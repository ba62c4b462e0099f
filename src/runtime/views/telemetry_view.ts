/** `GET /api/telemetry`: what happened lately, and how much of what. */
import { compareText } from "svc/core/order.ts";
import { TELEMETRY_EVENTS, TELEMETRY_HOURS } from "svc/core/bounds.ts";
import type { Event } from "svc/features/telemetry/event_store.ts";
import { EVENT_TYPES } from "svc/features/telemetry/event_table.ts";
import {
  type CategoryCount,
  categoryCounts,
  type EventCount,
  eventCounts,
  recentEvents,
} from "svc/features/telemetry/event_views.ts";
import { eventItem, eventShape } from "./event_item.ts";
import { dashboardRead } from "./read.ts";
import { count, type ShapeOf, type Z } from "./shape.ts";
import type { Scope } from "./view_ports.ts";

const telemetryShape = (z: Z) =>
  z.strictObject({
    events: z.array(eventShape(z)),
    stats: z.strictObject({
      window_hours: count(z),
      total: count(z),
      categories: z.record(z.string(), count(z)),
      types: z.record(z.string(), count(z)),
    }),
  });
type Telemetry = ShapeOf<typeof telemetryShape>;

function sums(rows: readonly (readonly [name: string, count: number])[]): Record<string, number> {
  const totals = new Map<string, number>();
  for (const [name, count] of rows) totals.set(name, (totals.get(name) ?? 0) + count);
  return Object.fromEntries([...totals].sort(([a], [b]) => compareText(a, b)));
}

function telemetryOf(
  { mayShow }: Scope,
  rows: {
    readonly events: readonly Event[];
    readonly counts: readonly EventCount[];
    readonly categories: readonly CategoryCount[];
  },
): Telemetry {
  const counts = rows.counts.filter(mayShow);
  return {
    events: rows.events.filter(mayShow).map(eventItem),
    stats: {
      window_hours: TELEMETRY_HOURS,
      total: counts.reduce((sum, { count }) => sum + count, 0),
      categories: sums(
        rows.categories.filter(mayShow).map(({ category, count }) => [category, count]),
      ),
      types: sums(counts.map(({ type, count }) => [type, count])),
    },
  };
}

export const telemetryRead = dashboardRead({
  name: "telemetry",
  about: "Recent events, and failures by category.",
  query: {},
  shape: telemetryShape,
  async read({ ports: { db, clock }, scope }): Promise<Telemetry> {
    const since = clock.now() - TELEMETRY_HOURS * 3_600_000;
    const types = EVENT_TYPES.filter((type) => type !== "job_turn");
    const [events, counts, categories] = await Promise.all([
      recentEvents(db, TELEMETRY_EVENTS, types),
      eventCounts(db, since),
      categoryCounts(db, since),
    ]);
    return telemetryOf(scope, { events, counts, categories });
  },
});

/** The lines of `svc start --json` and `svc serve --json`: where it listens, then each event, last what came of it. */
import type { z } from "zod";
import type { App } from "svc/app.ts";
import type { Immutable } from "svc/core/immutable.ts";
import { inertJson } from "svc/core/plain_text.ts";
import { redactedJson } from "svc/core/redact.ts";
import { EVENT_SHAPES } from "svc/features/telemetry/event_shapes.ts";
import type { Event } from "svc/features/telemetry/event_store.ts";
import { EVENT_TYPES, type EventType } from "svc/features/telemetry/event_table.ts";
import { eventItem } from "svc/runtime/views/event_item.ts";

/** The first line. */
export const startedShape = (zod: typeof z) =>
  zod.strictObject({
    ok: zod.literal(true),
    event: zod.literal("started"),
    shape: zod.enum(["start", "serve"]),
    profile: zod.enum(["observer", "host"]),
    database: zod.string().optional(),
    /** With `start`: how it goes on, and by which rule. */
    action: zod.string().optional(),
    rule: zod.string().optional(),
    repo: zod.string().optional(),
    /** With `serve`. */
    repos: zod.array(zod.string()).optional(),
    skipped: zod.array(zod.strictObject({ path: zod.string(), why: zod.string() })).optional(),
    dashboard_url: zod.string().nullable(),
    control_url: zod.string().nullable(),
    pid: zod.int(),
  });

/** A line between the first and the last. */
export const eventLineShape = (zod: typeof z, type: EventType) =>
  zod.strictObject({
    ok: zod.literal(true),
    event: zod.literal(type),
    /** Grows with each event of the database. */
    id: zod.int(),
    at: zod.iso.datetime(),
    repo_id: zod.string().nullable(),
    job_id: zod.string().nullable(),
    data: EVENT_SHAPES[type].data(zod),
  });

export const streamShape = (zod: typeof z) =>
  zod.union([startedShape(zod), ...EVENT_TYPES.map((type) => eventLineShape(zod, type))]);

type Started = Immutable<z.infer<ReturnType<typeof startedShape>>>;

/** Holds events back until the first line is written. */
export class EventLines {
  #early: Event[] | undefined = [];

  constructor(readonly app: Pick<App, "redact" | "stdout">, readonly wanted: boolean) {}

  started(facts: Started): void {
    this.#write(facts);
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const event of early) this.hear(event);
  }

  hear(event: Event): void {
    if (!this.wanted) return;
    if (this.#early !== undefined) return void this.#early.push(event);
    const { type, ...item } = eventItem(event);
    this.#write({ ok: true, event: type, ...item });
  }

  #write(line: unknown): void {
    if (!this.wanted) return;
    const { stdout, redact } = this.app;
    stdout.write(`${inertJson(redactedJson(line, redact))}\n`);
  }
}

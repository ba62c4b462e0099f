/** A stored event as the API shows it. Pure. */
import { rfc3339 } from "svc/core/time.ts";
import type { Event } from "svc/features/telemetry/event_store.ts";
import { type ShapeOf, time, type Z } from "./shape.ts";

export const eventShape = (z: Z) =>
  z.strictObject({
    id: z.int(),
    at: time(z),
    type: z.string(),
    repo_id: z.string().nullable(),
    job_id: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
  });
export type EventItem = ShapeOf<typeof eventShape>;

/** `data` is a JSON object: its only writer makes it from one. */
export function eventItem({ id, at, type, repo_id, job_id, data }: Event): EventItem {
  return { id, at: rfc3339(at), type, repo_id, job_id, data: JSON.parse(data) };
}

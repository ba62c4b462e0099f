/** `GET /api/status`: how the service is; whoever is not logged in sees a part of it. */
import type { ServiceStatus, StatusGlance } from "svc/runtime/service/plan.ts";
import { nodeShape } from "./node_item.ts";
import { count, type ShapeOf, type Z } from "./shape.ts";

export const minimalStatusShape = (z: Z) =>
  z.strictObject({ healthy: z.boolean(), paused: z.boolean(), uptime_secs: count(z) });

export const statusShape = (z: Z) =>
  z.strictObject({
    ...minimalStatusShape(z).shape,
    active_jobs: count(z),
    repos: count(z),
    /** There while a limit of the day holds back every new job: what it says. */
    held: z.string().optional(),
    /** The machines of the team; absent where the database is a file. */
    nodes: z.array(nodeShape(z)).optional(),
  });
export type StatusAnswer = ShapeOf<typeof statusShape>;

export function minimalStatus(
  { healthy, claims, startedAt }: StatusGlance,
  now: number,
): ShapeOf<typeof minimalStatusShape> {
  const paused = claims === "paused";
  const uptime_secs = Math.max(0, Math.floor((now - startedAt) / 1000));
  return { healthy, paused, uptime_secs };
}

export function statusAnswer(status: ServiceStatus, now: number): StatusAnswer {
  const held = status.holds.find(({ scope }) => scope === "day")?.says;
  const { running, repos, nodes = [] } = status;
  return {
    ...minimalStatus(status, now),
    active_jobs: running.length,
    repos: repos.length,
    ...(held !== undefined && { held }),
    ...(nodes.length > 0 && { nodes: [...nodes] }),
  };
}

/** The nodes of a team as they are shown: their state, and what runs on them. */
import { rfc3339 } from "svc/core/time.ts";
import { type NodeWork, workByNode } from "svc/features/jobs/job_views.ts";
import { parseOwner } from "svc/features/jobs/owner.ts";
import { conditionOf, NODE_CONDITIONS } from "svc/features/nodes/node_condition.ts";
import { type KnownNode, listNodes } from "svc/features/nodes/node_store.ts";
import type { StoredPorts } from "svc/runtime/ports.ts";
import { count, pick, type ShapeOf, time, type Z } from "./shape.ts";

export const nodeShape = (z: Z) =>
  z.strictObject({
    id: z.string(),
    name: z.string(),
    /** That of its svc. */
    version: z.string(),
    /** Migrations that its svc knows; null where it does not say. */
    schema: count(z).nullable(),
    /** Name of the machine; null once it has ended. */
    machine: z.string().nullable(),
    condition: z.enum(NODE_CONDITIONS),
    /** Why it does not work: what a person said, or what it says itself. */
    why: z.string().nullable(),
    running: count(z),
    concurrency: count(z),
    /** That its running jobs have asked. */
    models: z.array(z.string()),
    /** What it can do, such as `tag:gpu`. */
    abilities: z.array(z.string()),
    started_at: time(z),
    beat_at: time(z),
    beat_age_secs: count(z),
    ended_at: time(z).nullable(),
  });
export type NodeItem = ShapeOf<typeof nodeShape>;

function whyOf({ wanted, reason, waits }: KnownNode): string | null {
  const whys = [wanted === "work" ? null : reason, waits].filter((why) => why !== null);
  return whys.length === 0 ? null : whys.join("; ");
}

function nodeItem(node: KnownNode, { running, models }: NodeWork): NodeItem {
  const { owner, silent, abilities, ended_at } = node;
  const [machine = ""] = (owner === null ? undefined : parseOwner(owner))?.host.split(":", 1) ?? [];
  return {
    ...pick(node, "id", "name", "version", "schema", "concurrency"),
    machine: machine === "" ? null : machine,
    condition: conditionOf(node, running),
    why: whyOf(node),
    running,
    models: [...models],
    abilities: JSON.parse(abilities) as string[],
    started_at: rfc3339(node.started_at),
    beat_at: rfc3339(node.beat_at),
    beat_age_secs: Math.max(0, Math.floor(silent / 1000)),
    ended_at: ended_at === null ? null : rfc3339(ended_at),
  };
}

/** By name; none where the database is a file. */
export async function nodesNow({ db, clock }: StoredPorts): Promise<NodeItem[]> {
  const nodes = await listNodes(db, clock.now());
  if (nodes.length === 0) return [];
  const work = await workByNode(db);
  return nodes.map((node) => nodeItem(node, work.get(node.id) ?? { running: 0, models: [] }));
}

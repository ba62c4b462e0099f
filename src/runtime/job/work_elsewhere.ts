/** Tells whether an attempt before this one worked on another node, where what it did not commit still lies. */
import type { Job } from "svc/features/jobs/job_table.ts";
import { nodeNames } from "svc/features/nodes/node_store.ts";
import { eventsOfJob } from "svc/features/telemetry/event_store.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

/** @returns a name of the node, the last of several; undefined where the database is a file */
export async function workElsewhere(
  { db, node }: Pick<RuntimePorts, "db" | "node">,
  { id }: Pick<Job, "id">,
): Promise<string | undefined> {
  if (node === undefined) return undefined;
  let at: string | undefined;
  let worked: string | undefined;
  for (const { type, data } of await eventsOfJob(db, id, ["job_update", "job_turn"])) {
    if (type === "job_update") at = (JSON.parse(data) as { node?: string }).node ?? at;
    // Before the first turn nothing was changed.
    else if (at !== undefined && at !== node.id) worked = at;
  }
  return worked && ((await nodeNames(db)).get(worked) ?? "that is forgotten");
}

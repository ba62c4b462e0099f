/** Tells on which node uncommitted work of a job that was cut short may be. */
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobsOf } from "svc/features/jobs/job_views.ts";
import { nodeNames } from "svc/features/nodes/node_store.ts";
import { eventsOfJob } from "svc/features/telemetry/event_store.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Db } from "svc/store/schema.ts";
import { KEPT } from "./unfinished.ts";

type Ran = Pick<Job, "disposition" | "id" | "node_id" | "turns">;

const wasCutShort = ({ disposition }: Ran) => disposition !== null && KEPT.has(disposition);

const nameOf = async (db: Db, node: string) => (await nodeNames(db)).get(node);

/** The node of the last attempt that reached a turn; before its first turn an attempt changes nothing. */
async function workedAt(db: Db, job: Pick<Job, "id">, here?: string): Promise<string | undefined> {
  let at: string | undefined;
  let worked: string | undefined;
  for (const { type, data } of await eventsOfJob(db, job.id, ["job_update", "job_turn"])) {
    if (type === "job_update") at = (JSON.parse(data) as { node?: string }).node ?? at;
    else if (at !== undefined && at !== here) worked = at;
  }
  return worked;
}

/** The job before, with the same role and ticket; its events may be forgotten. */
async function workedBefore(
  db: Db,
  { id, repo_id, role, ticket_id }: Pick<Job, "id" | "repo_id" | "role" | "ticket_id">,
  here: string,
): Promise<string | undefined> {
  if (ticket_id === null) return undefined;
  const jobs = await jobsOf(db, repo_id, ticket_id);
  const before = jobs.filter((job) => job.role === role && job.id < id).at(-1);
  if (before === undefined || !wasCutShort(before)) return undefined;
  const ran = before.turns > 0 && before.node_id !== here ? before.node_id : null;
  return await workedAt(db, before, here) ?? ran ?? undefined;
}

/** Whether an attempt before this one, or the failed job before it, worked on another node.
 * @returns a name of the node, the last of several; undefined where the database is a file */
export async function workElsewhere(
  { db, node }: Pick<RuntimePorts, "db" | "node">,
  job: Pick<Job, "id" | "repo_id" | "role" | "ticket_id">,
): Promise<string | undefined> {
  if (node === undefined) return undefined;
  const worked = await workedAt(db, job, node.id) ?? await workedBefore(db, job, node.id);
  return worked && (await nameOf(db, worked) ?? "that is forgotten");
}

/**
 * The node that has the uncommitted work of this job; undefined if the job came to an end, or if the database
 * is a file.
 */
export async function leftOn(db: Db, job: Ran): Promise<string | undefined> {
  if (!wasCutShort(job) || job.node_id === null || job.turns === 0) return undefined;
  return await nameOf(db, job.node_id);
}

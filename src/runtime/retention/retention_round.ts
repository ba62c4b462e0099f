/** The daily retention of a service: at a quiet moment, or at once when the disk is nearly full. */
import { policyOf } from "svc/features/retention/policy.ts";
import {
  begunRun,
  isRunDue,
  RETENTION_EVERY_MS,
  retentionState,
  runEnded,
  takeRun,
} from "svc/features/retention/state_store.ts";
import type { RetentionState } from "svc/features/retention/state_table.ts";
import { runningJobs } from "svc/features/jobs/job_views.ts";
import { nodeRetained, nodeRetainedAt } from "svc/features/nodes/node_store.ts";
import type { OwnNode } from "svc/features/nodes/own_node.ts";
import type { EnginePorts } from "svc/runtime/engine/engine_plan.ts";
import type { Db } from "svc/store/schema.ts";
import { compact } from "svc/store/compact.ts";
import { retentionNow } from "./believed_now.ts";
import type { RetentionTally } from "./report.ts";
import { retain } from "./retain.ts";

/** A service that is never quiet runs it anyway after this additional time. */
const OVERDUE_MS = 6 * 60 * 60 * 1000;

export interface RetentionLook {
  readonly signal: AbortSignal;
  /** No job runs in this process. */
  readonly quiet: boolean;
  /** Free disk that jobs need. */
  readonly freeBytes: number;
}

function isItsTime(
  { ran_at }: Pick<RetentionState, "ran_at">,
  now: number,
  quiet: boolean,
): boolean {
  const overdue = ran_at !== null && now - ran_at >= RETENTION_EVERY_MS + OVERDUE_MS;
  return isRunDue({ ran_at }, now) && (quiet || overdue);
}

/** In a team one node prunes the records, and each node the files of its own home. */
async function takeFiles(db: Db, { id }: OwnNode, now: number, quiet: boolean): Promise<boolean> {
  const ran_at = await nodeRetainedAt(db, id) ?? null;
  if (!isItsTime({ ran_at }, now, quiet)) return false;
  await nodeRetained(db, id, begunRun(now));
  return true;
}

/** Undefined if it is not time yet. If several processes share a database, one of them runs it. */
export async function retentionRound(
  ports: EnginePorts,
  { signal, quiet, freeBytes }: RetentionLook,
): Promise<RetentionTally | undefined> {
  const { db, log, settings } = ports;
  const free = await ports.diskFree?.() ?? Infinity;
  const wanted = Math.max(0, freeBytes - free);
  const now = await retentionNow(ports);
  if (now === undefined) return undefined;
  const state = await retentionState(db);
  const records = isItsTime(state, now, quiet) && await takeRun(db, state, now);
  const files = ports.node === undefined ? records : await takeFiles(db, ports.node, now, quiet);
  if (wanted === 0 && !records && !files) return undefined;
  const policy = policyOf(await settings());
  const retained = await retain({ ...ports, signal }, {
    ...{ policy, now, wanted, apply: true, repos: ports.profile === "host" },
    records: ports.node === undefined || records,
  });
  if (records) await runEnded(db, now);
  if (files && ports.node !== undefined) await nodeRetained(db, ports.node.id, now);
  for (const { what, because, count, bytes } of retained.groups) {
    log.write("info", `retention removed ${what}`, { because, count, bytes });
  }
  for (const problem of retained.problems) log.write("warn", `retention: ${problem}`);
  // Rewriting the file makes writers wait.
  if ((await runningJobs(db)).length === 0) await compact(db, free);
  return retained;
}
